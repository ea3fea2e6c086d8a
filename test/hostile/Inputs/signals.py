# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""signals.py LINKER INPUTS FOLDER: ends links whose compilers hang, and tells what is left of them."""

import os
import shutil
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

linker, inputs, folder = Path(sys.argv[1]), Path(sys.argv[2]), Path(sys.argv[3])
LIMIT = 30  # seconds; everything here takes far less
# As ptxas, that of a wrapper script, or lld-cuda-lto: its process and one that it has started.
COMPILER = """#!{python}
import os, shutil, subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
pids = open("{folder}/pids.tmp" + str(os.getpid()), "w")
pids.write(f"{{os.getpid()}} {{child.pid}}")
pids.close()
os.rename(pids.name, "{folder}/pids" + str(os.getpid()))
open("{folder}/more", "w").close()
for _ in range(6000):
    if os.path.exists("{folder}/go"):
        child.kill()
        child.wait()
        shutil.copy("{cubin}", sys.argv[sys.argv.index("-o") + 1])
        break
    time.sleep(0.1)
"""


def alive(pid):
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state not in "ZX"


def wait_for(what):
    end = time.monotonic() + LIMIT
    while not what():
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True


def run(title, number, words=(), ignore=None, helper=False):
    shutil.rmtree(folder, ignore_errors=True)
    temporary = folder / "tmp"
    temporary.mkdir(parents=True)
    binaries = folder / "bin"
    binaries.mkdir()
    shutil.copy(linker, binaries / "ld.cuda")
    name = binaries / ("lld-cuda-lto" if helper else "ptxas")
    cubin = inputs.parent.parent / "corpus/Inputs/calls/alias.sm_90.cubin"
    name.write_text(COMPILER.format(python=sys.executable, folder=folder, cubin=cubin))
    name.chmod(0o755)
    files = []
    for i in range(1 if helper else 3):
        path = folder / f"in{i}.{'bc' if helper else 'fatbin'}"
        if helper:
            path.write_bytes(b"BC\xc0\xde" + bytes(100))
        else:
            subprocess.run([sys.executable, inputs / "ptx-fatbin.py", path, "90", "-c"], check=True)
        files.append(path)

    def prepare():
        os.umask(0o002)
        for each in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP, signal.SIGTERM):
            signal.signal(each, signal.SIG_IGN if each == ignore else signal.SIG_DFL)

    process = subprocess.Popen(
        [binaries / "ld.cuda", "-arch=sm_90", *words, *files[: 1 if ignore else None], "-o", folder / "out"],
        env={**os.environ, "TMPDIR": str(temporary)}, preexec_fn=prepare,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    if not wait_for(lambda: list(folder.glob("pids*[0-9]"))):
        process.kill()
        return print(f"{title}: the compiler wasn't started")
    mode = {stat.S_IMODE(d.stat().st_mode) for d in temporary.iterdir()}
    process.send_signal(number)
    if ignore:
        time.sleep(0.1)
        (folder / "go").touch()
    try:
        status = process.wait(LIMIT)
    except subprocess.TimeoutExpired:
        process.kill()
        return print(f"{title}: the linker doesn't end")
    ending = f"ended by {signal.Signals(-status).name}" if status < 0 else f"status {status}"
    pids = [int(p) for f in folder.glob("pids*[0-9]") for p in f.read_text().split()]
    # After kill -9 only the program itself is sure to end.
    if number == signal.SIGKILL:
        pids, others = pids[0::2], pids[1::2]
    wait_for(lambda: not any(map(alive, pids)))
    left = []
    if any(map(alive, pids)):
        left.append("programs")
    if list(temporary.iterdir()):
        left.append("directories")
    if number == signal.SIGKILL:
        for pid in filter(alive, others):
            os.kill(pid, signal.SIGKILL)
    what = f"{' and '.join(left)} stay" if left else "nothing left"
    print(f"{title}: {ending}, mode {','.join(f'{m:04o}' for m in sorted(mode))}, {what}")
    for pid in filter(alive, pids):
        os.kill(pid, signal.SIGKILL)


run("TERM", signal.SIGTERM)
run("TERM -g", signal.SIGTERM, ["-g"])
run("HUP", signal.SIGHUP)
run("INT", signal.SIGINT)
run("QUIT", signal.SIGQUIT)
run("ALRM", signal.SIGALRM)
run("USR1", signal.SIGUSR1)
run("HUP ignored", signal.SIGHUP, ignore=signal.SIGHUP)
run("TERM, helper", signal.SIGTERM, helper=True)
run("KILL", signal.SIGKILL)
