# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""man-pages.py SOURCE BIN: has each installed program a complete manual page?

Every file that is installed as a program has a page of which Sphinx makes a
manual page, with all sections, and the page's options are those of --help.
"""

import re
import sys
from pathlib import Path

source, bin_folder = Path(sys.argv[1]), Path(sys.argv[2])
sys.path.insert(0, str(source / "packaging"))
import programs  # noqa: E402

MANUAL = source / "docs/manual"
SECTIONS = ["Synopsis", "Description", "Options", "Exit status", "Examples", "See also"]
# Programs without files of their own or of which no variable changes anything.
WITHOUT = {
    "Environment": {"cubin-diff", "cubin-dump", "cubin-prune", "fatbinary", "lld-cuda-lto"},
    "Files": {"cubin-diff", "cubin-dump", "cubin-prune", "reproducer"},
}
# Whose options are told in pages of their own, but for the few in this one.
OTHERS = {"lld-cuda": {"flavor", "run", "help", "version"}}
OTHER_NAMES = {"ld.cuda": "docs/manual/options.rst", "fatbinary": "tools/lld-cuda/FatbinaryOptions.def"}
EVERYWHERE = {"help", "version"}
NOT_OURS = {"help-list"}  # of LLVM's command line


def sections(text):
    return [name for name, line in re.findall(r"^(\S.*)\n(-+)$", text, re.M) if len(name) == len(line)]


def described(text):
    names = set()
    for line in re.findall(r"^\.\. option:: (.*)", text, re.M):
        names |= {name.lstrip("-") for name in re.findall(r"(?:^|, )(--?[\w-]+)", line)}
    return names


def check(program, pages):
    text = (MANUAL / f"{program.page}.rst").read_text()
    title, rule = text.splitlines()[:2]
    wrong = []
    name, _, purpose = title.partition(" - ")
    if name != program.name or rule != "=" * len(title) or pages.get(program.page) != (program.man, purpose):
        wrong.append(f"title '{title}', conf.py has {pages.get(program.page)}")
    found = sections(text)
    wanted = SECTIONS + [s for s, programs_without in WITHOUT.items() if program.man not in programs_without]
    wrong += [f"no section '{section}'" for section in wanted if section not in found]
    wrong += [f"a section '{section}', of which this test doesn't know" for section in WITHOUT
              if section in found and section not in wanted]
    own = {option.name.lstrip("-") for option in programs.options_of(program, bin_folder)} - NOT_OURS
    shown = own or EVERYWHERE
    if program.name in OTHERS:
        shown = OTHERS[program.name]
    page = described(text)
    # --help doesn't list every other name of an option; a table does.
    table = (source / OTHER_NAMES[program.name]).read_text() if program.name in OTHER_NAMES else ""
    extra = {name for name in page - shown if not re.search(rf'[-"]{re.escape(name)}\b', table)}
    missing = {name for name in shown - page if f"-{name}" not in text.partition("without effect")[2]}
    wrong += [f"option not in --help: {name}" for name in sorted(extra)]
    wrong += [f"option not in the page: {name}" for name in sorted(missing)]
    print(program.name, "has", len(shown), "options")
    return [f"{program.page}.rst: {text}" for text in wrong]


def main():
    conf = {}
    exec((MANUAL / "conf.py").read_text(), conf)  # pylint: disable=exec-used
    pages = {page: (man, purpose) for page, man, purpose, _, section in conf["man_pages"] if section == 1}
    wrong = []
    for program in programs.PROGRAMS:
        wrong += check(program, pages)
    known = {program.name for program in programs.PROGRAMS}
    for path in bin_folder.iterdir():
        if path.name not in known and not path.name.startswith("benchmark-"):
            wrong.append(f"{path.name} is in no list of programs")
    for line in wrong:
        print(line)
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
