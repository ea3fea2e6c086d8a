#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes completions for bash, zsh and fish, out of what the programs' --help says.

usage: completions.py BIN SOURCE OUT

BIN has the programs, SOURCE is this project's, for the table of architectures. In OUT
are the folders bash, zsh and fish then. The build does this, so that completions are never
older than the programs.
"""

import re
import sys
from pathlib import Path

sys.dont_write_bytecode = True
import programs  # noqa: E402

FILES = re.compile(r"file|tar|path|image|old|^FILE|FOLDER|LINKER|CUDA_DUMP|TEST", re.I)
FOLDERS = re.compile(r"\bdir", re.I)


class Value:
    """What may stand behind an option: files, folders, words, or nothing that is known."""

    def __init__(self, option, architectures):
        self.words = option.choices or []
        if not self.words and re.fullmatch(r"<?(sm_NN|sm_\d+|architecture)>?", option.value) and option.name.strip("-") != "cpu-arch":
            self.words = architectures
        is_name = option.value.strip("<>") not in ("kernel", "symbol", "name")
        self.is_folder = not self.words and bool(FOLDERS.search(option.value))
        self.is_file = not self.words and not self.is_folder and is_name and bool(FILES.search(option.value))


class Command:
    """A program's options, those of its subcommands among them."""

    def __init__(self, name, options, architectures, subcommands=()):
        self.name, self.subcommands = name, subcommands
        by_name = {option.name: option for option in options}
        for option in options:  # LLVM's tools: "Alias for --x"
            if match := re.match(r"Alias for (--?[\w-]+)$", option.text):
                by_name[option.name] = by_name[match[1]]._replace(name=option.name)
        self.options = list(by_name.values())
        self.values = {option.name: Value(option, architectures) for option in self.options if option.joint is not None}


def architectures(source):
    """sm_75 to sm_121f: all that the newest toolkits have, as the table says."""
    text = (source / "include/lld-cuda/BinaryFormat/Architectures.def").read_text()
    result = []
    for number, suffix in re.findall(r"^CUDA_ARCH\((\d+), *(\w+),.*Never\)", text, re.M):
        result += [f"sm_{number}{letter}" for letter in {"None": ("",), "Accelerated": ("", "a"),
                                                         "Family": ("", "a", "f")}[suffix]]
    return result


def commands(bin_folder, source):
    arches = architectures(source)
    by_name = {program.name: programs.options_of(program, bin_folder) for program in programs.PROGRAMS}
    run = Command("lld-cuda --run", by_name["lld-cuda --run"], arches)
    result = []
    for name, options in by_name.items():
        if name == run.name:
            continue
        if name == "lld-cuda":  # nvlink's command line, too
            known = {option.name for option in options}
            options = options + [option for option in by_name["nvlink"] if option.name not in known]
            options.insert(0, programs.Option("-flavor", " ", "<lld|nvlink>", ["lld", "nvlink"],
                                              "Whose command line the rest is"))
            options.insert(0, programs.Option("--run", None, "", [], "Run a build with this linker in place of nvlink"))
        if not options:
            options = [programs.Option(word, None, "", [], "") for word in ("--help", "--version")]
        subcommands = ("replay", "shrink") if name == "reproducer" else ()
        result.append(Command(name, options, arches, subcommands))
    return result, run


#--- bash -------------------------------------------------------------------

BASH = """# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Completion of {name} for bash; made of its --help.
{function}() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD - 1]}} choices
  # bash takes --option=value for three words.
  if [[ $word == = ]]; then
    word=
  elif [[ $before == = ]]; then
    before=${{COMP_WORDS[COMP_CWORD - 2]}}
  fi
  COMPREPLY=()
{run}  case ${{before##-}} in
{values}  esac
  if [[ $word == -* ]]; then
    choices='{options}'
    mapfile -t COMPREPLY < <(compgen -W "$choices" -- "$word")
    [[ ${{#COMPREPLY[@]}} == 1 && ${{COMPREPLY[0]}} == *= ]] && compopt -o nospace 2>/dev/null
    return 0
  fi
{rest}}}
complete -F {function} {name}
"""

BASH_RUN = """  if [[ ${{COMP_WORDS[1]}} == --run ]]; then
    if [[ $word == -* && $COMP_CWORD -eq 2 ]]; then
      mapfile -t COMPREPLY < <(compgen -W '{options}' -- "$word")
    elif declare -F _command_offset >/dev/null; then
      _command_offset 2
    else
      mapfile -t COMPREPLY < <(compgen -c -- "$word")
    fi
    return 0
  fi
"""

BASH_FILES = """  compopt -o filenames 2>/dev/null
  mapfile -t COMPREPLY < <(compgen -f -- "$word")
"""


def bash_pattern(names):
    """Names after ${before##-}, which leaves one dash of two."""
    return " | ".join(sorted({name[1:] for name in names}))


def bash(command, run):
    groups = {}
    for name, value in command.values.items():
        if value.words:
            reply = f"mapfile -t COMPREPLY < <(compgen -W '{' '.join(value.words)}' -- \"$word\")"
        elif value.is_folder:
            reply = "compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -d -- \"$word\")"
        elif value.is_file:
            reply = "compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- \"$word\")"
        else:
            reply = ":"
        groups.setdefault(reply, []).append(name)
    values = ""
    for reply, names in groups.items():
        values += f"    {bash_pattern(names)})\n      {reply}\n      return 0\n      ;;\n"
    options = " ".join(option.name + ("=" if option.joint == "=" else "") for option in command.options)
    rest = BASH_FILES
    if command.subcommands:
        rest = (f"  if [[ $COMP_CWORD -eq 1 ]]; then\n    mapfile -t COMPREPLY < <(compgen -W '{' '.join(command.subcommands)}'"
                f" -- \"$word\")\n    return 0\n  fi\n{BASH_FILES}")
    function = "_" + re.sub(r"\W", "_", command.name)
    is_linker = command.name == "lld-cuda"
    run_part = BASH_RUN.format(options=" ".join(o.name for o in run.options)) if is_linker else ""
    if not values:
        values = "    *) ;;\n"
    return BASH.format(name=command.name, function=function, run=run_part, values=values, options=options, rest=rest)


#--- zsh --------------------------------------------------------------------

def zsh_quote(text):
    return "'" + text.replace("'", "'\\''") + "'"


def zsh_text(text):
    return re.sub(r"([\[\]\\:])", r"\\\1", text)


def zsh_spec(option, value):
    spec = "*" + option.name
    if option.joint is None:
        return zsh_quote(f"{spec}[{zsh_text(option.text)}]")
    spec += {"=": "=", " ": "+" if len(option.name) == 2 else "", "": "-"}[option.joint]
    action = ""
    if value.words:
        action = f"({' '.join(value.words)})"
    elif value.is_folder or value.is_file:
        action = "_files -/" if value.is_folder else "_files"
    label = zsh_text(option.value.strip("<>") or "value")
    return zsh_quote(f"{spec}[{zsh_text(option.text)}]:{label}:{action}")


def zsh(command, run):
    specs = [zsh_spec(option, command.values.get(option.name)) for option in command.options]
    body = "_arguments \\\n" + "".join(f"  {spec} \\\n" for spec in specs)
    if command.subcommands:
        body += f"  '1:command:({' '.join(command.subcommands)})' \\\n"
    body += "  '*:file:_files'\n"
    if command.name == "lld-cuda":
        specs = [zsh_spec(option, None) for option in run.options]
        body = ("if [[ $words[2] == --run && $CURRENT -gt 2 ]]; then\n  shift 1 words; (( CURRENT-- ))\n  _arguments \\\n"
                + "".join(f"    {spec} \\\n" for spec in specs) + "    '*::command:_normal'\n  return\nfi\n" + body)
    return (f"#compdef {command.name}\n# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception\n"
            f"# Completion of {command.name} for zsh; made of its --help.\n{body}")


#--- fish -------------------------------------------------------------------

def fish_quote(text):
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def fish_line(command, option, value, condition=""):
    name = option.name
    kind = "-l" if name.startswith("--") else "-s" if len(name) == 2 else "-o"
    line = f"complete -c {command}{condition} {kind} {name.lstrip('-')}"
    if option.joint is not None:
        if value.words:
            line += f" -x -a {fish_quote(' '.join(value.words))}"
        elif value.is_folder:
            line += " -x -a '(__fish_complete_directories)'"
        else:
            line += " -r -F" if value.is_file else " -x"
    return line + (f" -d {fish_quote(option.text)}" if option.text else "")


def fish(command, run):
    name = command.name
    lines = ["# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception", f"# Completion of {name} for fish; made of its --help."]
    condition = ""
    if name == "lld-cuda":
        condition = " -n 'not __fish_seen_argument -l run'"
        runs = " -n '__fish_seen_argument -l run'"
        lines += [fish_line(name, option, None, runs) for option in run.options]
        lines.append(f"complete -c {name}{runs} -x -a '(__fish_complete_subcommand --fcs-skip=2)'")
    for word in command.subcommands:
        lines.append(f"complete -c {name} -n __fish_is_first_token -x -a {word}")
    lines += [fish_line(name, option, command.values.get(option.name), condition) for option in command.options]
    return "\n".join(lines) + "\n"


def main():
    bin_folder, source, out = (Path(word) for word in sys.argv[1:])
    all_commands, run = commands(bin_folder, source)
    for shell, make, file_name in (("bash", bash, "{}"), ("zsh", zsh, "_{}"), ("fish", fish, "{}.fish")):
        folder = out / shell
        folder.mkdir(parents=True, exist_ok=True)
        for command in all_commands:
            (folder / file_name.format(command.name)).write_text(make(command, run))


if __name__ == "__main__":
    main()
