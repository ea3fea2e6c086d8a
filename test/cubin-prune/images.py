# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that files have the same images, however they are compressed. Zeros
that fill up the last word of an image don't count.

Usage: images.py FILE OTHER...

Fatbins are read here, not by a tool of the project; zstd and LZ4 streams by
cubin-dump, whose dump of all entries has to be the same but for what is about
their compression.
"""

import re
import struct
import subprocess
import sys


def entries(path):
    """Kind, architecture and flags of all entries, without compression."""
    data = open(path, "rb").read()
    start = data.index(struct.pack("<IHH", 0xBA55ED50, 1, 16))
    end = start + 16 + struct.unpack_from("<Q", data, start + 8)[0]
    at, found = start + 16, []
    while at < end:
        kind, _, header, payload = struct.unpack_from("<HHIQ", data, at)
        number, = struct.unpack_from("<I", data, at + 0x1C)
        flags, = struct.unpack_from("<Q", data, at + 0x28)
        found.append((kind, number, flags & ~0xF000, bytes(data[at + 0x40:at + header])))
        at += header + payload
    return found


def dump(path):
    text = subprocess.run(["cubin-dump", path], capture_output=True, text=True, check=True).stdout
    text = re.sub(r"\S*%s" % re.escape(path), "FILE", text)
    return re.sub(r"^entry: .*", lambda m: re.sub(r" (stored_size|size|flags|offset)=\S+", "", m[0]), text, flags=re.M)


first = sys.argv[1]
for path in sys.argv[2:]:
    assert entries(path) == entries(first), path
    before, after = dump(first).splitlines(), dump(path).splitlines()
    assert len(before) == len(after), path
    for a, b in zip(before, after):
        assert a == b, (path, a, b)
print(len(sys.argv) - 2, "files have the images of", first)
