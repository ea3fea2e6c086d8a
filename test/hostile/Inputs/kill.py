# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""kill.py LINKER INPUT DIRECTORY [COUNT]: kills links at random times.

Half of them with a signal that can be handled. The output must be the old file or the complete
new one; only SIGKILL may leave a temporary, whose name OutputFile.cpp documents.
"""

import os
import random
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

OLD = b"old contents"
linker, source, directory = sys.argv[1:4]
folder = Path(directory)
folder.mkdir(parents=True, exist_ok=True)
os.chdir(folder)
Path("in.cubin").write_bytes(Path(source).read_bytes())
# Less urgent than this script, which must be there in time.
COMMAND = ["nice", "-n", "19", linker, "-arch=sm_90", "-g", "-o", "out", "--register-link-binaries",
           "reg", "in.cubin"]


def link():
    return subprocess.Popen(COMMAND, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                            stderr=subprocess.DEVNULL)


durations = []
for _ in range(9):
    start = time.monotonic()
    assert link().wait() == 0
    durations.append(time.monotonic() - start)
duration = sorted(durations)[4]
NEW = Path("out").read_bytes()
REGISTER = Path("reg").read_bytes()
assert NEW != OLD

choose = random.Random(1)
counts = {"old": 0, "new": 0, "partial": 0, "ended before": 0}
for i in range(int(sys.argv[4]) if len(sys.argv) > 4 else 200):
    exists = i % 2 == 0
    for name in os.listdir():
        if name != "in.cubin":
            os.unlink(name)
    if exists:
        Path("out").write_bytes(OLD)
        Path("reg").write_bytes(OLD)
    number = choose.choice([signal.SIGKILL, signal.SIGKILL, signal.SIGKILL, signal.SIGTERM,
                            signal.SIGINT, signal.SIGHUP])
    process = link()
    time.sleep(choose.random() * duration * 1.2)
    if process.poll() is not None:
        counts["ended before"] += 1
    process.send_signal(number)
    process.wait()
    left = set(os.listdir()) - {"in.cubin", "out", "reg"}
    documented = {n for n in left if re.fullmatch(r"(out|reg)\.tmp[0-9a-f]+", n)}
    if left - documented or (documented and number != signal.SIGKILL):
        print("left behind:", *left, "signal", number)
    for name, new in (("out", NEW), ("reg", REGISTER)):
        got = Path(name).read_bytes() if Path(name).exists() else OLD if not exists else None
        kind = "old" if got == OLD else "new" if got == new else "partial"
        counts[kind] += name == "out" or kind == "partial"
print(f"{counts['old']} old, {counts['new']} new, {counts['partial']} partial;"
      f" {counts['ended before']} had ended")
