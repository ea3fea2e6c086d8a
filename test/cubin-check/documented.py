# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""documented.py SOURCE: has each finding of cubin-check a section in the manual, and a test that finds it?"""

import re
import sys
from pathlib import Path

source = Path(sys.argv[1])
table = (source / "tools/cubin-check/Findings.def").read_text()
page = (source / "docs/manual/cubin-check.rst").read_text()
tests = "".join(path.read_text() for path in (source / "test/cubin-check").glob("*.test"))
rows = re.findall(r'^FINDING\(\w+, "([\w-]+)", (\w+),', table, re.M)
wrong = []
for name, severity in rows:
    title = f"{name} ({severity.lower()})"
    if f".. _{name}:\n\n{title}\n{'~' * len(title)}\n" not in page:
        wrong.append(f"{name}: no section '{title}' in the manual")
    if not re.search(rf"^[A-Z-]+: .*{severity.lower()}\[{name}\]", tests, re.M):
        wrong.append(f"{name}: no test expects {severity.lower()}[{name}]")
print("\n".join(wrong) or f"{len(rows)} findings are documented and tested")
