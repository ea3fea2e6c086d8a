# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""damage.py FILE OUT code|ptx: breaks the file's cubin, or its compressed PTX."""

import sys

data = bytearray(open(sys.argv[1], "rb").read())
if sys.argv[3] == "code":
    at = data.index(b"\x7fELF", 64)
    data[at + 40:at + 48] = b"\xff" * 8  # Where its section headers are.
else:
    at = data.rindex(b"\x78\x01")  # zlib's header.
    data[at + 2:at + 12] = b"\xff" * 10
open(sys.argv[2], "wb").write(data)
