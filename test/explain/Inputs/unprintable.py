#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Names with characters that would do something where they are shown.

    unprintable.py make CORPUS     two cubins, "k ESC [2J.cubin" and f.cubin: a function whose name sets a terminal's
                                   title, and a kernel with a line feed in its name
    unprintable.py run PROGRAM...  runs it with the first cubin's name in place of the word K, and the function's of TITLE
    unprintable.py check FILE...   each file tells of these names, and has no control character but the ends of its lines
"""

import os
import sys
from pathlib import Path

NAME, TITLE, KERNEL = "k\x1b[2J.cubin", b"\x1b]0;\x07", b"f\nld:"


def make(corpus):
    kernel = Path(corpus, "calls/calls-kernel.sm_90.cubin").read_bytes()
    function = Path(corpus, "calls/calls-function.sm_90.cubin").read_bytes()
    # As long as the names that they replace.
    Path(NAME).write_bytes(kernel.replace(b"first", KERNEL).replace(b"scale", TITLE))
    Path("f.cubin").write_bytes(function.replace(b"scale", TITLE))


def check(path):
    text = Path(path).read_bytes()
    harmful = sorted({c for c in text if c < 0x20 and c not in b"\n\t" or c == 0x7F})
    begun = [line for line in text.splitlines() if line.startswith(b"ld:")]
    shows = b"\\1B[2J" in text or b"\\1B]0;\\07" in text or b"f\\0Ald:" in text
    if harmful or begun or not shows:
        sys.exit(f"{path}: {harmful}, {begun}, {'escaped' if shows else 'no escaped name'}")


if sys.argv[1] == "make":
    make(sys.argv[2])
elif sys.argv[1] == "run":
    words = [{"K": NAME, "K/x": NAME + "/x"}.get(word, word).replace("=TITLE", "=" + TITLE.decode()) for word in sys.argv[2:]]
    os.execvp(words[0], words)
else:
    for file in sys.argv[2:]:
        check(file)
