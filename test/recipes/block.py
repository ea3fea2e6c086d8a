# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints a block of code of the manual, or runs it, so that what a page says is tried as it stands.

    block.py PAGE HEADING [NUMBER]                     the NUMBERth one, from 1, below the heading ("-": of the page's beginning)
    block.py --run FOLDER PAGE HEADING NUMBER [NAME=VALUE...]    as a script of bash, which ends with the first command that fails

NAME is a placeholder that the page uses: DIR, PREFIX. HOME is the current directory.
"""

import os
import re
import subprocess
import sys
import textwrap


def block(path, heading, number=1):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    start = "\\A[^\n]+\n=+\n" if heading == "-" else rf"^{re.escape(heading)}\n-+\n"
    section = re.search(rf"{start}(.*?)(?=^[^\n]+\n-+\n|\Z)", text, re.M | re.S)
    if not section:
        sys.exit(f"{path}: no heading '{heading}'")
    blocks = re.findall(r"(?:^\.\. code-block:: \w+|::)\n\n((?:[ \t]+[^\n]*\n|\n)+)", section[1], re.M)
    if number > len(blocks):
        sys.exit(f"{path}: only {len(blocks)} blocks below '{heading}'")
    return textwrap.dedent(blocks[number - 1]).strip("\n")


def run(folder, page, heading, number, *values):
    path = f"{folder}/{page}.rst"
    text = block(path, heading, int(number))
    for value in values:
        name, _, value = value.partition("=")
        changed = re.sub(rf"(?<![\w$]){re.escape(name)}(?!\w)", lambda _: value, text)
        if changed == text:
            sys.exit(f"{path}: no '{name}' in: {text}")
        text = changed
    print(text, flush=True)
    result = subprocess.run(["bash", "-e", "-o", "pipefail", "-c", text], stdin=subprocess.DEVNULL, stderr=subprocess.STDOUT,
                            env={**os.environ, "HOME": os.getcwd()}, check=False)
    sys.exit(result.returncode)


if __name__ == "__main__":
    if sys.argv[1] == "--run":
        run(*sys.argv[2:])
    print(block(sys.argv[1], sys.argv[2], *map(int, sys.argv[3:])))
