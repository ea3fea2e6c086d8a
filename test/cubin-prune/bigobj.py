# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes the COFF object that cl.exe /bigobj would make of another one: numbers of sections have 32 bits.

    bigobj.py IN OUT
"""

import struct
import sys

CLASS_ID = bytes.fromhex("c7a1bad1eebaa94baf20faf66aa4dcb8")
data = open(sys.argv[1], "rb").read()
machine, count, time, table, symbols, optional, flags = struct.unpack_from("<HHIIIHH", data)
assert optional == 0
moved = 56 - 20
out = bytearray(struct.pack("<HHHHI16sIIIIIII", 0, 0xFFFF, 2, machine, time, CLASS_ID, 0, 0, 0, 0, count,
                            table + moved, symbols))
out += data[20:table]
for i in range(count):
    for field in (20, 24, 28):
        at = 56 + 40 * i + field
        old, = struct.unpack_from("<I", out, at)
        struct.pack_into("<I", out, at, old + moved if old else 0)
i = 0
while i < symbols:
    name, value, section, kind, storage, more = struct.unpack_from("<8sIhHBB", data, table + 18 * i)
    out += struct.pack("<8sIiHBB", name, value, section, kind, storage, more)
    for j in range(i + 1, i + 1 + more):
        out += data[table + 18 * j:table + 18 * (j + 1)] + b"\0\0"
    i += 1 + more
out += data[table + 18 * symbols:]
open(sys.argv[2], "wb").write(out)
