# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""terminal.py COMMAND...: runs it at a terminal, and prints all that shows.

The exit status is the command's. What it reads from the terminal is empty."""

import os
import pty
import sys

child, terminal = pty.fork()
if child == 0:
    os.execvp(sys.argv[1], sys.argv[1:])
os.write(terminal, b"\x04")  # Ctrl-D: the end of its input.
shown = bytearray()
while True:
    try:
        data = os.read(terminal, 4096)
    except OSError:  # Linux tells so that nobody has the terminal open any more.
        break
    if not data:
        break
    shown.extend(data)
_, status = os.waitpid(child, 0)
print(shown.decode(errors="replace"))
sys.exit(os.waitstatus_to_exitcode(status))
