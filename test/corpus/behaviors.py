# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""behaviors.py LINKER WORK: does each behaviour of nvlink make a difference?

Behaviors.def names a test for each way in which nvlink isn't as the default.
Where it is one of the corpus, some link of it must be another one if this
behaviour alone is left out of all that --nvlink-compat asks for.
"""

import re
import sys

import link

ROW = re.compile(r"^BEHAVIOR\((\w+),(.*?)\)$", re.M | re.S)


def release_of(one):
    """Options for the release that a link's expected files are of."""
    return [f"--nvlink-release={one.release}"] if one.release else []


linker, work = sys.argv[1:]
rows = {}
for name, row in ROW.findall(link.BEHAVIORS.read_text()):
    words = [word.strip().strip('"') for word in row.split(",")]
    rows[name] = {"asked": "OnRequest" in words[2:4], "with": words[5]}
meaning = link.ByMeaning(linker.split(), work)
count = failed = 0
for name, row in rows.items():
    if not row["asked"] or not row["with"].startswith("corpus/"):
        continue
    count += 1
    others = [other for other in rows if rows[other]["asked"] and other != name]
    without = meaning.with_behaviors(others)
    links = link.links_of(link.HERE.parent / row["with"])
    if not any(list(link.check_bytes(one, without + release_of(one), work)) for one in links):
        failed += 1
        print(f"{name}: {row['with']} is the same without it")
print(f"{count - failed} of {count} behaviours make a difference")
sys.exit(1 if failed or not count else 0)
