# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Damages a file in many ways; cubin-size must end, with an error or without,
and what it prints must add up. Every third time it makes a page in place.

Usage: mutate.py FILE COUNT [FIRST_SEED]
"""

import json
import os
import random
import subprocess
import sys

data = open(sys.argv[1], "rb").read()
count, first = int(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else 0
for seed in range(first, first + count):
    rng = random.Random(seed)
    bytes_ = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 5, 20))):
        at = rng.randrange(len(bytes_))
        kind = rng.randrange(4)
        if kind == 0:
            bytes_[at] = rng.randrange(256)
        elif kind == 1:
            bytes_[at:at + 8] = rng.choice((b"\xff" * 8, b"\0" * 8, (2**31).to_bytes(8, "little")))
        elif kind == 2:
            length = rng.randrange(64)
            bytes_[at:at + length] = data[rng.randrange(len(data)):][:length]
        elif len(bytes_) > 100:
            del bytes_[max(at, 64):]
    open("mutated", "wb").write(bytes_)
    form = "--html" if seed % 3 == 2 else "--json"
    run = subprocess.run(["cubin-size", form, "--by=kind", "--by=template", "--by=source,use", "--top=0", "mutated"],
                         capture_output=True, timeout=20)
    assert run.returncode in (0, 1), (seed, run.returncode, run.stderr)
    assert (run.returncode == 1) == (b"error: " in run.stderr), seed
    if form == "--html":
        # Of nothing there is no page.
        assert run.stdout.endswith(b"</html>\n") or not run.stdout and run.returncode == 1, seed
        continue
    report = json.loads(run.stdout)
    size = report["in_file"] if data.startswith(b"PK") else os.path.getsize("mutated")
    for table in report["tables"]:
        total = sum(row["in_file"] for row in table["rows"])
        assert total == report["in_file"] == size, (seed, table["by"])
print(count, "damaged files")
