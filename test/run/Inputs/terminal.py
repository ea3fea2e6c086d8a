# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""terminal.py LLD-CUDA: runs commands under lld-cuda --run in a terminal of its own, and says what they had of it."""

import os
import pty
import sys

COMMAND = """
import os, signal, sys
def handle(number, frame):
    os.write(1, b"interrupted")
    os._exit(3)
signal.signal(signal.SIGINT, handle)
print("terminal:", all(map(os.isatty, (0, 1, 2))), flush=True)
print("foreground:", os.tcgetpgrp(0) == os.getpgrp(), flush=True)
print("typed:", input().upper(), flush=True)
signal.pause()
"""

pid, terminal = pty.fork()
if pid == 0:
    os.execv(sys.argv[1], [sys.argv[1], "--run", sys.executable, "-c", COMMAND])
shown = b""


def wait_for(text):
    global shown
    while text not in shown:
        try:
            shown += os.read(terminal, 1000)
        except OSError:  # Everybody has closed it.
            break


wait_for(b"foreground")
os.write(terminal, b"word\n")
wait_for(b"WORD")
os.write(terminal, b"\x03")  # Ctrl-C
wait_for(b"interrupted")
wait_for(b"nothing else")  # until its end
print(shown.decode().replace("\r", ""))
print("status", os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
