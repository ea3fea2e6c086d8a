# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Damages a file in many ways; cubin-prune must write an output that can be
read, or none and an error. The input stays as it was, and nothing else is left.

Usage: mutate.py FILE COUNT [FIRST_SEED]

One run after the other has one of MODES.
"""

import os
import random
import subprocess
import sys

MODES = [["--keep=sm_90"], ["--strip-debug"], ["--drop-kernels=*"], ["--compress=zstd"], ["--compress=none"],
         ["--drop=ptx", "--strip-debug", "--keep-kernels=first", "--compress=lz4"]]

data = open(sys.argv[1], "rb").read()
count, first = int(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else 0
os.makedirs("mutated", exist_ok=True)
written = 0
for seed in range(first, first + count):
    rng = random.Random(seed)
    damaged = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 5, 20))):
        at = rng.randrange(len(damaged))
        kind = rng.randrange(4)
        if kind == 0:
            damaged[at] = rng.randrange(256)
        elif kind == 1:
            damaged[at:at + 8] = rng.choice((b"\xff" * 8, b"\0" * 8, (2**31).to_bytes(8, "little")))
        elif kind == 2:
            length = rng.randrange(64)
            damaged[at:at + length] = data[rng.randrange(len(data)):][:length]
        elif len(damaged) > 100:
            del damaged[max(at, 64):]
    open("mutated/in", "wb").write(damaged)
    run = subprocess.run(["cubin-prune", *MODES[seed % len(MODES)], "mutated/in", "-o", "mutated/out"],
                         capture_output=True, timeout=20)
    assert run.returncode in (0, 1), (seed, run.returncode, run.stderr)
    assert (run.returncode == 1) == (b"error: " in run.stderr), seed
    assert open("mutated/in", "rb").read() == damaged, seed
    expected = {"in"} | ({"out"} if run.returncode == 0 else set())
    assert set(os.listdir("mutated")) == expected, (seed, os.listdir("mutated"))
    if run.returncode == 0:
        written += 1
        os.unlink("mutated/out")
assert written
print(count, "damaged files")
