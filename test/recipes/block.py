# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints a block of code of the manual, so that it can be tried.

    block.py FILE HEADING [NUMBER]     the NUMBERth one, from 1, below the heading
"""

import re
import sys
import textwrap


def main():
    path, heading = sys.argv[1:3]
    number = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    with open(path, encoding="utf-8") as file:
        text = file.read()
    section = re.search(rf"^{re.escape(heading)}\n-+\n(.*?)(?=^[^\n]+\n-+\n|\Z)", text, re.M | re.S)
    if not section:
        sys.exit(f"{path}: no heading '{heading}'")
    blocks = re.findall(r"(?:^\.\. code-block:: \w+|::)\n\n((?:[ \t]+[^\n]*\n|\n)+)", section[1], re.M)
    if number > len(blocks):
        sys.exit(f"{path}: only {len(blocks)} blocks below '{heading}'")
    print(textwrap.dedent(blocks[number - 1]).strip("\n"))


if __name__ == "__main__":
    main()
