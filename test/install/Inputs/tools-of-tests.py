# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints each of LLVM's tools that the commands of tests name, and that a list lacks.

Usage: tools-of-tests.py TESTS LIST
"""

import re
import sys
from pathlib import Path

built = Path(sys.argv[2]).read_text().split()
used = {}
for path in Path(sys.argv[1]).rglob("*"):
    if path.suffix not in (".test", ".ptx", ".yaml", ".cu", ".s") or "Inputs" in path.parts:
        continue
    for line in path.read_text(errors="replace").splitlines():
        if re.search(r"\b(RUN|DEFINE):", line):
            for tool in re.findall(r"(?<![\w%/{.=-])(llvm-[a-z]+|yaml2obj|obj2yaml|split-file)(?= )", line):
                used.setdefault(tool, path)
for tool in sorted(used.keys() - set(built)):
    print(f"{tool}: {used[tool]}")
