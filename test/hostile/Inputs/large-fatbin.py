# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""large-fatbin.py OUT [CUBIN]: a fatbin of 100 KB whose entry for sm_90 is 96 MB of zeros, behind the header of a cubin."""

import struct
import sys
import zlib

size = 96 << 20
begin = open(sys.argv[2], "rb").read(64) if len(sys.argv) > 2 else b""
payload = zlib.compress(begin + bytes(size - len(begin)), 9)
payload += bytes(-len(payload) % 8)
ELF, ZLIB_64BIT = 2, 0x1001
header = struct.pack("<HHIQIIHHIIIQQQ", ELF, 0x101, 64, len(payload), len(payload), 0, 8, 1,
                     90, 0, 0, ZLIB_64BIT, 0, size)
with open(sys.argv[1], "wb") as file:
    file.write(struct.pack("<IHHQ", 0xba55ed50, 1, 16, len(header) + len(payload)))
    file.write(header + payload)
