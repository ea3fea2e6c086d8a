# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""patch.py CUBIN OUT CODE=NUMBER | .SECTION=SIZE: another last word in all records of that code of .nv.info, or another size
of all sections whose names begin so (which have no bytes)."""

import struct
import sys

data = bytearray(open(sys.argv[1], "rb").read())
what, _, number = sys.argv[3].partition("=")
number = int(number, 0)
table, = struct.unpack_from("<Q", data, 40)
entry, count, names = struct.unpack_from("<HHH", data, 58)
strings, = struct.unpack_from("<Q", data, table + entry * names + 24)
changed = 0
for i in range(count):
    name, kind = struct.unpack_from("<II", data, table + entry * i)
    offset, size = struct.unpack_from("<QQ", data, table + entry * i + 24)
    if what.startswith("."):
        if data[strings + name:].startswith(what.encode()):
            struct.pack_into("<Q", data, table + entry * i + 32, number)
            changed += 1
        continue
    at = offset
    while kind == 0x70000000 and at < offset + size:  # .nv.info
        form, code, value = struct.unpack_from("<BBH", data, at)
        if form == 4 and code == int(what, 0):
            struct.pack_into("<I", data, at + value, number)
            changed += 1
        at += 4 + (value if form == 4 else 0)
open(sys.argv[2], "wb").write(data)
if not changed:
    sys.exit("nothing to change")
