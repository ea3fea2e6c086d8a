# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""man-sections.py FOLDER: are the sections of all manual pages in the usual order?"""

import re
import sys
from pathlib import Path

ORDER = ["NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXIT STATUS", "ENVIRONMENT", "FILES", "EXAMPLES", "SEE ALSO"]

pages = sorted(Path(sys.argv[1]).glob("*.1"))
wrong = 0
for page in pages:
    text = page.read_text()
    found = [name.strip('"') for name in re.findall(r"^\.SH (.*)$", text, re.M)]
    usual = [name for name in found if name in ORDER]
    if usual != [name for name in ORDER if name in usual] or not re.search(r"^\S+ \\- \S", text, re.M):
        wrong += 1
        print(page.name, *usual, sep=": ")
print(f"{len(pages)} pages, {wrong} out of order")
sys.exit(bool(wrong))
