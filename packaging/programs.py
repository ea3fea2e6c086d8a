# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The programs that are installed, and the options that their --help names.

Manual pages are compared with these options (test/docs), and completions are
made of them (completions.py), so that nobody has to write them twice.
"""

import re
import subprocess
from collections import namedtuple
from pathlib import Path

# page: below docs/manual, without .rst. man: the manual page's name.
# helps: command lines whose output tells the options; "" is the program itself.
Program = namedtuple("Program", "name page man helps")

PROGRAMS = [
    Program("lld-cuda", "lld-cuda", "lld-cuda", [["lld-cuda", "--help"]]),
    Program("ld.cuda", "ld.cuda", "ld.cuda", [["ld.cuda", "--help"]]),
    Program("nvlink", "nvlink", "nvlink", [["nvlink", "--help"]]),
    Program("fatbinary", "fatbinary", "fatbinary", [["fatbinary", "--help"]]),
    Program("lld-cuda --run", "run", "lld-cuda-run", [["lld-cuda", "--run", "--help"]]),
    Program("lld-cuda-toolkit", "lld-cuda-toolkit", "lld-cuda-toolkit", [["lld-cuda-toolkit", "--help"]]),
    Program("lld-cuda-lto", "lld-cuda-lto", "lld-cuda-lto", [["lld-cuda-lto", "--help"]]),
    Program("cubin-dump", "cubin-dump", "cubin-dump", [["cubin-dump", "--help"]]),
    Program("cubin-diff", "cubin-diff", "cubin-diff", [["cubin-diff", "--help"]]),
    Program("cubin-size", "cubin-size", "cubin-size", [["cubin-size", "--help"]]),
    Program("cubin-check", "cubin-check", "cubin-check", [["cubin-check", "--help"]]),
    Program("cubin-prune", "cubin-prune", "cubin-prune", [["cubin-prune", "--help"]]),
    Program("reproducer", "reproducer", "reproducer",
            [["reproducer", "--help"], ["reproducer", "replay", "--help"], ["reproducer", "shrink", "--help"]]),
]

# An option as --help spells it: dashes and all. joint stands between it and its
# value: "=", " ", "" (-L<dir>), or None if it has none. choices: its values, if
# they are words to choose from.
Option = namedtuple("Option", "name joint value choices text")

# A value: <file>, <file>,..., [=<image>], FILE, auto|yes|no, kind=KIND,sm=NUMBER; a
# comma before a blank ends it. A word in small letters counts only where a column
# of text or the line's end follows (-z muldefs).
SPEC = re.compile(
    r"(?P<name>--?[A-Za-z0-9][\w-]*)"
    r"(?P<value>\[=[^\]]*\]|=(?:<[^>]*>|[^\s,<]|,(?! |$))+|<[^>]*>"
    r"| <[^>]*>(?:,\.\.\.)?| [A-Z][A-Z_]*(?:\.\w+)?(?=[\s,\]]|$)| [a-z]+(?=  |$))?")


def split_specs(line):
    """The options at the line's beginning, as (name, value), and the text after."""
    specs, rest = [], line.strip()
    while match := SPEC.match(rest):
        value = (match["value"] or "").strip("[]") if match["value"] != " " else ""
        specs.append((match["name"], value))
        rest = rest[match.end():]
        if not re.match(r", -", rest):
            break
        rest = rest[2:]
    return specs, re.sub(r"^\s*-? +", "", rest).strip()


def choices_of(value):
    words = value.lstrip("= ").strip("<>").split("|")
    if len(words) > 1 and all(re.fullmatch(r"[\w.-]+", word) for word in words):
        return words
    return []


def make_option(name, value, text):
    if not value:
        return Option(name, None, "", [], text)
    joint = value[0] if value[0] in "= " else ""
    return Option(name, joint, value.lstrip("= ").strip(), choices_of(value), text)


def parse(text):
    """All options of a --help text, in their order."""
    options, open_lines = [], []
    for line in text.splitlines():
        begins = re.match(r"\s{1,8}(--?[A-Za-z0-9])", line)
        if choice := re.match(r"\s+=([\w-]+)\s+-\s", line):  # LLVM's list of an option's values
            options[-1] = options[-1]._replace(choices=options[-1].choices + [choice[1]])
        elif begins and (parts := split_specs(line)) and parts[0]:
            specs, words = parts
            open_lines = range(len(options), len(options) + len(specs))
            options += [make_option(name, value, words) for name, value in specs]
        elif open_lines and re.match(r"\s{8,}\S", line):  # the text goes on
            for i in open_lines:
                options[i] = options[i]._replace(text=f"{options[i].text} {line.strip()}".strip())
        else:
            open_lines = []
    # What stands for two options has the value of the one that says it.
    unique = {}
    for option in options:
        if option.name not in unique or (option.value and not unique[option.name].value):
            unique[option.name] = option
    return list(unique.values())


def share_values(options, text):
    """nvlink's and argparse's lists say the value once: --arch <architecture>, -arch."""
    by_name = {option.name: option for option in options}
    for line in text.splitlines():
        if not re.match(r"\s+-", line):
            continue
        specs, _ = split_specs(line)
        valued = [name for name, value in specs if value.startswith(" ")]
        for name, value in specs:
            if valued and not value and by_name[name].joint is None:
                by_name[name] = by_name[valued[0]]._replace(name=name)
    return [by_name[option.name] for option in options]


def options_of(program, bin_folder):
    """The options that the program names, from all its help texts."""
    options = {}
    for words in program.helps:
        command = [str(Path(bin_folder, words[0])), *words[1:]]
        text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        text = text.split("EXAMPLES:")[0].split("\nreplay unpacks")[0]
        for option in share_values(parse(text), text):
            options.setdefault(option.name, option)
    return list(options.values())
