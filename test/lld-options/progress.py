#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a link whose standard error is a terminal and prints what arrives there.

  progress.py [--late=FILE=SECONDS] [--signal=SECONDS] COMMAND...

--late    makes FILE a pipe that has its contents only after so long
--signal  ends the link after so long

Prints the bytes on the terminal as Python writes them, one write a line, what
a terminal shows in the end, and the exit status.
"""

import os
import pty
import re
import signal
import subprocess
import sys
import threading
import time


def feed(pipe, contents, seconds):
    time.sleep(seconds)
    with open(pipe, "wb") as file:
        file.write(contents)


def main():
    late, interrupt = None, None
    words = sys.argv[1:]
    while words[0].startswith("--"):
        name, _, value = words.pop(0).partition("=")
        if name == "--late":
            late = value.rpartition("=")[::2]
        else:
            interrupt = float(value)
    if late:
        with open(late[0], "rb") as file:
            contents = file.read()
        os.unlink(late[0])
        os.mkfifo(late[0])
        threading.Thread(target=feed, args=(late[0], contents, float(late[1])), daemon=True).start()
    leader, follower = pty.openpty()
    link = subprocess.Popen(words, stdin=subprocess.DEVNULL, stderr=follower)
    os.close(follower)
    if interrupt:
        threading.Timer(interrupt, link.send_signal, [signal.SIGTERM]).start()
    text = b""
    while True:
        try:
            part = os.read(leader, 4096)
        except OSError:
            break
        if not part:
            break
        print("terminal:", part)
        text += part
    # A carriage return and "erase to the end of the line" take back what the line has.
    text = text.replace(b"\r\n", b"\n")
    shown = [re.split(rb"\r(?:\x1b\[K)?", line)[-1].replace(b"\x1b[K", b"") for line in text.split(b"\n")]
    print("in the end:", b"\n".join(shown))
    print("status:", link.wait())


if __name__ == "__main__":
    main()
