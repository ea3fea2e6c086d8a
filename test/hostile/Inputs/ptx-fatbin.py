# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ptx-fatbin.py OUT SM OPTIONS [KIND [VERSION]]: a fatbin with PTX and the text of the options it was compiled with.

KIND 8: it says that it is LTO IR, of version 1.VERSION, by default that of CUDA 13.0."""

import struct
import sys

PTX = b""".version 8.0
.target sm_75
.address_size 64
.visible .entry kernel() { ret; }
\0"""
HEADER, KIND_PTX, FLAGS_64BIT = 64, 1, 0x1
kind = int(sys.argv[4]) if len(sys.argv) > 4 else KIND_PTX
version = (0, 8) if kind == KIND_PTX else (int(sys.argv[5]) if len(sys.argv) > 5 else 65, 1)
path, sm, options = sys.argv[1], int(sys.argv[2]), sys.argv[3].encode()
text = options + b"\0"
text += bytes(-len(text) % 8)
header_size = HEADER + 8 + len(text)
payload = PTX + bytes(-len(PTX) % 8)
entry = struct.pack("<HHIQIIHHIIIQQQ", kind, 0x101, header_size, len(payload), 0, HEADER, *version,
                    sm, 0, 0, FLAGS_64BIT, 0, 0)
entry += struct.pack("<II", HEADER + 8, len(options)) + text + payload
with open(path, "wb") as file:
    file.write(struct.pack("<IHHQ", 0xBA55ED50, 1, 16, len(entry)) + entry)
