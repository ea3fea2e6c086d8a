# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Counts the sources that are compiled again after a change to a header.

    includes.py HEADER=LIMIT...

Run in the source's root, over all programs, libraries and bindings. A source counts
if it includes the header, or a header that does, and so on: what a compiler's -MM
says, but without a compiler. Status 1 if a header has more sources than its limit;
then it says which headers bring it to how many of them.
"""

import functools
import re
import sys
from pathlib import Path

FOLDERS = ("include", "lib", "lld-cuda", "tools", "bindings")
INCLUDE = re.compile(r'^#include "([^"]+)"', re.M)


@functools.cache
def included(path):
    """The files of ours that a file includes itself: beside it, in lld-cuda/ or in include/, as the build looks for them."""
    found = set()
    for name in INCLUDE.findall(path.read_text()):
        for folder in (path.parent, Path("lld-cuda"), Path("include"), Path("bindings/c/include")):
            if (folder / name).is_file():
                found.add(folder / name)
                break
    return found


@functools.cache
def reached(path):
    """All files that a file gets."""
    seen, rest = set(), [path]
    while rest:
        for file in included(rest.pop()) - seen:
            seen.add(file)
            rest.append(file)
    return seen


def main():
    limits = {Path(name): int(limit) for name, _, limit in (word.partition("=") for word in sys.argv[1:])}
    files = [path for folder in FOLDERS for path in sorted(Path(folder).rglob("*")) if path.suffix in (".h", ".cpp", ".def", ".inc")]
    sources = [path for path in files if path.suffix == ".cpp"]
    wrong = False
    for header, limit in limits.items():
        if not header.is_file():
            sys.exit(f"includes: no {header}")
        count = sum(header in reached(source) for source in sources)
        print(f"{header}: {count} of {len(sources)} sources, at most {limit}")
        if count > limit:
            wrong = True
            through = {path: sum(path in reached(source) for source in sources) for path in files if path.suffix == ".h" and header in included(path)}
            for path, number in sorted(through.items(), key=lambda item: -item[1]):
                print(f"  {number} by {path}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
