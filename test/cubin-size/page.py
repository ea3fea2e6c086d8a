# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that the tables of a page have the rows of a JSON report.

Usage: page.py PAGE JSON
"""

import html
import json
import re
import sys

page, report = open(sys.argv[1]).read(), json.load(open(sys.argv[2]))
for number, table in enumerate(report["tables"]):
    text = page.split("<h2 id=table%d>" % number)[1].split("<h2")[0]
    rows = {}
    for row in re.findall(r"<tr><td>(.*)\n", text):
        name, in_file, _, unpacked = row.split("<td>")
        numbers = [int(n.replace(",", "")) for n in (in_file, unpacked)]
        rows[html.unescape(name.split("<svg")[0])] = numbers
    assert rows == {r["name"]: [r["in_file"], r["unpacked"]] for r in table["rows"]}, table["by"]
print(len(report["tables"]), "tables agree")
