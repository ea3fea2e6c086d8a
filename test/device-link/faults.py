# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Device links that fail or are killed must leave no output, or the old one.

    faults.py arch|disk|kill LD INPUT... [--work=DIR]

arch: one of several architectures has no code. disk: no space for the output
(run in a mount namespace of its own). kill: kill -9 at random times.
Each prints what it found.
"""

import os
import random
import subprocess
import sys
import time
from pathlib import Path

OLD = b"old"


def outputs(folder):
    return sorted((path.name, "old" if path.read_bytes() == OLD else "new") for path in folder.iterdir())


def link(ld, inputs, folder, *options, **more):
    command = [ld, *inputs, *options, f"--host-object={folder}/object.o", f"--fatbin={folder}/image.fatbin"]
    return subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, **more)


def put_old(folder):
    for name in ("object.o", "image.fatbin"):
        (folder / name).write_bytes(OLD)


def arch(ld, inputs, work):
    for old in (False, True):
        if old:
            put_old(work)
        done = link(ld, inputs, work, "-arch=sm_80", "-arch=sm_90", "-arch=sm_75")
        print(f"status {done.returncode}: {outputs(work)}\n{done.stdout}")


def disk(ld, inputs, work):
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=8k", "tmpfs", work], check=True)
    for old in (False, True):
        if old:
            put_old(work)
        done = link(ld, inputs, work, "-arch=sm_80", "-arch=sm_90")
        print(f"status {done.returncode}: {outputs(work)}\n{done.stdout}")


def kill(ld, inputs, work):
    start = time.perf_counter()
    reference = work / "reference"
    reference.mkdir()
    link(ld, inputs, reference, "-arch=sm_80", "-arch=sm_90", check=True)
    duration = time.perf_counter() - start
    expected = {path.name: path.read_bytes() for path in reference.iterdir()}
    counts = {}
    random.seed(1)
    for n in range(60):
        folder = work / str(n)
        folder.mkdir()
        put_old(folder)
        child = subprocess.Popen([ld, *inputs, "-arch=sm_80", "-arch=sm_90", f"--host-object={folder}/object.o",
                                  f"--fatbin={folder}/image.fatbin"], stdin=subprocess.DEVNULL)
        time.sleep(random.random() * duration * 1.2)
        child.kill()
        child.wait()
        for name, content in expected.items():
            found = (folder / name).read_bytes()
            kind = "old" if found == OLD else "new" if found == content else "partial"
            counts[kind] = counts.get(kind, 0) + 1
    print(", ".join(f"{counts.get(kind, 0)} {kind}" for kind in ("old", "new", "partial")))


def main():
    mode, ld = sys.argv[1:3]
    inputs = [os.path.abspath(word) for word in sys.argv[3:] if not word.startswith("--work=")]
    work = Path(next(word for word in sys.argv if word.startswith("--work="))[7:]).resolve()
    work.mkdir(parents=True)
    {"arch": arch, "disk": disk, "kill": kill}[mode](ld, inputs, work)


if __name__ == "__main__":
    main()
