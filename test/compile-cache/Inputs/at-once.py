# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Links by several processes and two releases that have one cache, some of them killed: at-once.py LINKER KILLS"""
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

LINKER, KILLS = sys.argv[1], int(sys.argv[2])
PROCESSES = 8
CACHE = Path("cache")

# Another release: the same program with another version in it.
program = Path(os.path.realpath(LINKER)).read_bytes()
version = re.search(rb"lld-cuda (\d+\.\d+\.\d+)", subprocess.run([LINKER, "--version"], capture_output=True, check=True).stdout)[1]
other = bytes(c ^ 1 if chr(c).isdigit() else c for c in version)
assert program.count(version)
for name, content in (("this", program), ("that", program.replace(version, other))):
    Path(name).mkdir()
    Path(name, "ld.cuda").write_bytes(content)
    Path(name, "ld.cuda").chmod(0o755)
assert other in subprocess.run(["that/ld.cuda", "--version"], capture_output=True, check=True).stdout
LINKERS = ["this/ld.cuda", "that/ld.cuda"]
EXPECTED = {}  # Notes tell the release.
for linker in LINKERS:
    for name in ("one", "two"):
        subprocess.run([linker, "-arch=sm_90", f"{name}.cubin", "-o", "expected"], check=True)
        EXPECTED[linker, name] = Path("expected").read_bytes()


def start(number, linker, name):
    out = f"out{number}"
    return subprocess.Popen([linker, "-arch=sm_90", "--ptxas-path=./ptxas", f"{name}.ptx", "-o", out, f"--cache-dir={CACHE}",
                             "--cache-policy=prune_interval=0s:cache_size_bytes=20k"],
                            env={**os.environ, "STARTS": f"starts{number}"}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


lock = threading.Lock()
left, links, wrong = KILLS, 0, []


def work(number):
    global left, links
    r = random.Random(number)
    while True:
        with lock:
            if left <= 0:
                return
            kills = r.random() < 0.5
            left -= kills
        linker, name = r.choice(list(EXPECTED))
        if r.random() < 0.3:  # Not to find everything there.
            shutil.rmtree(CACHE, ignore_errors=True)
        process = start(number, linker, name)
        if kills:
            time.sleep(r.uniform(0, 0.05))
            process.send_signal(signal.SIGKILL)
            process.wait()
            continue
        said = process.communicate(timeout=120)[0]
        with lock:
            links += 1
            # Somebody may have removed the folder meanwhile.
            if process.returncode or said or Path(f"out{number}").read_bytes() != EXPECTED[linker, name]:
                wrong.append((linker, name, said))


threads = [threading.Thread(target=work, args=(i,)) for i in range(PROCESSES)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
for (linker, name), expected in EXPECTED.items():
    process = start("last", linker, name)
    said = process.communicate()[0]
    if process.returncode or said or Path("outlast").read_bytes() != expected:
        wrong.append((linker, name, said))

shutil.rmtree(CACHE, ignore_errors=True)
for linker in LINKERS * 2:
    Path("startsnew").unlink(missing_ok=True)
    start("new", linker, "one").communicate()
own = len(list(CACHE.glob("llvmcache-*"))) == 2
print(*wrong, sep="\n")
okay = own and not wrong
print(f"{KILLS} kills, {links} links, {len(wrong)} wrong; each release has {'' if own else 'NO '}entries of its own")
sys.exit(not okay)
