# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""terminal.py COMMAND...: runs it at a terminal, and prints what that shows."""

import os
import pty
import sys

shown = bytearray()


def read(fd):
    data = os.read(fd, 4096)
    shown.extend(data)
    return b""


status = pty.spawn(sys.argv[1:], read, lambda fd: b"")
print(shown.decode(errors="replace"))
sys.exit(os.waitstatus_to_exitcode(status))
