# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""patch.py FROM TO OFFSET=VALUE...: copies a file with some bytes changed."""

import sys

data = bytearray(open(sys.argv[1], "rb").read())
for change in sys.argv[3:]:
    offset, value = (int(word, 0) for word in change.split("="))
    data[offset] = value
open(sys.argv[2], "wb").write(data)
