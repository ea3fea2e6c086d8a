# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""with-memory.py MB[..MB] [not] PROGRAM ...: runs it with an address space of that size, or with many.

With a range it tells the statuses that came."""

import os
import resource
import subprocess
import sys

MB = 1 << 20
first, _, last = sys.argv[1].partition("..")
words = sys.argv[2:]
if words[0] == "not":
    words = words[1:]


def run(size, **more):
    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (size, size))

    return subprocess.run(words, preexec_fn=limit, **more).returncode


if not last:
    sys.exit(0 if run(int(first) * MB) == 1 else 1)
statuses, messages = set(), set()
for i in range(40):
    size = int(float(first) * MB + (float(last) - float(first)) * MB * i / 40)
    with open("messages", "w+b") as file:
        statuses.add(run(size, stdout=file, stderr=file))
        file.seek(0)
        messages.update(line for line in file.read().decode(errors="replace").splitlines())
print("statuses:", *sorted(statuses))
print("messages:", *sorted(messages), sep="\n")
