# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""pages.py PAGES TESTS: is each page a recipe, with a test?"""

import re
import sys
from pathlib import Path

pages, tests = map(Path, sys.argv[1:])
sys.path.insert(0, str(tests))
sys.dont_write_bytecode = True
import block  # noqa: E402

index = (pages / "index.rst").read_text()
wrong = []
names = sorted(path.stem for path in pages.glob("*.rst") if path.stem != "index")
for name in names:
    path = pages / f"{name}.rst"
    text = path.read_text()
    if not re.search(rf"^   {re.escape(name)}$", index, re.M):
        wrong.append(f"{path.name}: isn't in the index")
        continue
    if (lines := len(block.block(path, "-").splitlines())) != 1:
        wrong.append(f"{path.name}: begins with {lines} lines to type")
    for heading in ("When it worked", "What can go wrong"):
        if not re.search(rf"^{heading}\n-+$", text, re.M):
            wrong.append(f"{path.name}: no section '{heading}'")
    test = tests / f"{name}.test"
    if not test.exists() or not re.search(rf"%{{try}} {re.escape(name)} |recipes}}/{re.escape(name)}\.rst", test.read_text()):
        wrong.append(f"{path.name}: no test that takes its commands from it")
print("\n".join(wrong) if wrong else f"{len(names)} pages are recipes")
sys.exit(bool(wrong))
