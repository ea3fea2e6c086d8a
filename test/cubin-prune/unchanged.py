# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that two ELF files of one size differ in one section's bytes only.

Usage: unchanged.py BEFORE AFTER SECTION
"""

import re
import subprocess
import sys

before, after = (open(path, "rb").read() for path in sys.argv[1:3])
table = subprocess.run(["llvm-readelf", "-SW", sys.argv[1]], capture_output=True, text=True, check=True).stdout
row = re.search(r" %s +\S+ +[0-9a-f]+ ([0-9a-f]+) ([0-9a-f]+) " % re.escape(sys.argv[3]), table)
start, size = (int(number, 16) for number in row.groups())
assert len(before) == len(after)
assert before[:start] == after[:start] and before[start + size:] == after[start + size:]
assert before != after
print("changes in", sys.argv[3], "only")
