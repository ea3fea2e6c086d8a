# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""bsd-archive.py OUT MEMBER NAME: an archive whose member's name stands in front of it; \\0 is a NUL."""

import sys
from pathlib import Path

name = sys.argv[3].replace("\\0", "\0").encode()
name += bytes(-len(name) % 4)
body = name + Path(sys.argv[2]).read_bytes()
body += b"\n" * (len(body) % 2)
header = f"{f'#1/{len(name)}':16}{0:<12}{0:<6}{0:<6}{'644':8}{len(body):<10}`\n"
Path(sys.argv[1]).write_bytes(b"!<arch>\n" + header.encode() + body)
