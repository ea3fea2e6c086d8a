# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes a fatbin of 100 KB whose entry for sm_90 is 96 MB of zeros."""

import struct
import sys
import zlib

size = 96 << 20
payload = zlib.compress(bytes(size), 9)
payload += bytes(-len(payload) % 8)
ELF, ZLIB_64BIT = 2, 0x1001
header = struct.pack("<HHIQIIHHIIIQQQ", ELF, 0x101, 64, len(payload), len(payload), 0, 8, 1,
                     90, 0, 0, ZLIB_64BIT, 0, size)
with open(sys.argv[1], "wb") as file:
    file.write(struct.pack("<IHHQ", 0xba55ed50, 1, 16, len(header) + len(payload)))
    file.write(header + payload)
