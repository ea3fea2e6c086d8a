# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""large-cubin.py IN OUT: a cubin with an initialized variable of 8 MB in addition."""

import sys
from pathlib import Path

from cubin import Cubin

SIZE = 8 << 20
cubin = Cubin(sys.argv[1])
section = cubin[".nv.global.init"]
section.data += bytes(-len(section.data) % 16)
name = cubin.string(b"large", cubin[".strtab"])
cubin.add_symbol(name, 0x11, cubin.index(".nv.global.init"), len(section.data), SIZE)
section.data += b"large..." * (SIZE // 8)
Path(sys.argv[2]).write_bytes(cubin.write())
