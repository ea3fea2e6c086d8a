# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""full-disk.py disk|quota LINKER SMALL LARGE DIRECTORY: links onto a disk of 1 MB, or
a subvolume of which no more may be used, in a namespace of its own.

SMALL's output fits, LARGE's doesn't.
"""

import os
import subprocess
import sys
from pathlib import Path

kind = sys.argv[1]
linker, small, large, directory = [os.path.abspath(word) for word in sys.argv[2:6]]
os.makedirs(directory, exist_ok=True)
os.chdir(directory)


def link(output, source, *options):
    done = subprocess.run([linker, "-arch=sm_90", "-o", output, source, *options],
                          stderr=subprocess.PIPE, text=True)
    return " ".join([str(done.returncode), *done.stderr.splitlines()])


def show(label, result):
    kind = {None: "absent", b"old": "old"}
    state = {}
    for name in sorted(os.listdir("disk")):
        data = Path("disk", name).read_bytes()
        state[name] = kind.get(data) or ("new" if data[:4] == b"\x7fELF" else f"{len(data)} bytes")
    print(f"{label}: {result} [{', '.join(f'{n} {s}' for n, s in state.items())}]")


def disk(*options):
    subprocess.run(["umount", "disk"], stderr=subprocess.DEVNULL)
    os.makedirs("disk", exist_ok=True)
    subprocess.run(["mount", "-t", "tmpfs", "-o", ",".join(("size=1m",) + options), "tmpfs", "disk"],
                   check=True)


def quota():
    """A subvolume of btrfs: the file system whose quotas need no further support by the kernel."""
    def run(*command):
        subprocess.run(command, check=True, capture_output=True)
    with open("image", "wb") as image:
        image.truncate(128 << 20)
    os.makedirs("file-system", exist_ok=True)
    run("mkfs.btrfs", "--mixed", "-f", "image")
    run("mount", "-o", "loop", "image", "file-system")
    os.unlink("image")
    run("btrfs", "subvolume", "create", "file-system/limited")
    run("btrfs", "quota", "enable", "file-system")
    run("btrfs", "qgroup", "limit", "1M", "file-system/limited")
    os.symlink("file-system/limited", "disk")


disk() if kind == "disk" else quota()
show("absent", link("disk/out", large))
Path("disk/out").write_bytes(b"old")
show("old", link("disk/out", large))
os.link("disk/out", "disk/second")
show("two names", link("disk/out", large))
os.unlink("disk/second")
Path("link").unlink(missing_ok=True)
os.symlink("disk/out", "link")
show("symbolic link", link("link", large))
show("fits", link("link", small))
os.unlink("disk/out")

# Space for the output, none for what comes after it.
out = Path("out")
with open("disk/filler", "wb", buffering=0) as filler:
    try:
        while filler.write(bytes(4096)):
            pass
    except OSError:
        pass
out.unlink(missing_ok=True)
result = link("out", small, "--register-link-binaries", "disk/reg", "--time-trace", "disk/trace")
os.unlink("disk/filler")
show("reports", result)

if kind == "quota":
    # What doesn't fit doesn't for the quota's sake, not the disk's.
    try:
        Path("disk/out").write_bytes(os.urandom(2 << 20))
    except OSError as e:
        print(os.strerror(e.errno))
    sys.exit()

# A directory in which no file can be made, but an old one can be written.
disk("nr_inodes=2")
Path("disk/out").write_bytes(b"old")
show("no inode, too large", link("disk/out", large))
show("no inode", link("disk/out", small))
show("no inode, absent", link("disk/other", small))
