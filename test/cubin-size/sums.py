# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks a report of cubin-size against the files' sizes.

Usage: sums.py JSON FILE...

Every table's sum is the sum of the files' sizes, in bytes.
"""

import json
import os
import sys

report = json.load(open(sys.argv[1]))
size = sum(os.path.getsize(path) for path in sys.argv[2:])
assert report["in_file"] == size, (report["in_file"], size)
for table in report["tables"]:
    rows = table["rows"]
    assert len(rows) == table["rows_in_all"], table["by"]
    assert sum(row["in_file"] for row in rows) == size, table["by"]
print("all tables add up")
