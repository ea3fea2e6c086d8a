# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""limits.py BIN INPUTS FOLDER: programs that take too long, or too much memory, and what is left of them.

BIN has the programs, INPUTS cubins. Each program reads options, or what it is given, from a pipe into which nobody writes; the
linker starts a compiler that doesn't end. Then each reads a fatbin that is much larger when it is decompressed.
"""

import os
import shutil
import subprocess
import sys
import tarfile
import time
from pathlib import Path

bin_folder, inputs, folder = (Path(word).resolve() for word in sys.argv[1:])
here = Path(__file__).parent
LIMIT = 60  # seconds; everything here takes far less
CUBIN = inputs / "calls/alias.sm_90.cubin"


def run(title, words, **environment):
    """Runs it in the folder and tells its status, whether the last message names the option, and what has changed."""
    before = sorted(os.listdir(folder))
    pipe = os.open(folder / "pipe", os.O_RDWR)  # It never ends.
    begin = time.monotonic()
    try:
        done = subprocess.run([str(word) for word in words], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, timeout=LIMIT, env={**os.environ, "TMPDIR": str(folder), **environment},
                              errors="replace")
    except subprocess.TimeoutExpired:
        print(f"{title}: doesn't end")
        return
    finally:
        os.close(pipe)
    told = [option for option in ("--time-limit=1 (seconds)", "--memory-limit=2 (MiB)", "--memory-limit")
            if option in done.stderr + done.stdout]
    left = sorted(set(os.listdir(folder)) ^ set(before))
    late = "" if time.monotonic() - begin < LIMIT / 2 else ", late"
    print(f"{title}: status {done.returncode}, {told[0] if told else done.stderr.strip()!r}{late}"
          + (f", changed: {left}" if left else "") + ("" if (folder / "out").read_text() == "kept" else ", output changed"))


shutil.rmtree(folder, ignore_errors=True)
folder.mkdir()
os.mkfifo(folder / "pipe")
(folder / "out").write_text("kept")
compilers = folder / "bin"
compilers.mkdir()
for name in ("ptxas", "lld-cuda-lto"):
    (compilers / name).write_text("#!/bin/sh\nexec sleep 600\n")
    (compilers / name).chmod(0o755)
for name in ("nvlink", "ld.cuda"):
    shutil.copy(bin_folder / "lld-cuda", compilers / name)
subprocess.run([sys.executable, here / "ptx-fatbin.py", folder / "ptx.fatbin", "90", "-c"], check=True)
subprocess.run([sys.executable, here / "large-fatbin.py", folder / "large.fatbin", CUBIN], check=True)
link = ["-arch=sm_90", "-o", "out"]
time_limit, memory_limit = "--time-limit=1", "--memory-limit=2"

for name, words in {
    "cubin-dump": ["@pipe"], "cubin-diff": ["@pipe", CUBIN], "cubin-size": ["@pipe"], "cubin-check": ["@pipe"],
    "cubin-prune": ["--keep=sm_90", "@pipe", "-o", "out"],
    "nvlink": [*link, CUBIN, "--options-file=pipe"], "ld.cuda": [*link, CUBIN, "@pipe"],
    "lld-cuda": ["-arch=sm_90", CUBIN, "--host-object=out", "@pipe"], "fatbinary": ["--options-file=pipe", "--create=out"],
}.items():
    run(f"{name}, pipe", [bin_folder / name, time_limit, *words])
for name in ("nvlink", "ld.cuda"):
    run(f"{name}, compiler", [compilers / name, *link, time_limit, "ptx.fatbin"])
    # Of a file of options it counts from there on.
    (folder / "options").write_text(f"{time_limit}\n")
    run(f"{name}, option in a file", [compilers / name, *link, "ptx.fatbin",
                                      "--options-file=options" if name == "nvlink" else "@options"])
for name, words in {
    "cubin-dump": ["large.fatbin"], "cubin-dump --yaml": ["--yaml", "large.fatbin"],
    "cubin-size": ["large.fatbin"], "cubin-check": ["large.fatbin"], "cubin-prune": ["--strip-debug", "large.fatbin", "-o", "out"],
    "nvlink": [*link, "large.fatbin"], "ld.cuda": [*link, "large.fatbin"],
    "lld-cuda": ["-arch=sm_90", "large.fatbin", "--host-object=out"],
}.items():
    run(f"{name}, decompressing", [bin_folder / name.split()[0], memory_limit, *words, *name.split()[1:]])

# Not what is decompressed, but what is made of the file: more than the limit and what the programs have for themselves.
plain = bytearray(CUBIN.read_bytes())
(folder / "long.cubin").write_bytes(plain + bytes(160 << 20))
(folder / "image").write_bytes(plain)
run("nvlink, inputs", [bin_folder / "nvlink", memory_limit, *link, "long.cubin"])
run("fatbinary, inputs", [bin_folder / "fatbinary", memory_limit, "--create=out", "--image3=kind=elf,sm=90,file=long.cubin"])
os.truncate(folder / "long.cubin", 0)

subprocess.run([bin_folder / "ld.cuda", "-arch=sm_90", CUBIN, "-o", folder / "x", f"--reproduce={folder / 'x.tar'}"], check=True)
(folder / "sleeper").write_text("#!/bin/sh\nexec sleep 600\n")
(folder / "sleeper").chmod(0o755)
run("reproducer, link", [bin_folder / "reproducer", "replay", "x.tar", time_limit, "--linker", folder / "sleeper"])
name = tarfile.open(folder / "x.tar").getnames()[0].split("/")[0]
with tarfile.open(folder / "x.tar", "a") as tar:
    member = tarfile.TarInfo(f"{name}/more.cubin")
    member.size = 200 << 20
    with open(folder / "long.cubin", "r+b") as file:
        file.truncate(member.size)
        tar.addfile(member, file)
run("reproducer, tar", [bin_folder / "reproducer", "replay", "x.tar", memory_limit])
shutil.rmtree(folder)
