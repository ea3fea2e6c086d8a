# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""change.py CUBIN SECTION: changes the first byte of the first section whose name begins so."""

import struct
import sys

path, wanted = sys.argv[1:]
data = bytearray(open(path, "rb").read())
table, = struct.unpack_from("<Q", data, 40)
size, count, names = struct.unpack_from("<HHH", data, 58)
sections = [struct.unpack_from("<IIQQQQIIQQ", data, table + i * size) for i in range(count)]
for section in sections:
    begin = sections[names][4] + section[0]
    if data[begin:data.index(0, begin)].decode().startswith(wanted):
        data[section[4]] ^= 1
        break
else:
    sys.exit(f"{path}: no section {wanted}")
open(path, "wb").write(data)
