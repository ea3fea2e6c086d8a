# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""damaged-wheels.py FILE: writes good.whl, packed.whl (the deflated member's beginning is broken) and stored.whl (its end is)."""

import sys
import zipfile


def write(path, method, damage):
    with zipfile.ZipFile(path, "w", method) as wheel:
        wheel.write(sys.argv[1], "a.so")
        member = wheel.infolist()[0]
        begin, end = member.header_offset + 30 + len("a.so"), wheel.fp.tell()
    data = bytearray(open(path, "rb").read())
    damage(data, begin, end)
    open(path, "wb").write(data)


def break_beginning(data, begin, end):
    data[begin:begin + 8] = b"\xff" * 8


def break_end(data, begin, end):
    data[end - 1] ^= 1


write("good.whl", zipfile.ZIP_STORED, lambda *_: None)
write("packed.whl", zipfile.ZIP_DEFLATED, break_beginning)
write("stored.whl", zipfile.ZIP_STORED, break_end)
