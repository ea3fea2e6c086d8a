# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""retag.py FROM TO SECTION OLD NEW: copies a cubin with bytes of a section replaced.

OLD and NEW are hexadecimal and of one length; OLD must be there once.
"""

import struct
import sys

source, target, wanted, old, new = sys.argv[1:]
data = bytearray(open(source, "rb").read())
table, count = struct.unpack_from("<Q", data, 0x28)[0], struct.unpack_from("<H", data, 0x3C)[0]
headers = [struct.unpack_from("<IIQQQQIIQQ", data, table + 64 * i) for i in range(count)]
names = headers[struct.unpack_from("<H", data, 0x3E)[0]][4]
for name, _, _, _, offset, size, *_ in headers:
    end = data.index(0, names + name)
    if data[names + name:end].decode() == wanted:
        contents = data[offset:offset + size]
        old, new = bytes.fromhex(old), bytes.fromhex(new)
        assert len(old) == len(new) and contents.count(old) == 1, contents.hex()
        data[offset:offset + size] = contents.replace(old, new)
open(target, "wb").write(data)
