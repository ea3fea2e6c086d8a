# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""written-meanwhile.py FILE: prunes copies of it in the current folder while somebody else writes them.

strace holds cubin-prune between reading and writing, long enough for another to write.
"""

import os
import subprocess
import sys
import time
from pathlib import Path

original = Path(sys.argv[1]).read_bytes()
file = Path("a.o")
# The new file is about to be written; the old one has been read.
HELD = ["strace", "-f", "-o", "/dev/null", "-e", "trace=ftruncate",
        "-e", "inject=ftruncate:delay_enter=3s:when=1"]


def prune(*words):
    return subprocess.Popen([*words], stderr=subprocess.PIPE, text=True)


def finish(title, process, wanted):
    text = process.communicate()[1].strip()
    state = {original: "as it was", b"other": "as the other wrote it"}.get(file.read_bytes(), "something else")
    if wanted:
        state = "no output" if not os.path.exists(wanted) else "an output"
    print(f"{title}: {process.returncode} {text}; {state}", flush=True)


def write():
    time.sleep(1.5)
    with open(file, "r+b") as out:
        out.truncate()
        out.write(b"other")


def replace():
    time.sleep(1.5)
    Path("new").write_bytes(b"other")
    os.rename("new", file)


COMMAND = ["cubin-prune", "--keep=sm_90", "a.o"]
file.write_bytes(original)
with open(file, "r+b"):
    finish("open to write", prune(*COMMAND, "--in-place"), None)
for title, act in (("written", write), ("replaced", replace)):
    file.write_bytes(original)
    process = prune(*HELD, *COMMAND, "--in-place")
    act()
    finish(title, process, None)
file.write_bytes(original)
process = prune(*HELD, *COMMAND, "-o", "out")
write()
finish("written, another output", process, "out")
