# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Damages the one entry of a cache in each way, and links: damage.py LINKER"""
import os
import subprocess
import sys
from pathlib import Path

LINKER = sys.argv[1]
CACHE = Path("cache")
EXPECTED = Path("one.expected").read_bytes()
STAMP = "llvmcache.timestamp"


def link(text="one.ptx"):
    """What the link wrote, how often ptxas was started, and what was said."""
    Path("starts").unlink(missing_ok=True)
    Path("out").unlink(missing_ok=True)
    result = subprocess.run([LINKER, "-arch=sm_90", "--ptxas-path=./ptxas", text, "-o", "out", f"--cache-dir={CACHE}"],
                            env={"STARTS": "starts", "PATH": os.environ["PATH"]}, capture_output=True, text=True, timeout=60,
                            check=False)
    starts = Path("starts").read_text().count("\n") if Path("starts").exists() else 0
    return result.returncode == 0 and Path("out").read_bytes(), starts, result.stderr


def entries():
    return {path for path in CACHE.iterdir() if path.name != STAMP}


link()
[entry] = entries()
sound = entry.read_bytes()
link("two.ptx")
[other] = entries() - {entry}


def replaced(make):
    def damage():
        entry.unlink()
        make()
    return damage


ways = {
    "empty": lambda: entry.write_bytes(b""),
    "longer": lambda: entry.write_bytes(sound + b"x"),
    "another entry's": lambda: entry.write_bytes(other.read_bytes()),
    "a pipe": replaced(lambda: os.mkfifo(entry)),
    "a link to a sound one": replaced(lambda: (Path("sound").write_bytes(sound), entry.symlink_to(Path("sound").resolve()))),
    "a link to nothing": replaced(lambda: entry.symlink_to("nowhere")),
    "others may write": lambda: (entry.write_bytes(sound), entry.chmod(0o602)),
    "unreadable sizes": lambda: entry.write_bytes(sound[:80] + b"\xff" * 32 + sound[112:]),
    "huge": replaced(lambda: (entry.write_bytes(sound), os.truncate(entry, 1 << 40))),
}
for size in [1, 15, 16, 79, 80, 81, 87, 88, 95, 103, len(sound) // 2, len(sound) - 1]:
    ways[f"cut to {size}"] = lambda size=size: entry.write_bytes(sound[:size])
for at in [*range(120), *range(120, len(sound), 97)]:
    ways[f"byte {at}"] = lambda at=at: entry.write_bytes(sound[:at] + bytes([sound[at] ^ 0x40]) + sound[at + 1:])

wrong = []
for name, damage in ways.items():
    damage()
    first, second = link(), link()
    if first != (EXPECTED, 1, "") or second != (EXPECTED, 0, "") or entry.read_bytes() != sound:
        wrong.append(name)
entry.unlink()
entry.mkdir()
output, starts, said = link()
if output != EXPECTED or starts != 1 or "cannot be written: Is a directory" not in said or not entry.is_dir():
    wrong.append("a folder")
# The time stamp is opened for writing by what removes old entries.
(CACHE / STAMP).unlink()
os.mkfifo(CACHE / STAMP)
entry.rmdir()
if link() != (EXPECTED, 1, ""):
    wrong.append("a pipe for the time stamp")
for name in wrong:
    print("wrong:", name)
print(f"{len(ways) + 2} kinds of damage, {len(wrong)} wrong")
