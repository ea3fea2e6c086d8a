# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes a cache of the loader: cache.py FILE [NAME PATH]..."""

import struct
import sys

path, *words = sys.argv[1:]
strings, entries = b"", []
start = 48 + 24 * (len(words) // 2)
for name, library in zip(words[::2], words[1::2]):
    entries.append(struct.pack("<iIIIQ", 0x0303, start + len(strings), start + len(strings) + len(name) + 1, 0, 0))
    strings += name.encode() + b"\0" + library.encode() + b"\0"
with open(path, "wb") as file:
    file.write(b"glibc-ld.so.cache1.1" + struct.pack("<II", len(entries), len(strings)) + bytes(20) + b"".join(entries) + strings)
