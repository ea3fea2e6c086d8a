# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""mutate.py COUNT FILE: damaged copies of a file make no crash, no hang, and no status that isn't known.

What stands in the sound file's answer with other bytes in its device code is "runs" only where all of it could be read.
"""

import random
import subprocess
import sys

count, path = int(sys.argv[1]), sys.argv[2]
sound = open(path, "rb").read()
choose = random.Random(7)
seen = {}
for i in range(count):
    data = bytearray(sound)
    for _ in range(choose.choice([1, 1, 2, 8])):
        at = choose.randrange(len(data))
        data[at] = choose.choice([0, 255, data[at] ^ 1 << choose.randrange(8), choose.randrange(256)])
    if choose.random() < 0.2:
        data = data[:choose.randrange(len(data))]
    with open("mutant.so", "wb") as file:
        file.write(data)
    form = choose.choice(["--json", "--sarif", "--html", "--all", "--driver=570"])
    result = subprocess.run(["cubin-check", "--gpu=sm_90", form, "mutant.so"], capture_output=True, timeout=20, check=False)
    seen[result.returncode] = seen.get(result.returncode, 0) + 1
    if result.returncode not in (0, 1, 2):
        sys.exit(f"mutant {i}: status {result.returncode}: {result.stderr[-500:]}")
    if b'"unreadable"' in result.stdout and form == "--json" and result.returncode != 2:
        sys.exit(f"mutant {i}: unreadable, and status {result.returncode}")
print(count, "mutants:", seen)
