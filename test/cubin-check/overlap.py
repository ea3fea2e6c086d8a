# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes libraries of a few MB whose names, sections or entries are the same bytes many times."""

import struct

import make


def write(path, fill):
    elf = make.Elf(3, 62)
    fill(elf)
    elf.write(path)


def dynamic(tag, count, length):
    def fill(elf):
        strings = b"\0" + b"a" * length + b"\0"
        place = elf.add(b".dynstr", 3, strings)
        entries = [(5, place), (10, len(strings))] + [(tag, 1)] * count + [(0, 0)]
        elf.add(b".dynamic", 6, b"".join(struct.pack("<QQ", *entry) for entry in entries), entry=16)

    return fill


def symbols(elf):
    """Each name is the rest of one long string."""
    strings = b"\0" + b"a" * 500000 + b"__device_stub__Z1k\0"
    elf.add(b".strtab", 3, strings, flags=0)
    table = bytes(24) + b"".join(struct.pack("<IBBHQQ", 1 + i, 0x12, 0, 0xFFF1, 0, 0) for i in range(100000))
    elf.add(b".symtab", 2, table, flags=0, link=len(elf.sections), entry=24)


def wrappers(elf):
    """Many sections at one place."""
    elf.add(b".nvFatBinSegment", 1, struct.pack("<IIQQ", 0x466243B1, 1, 0, 0) * 50000)
    elf.sections += [elf.sections[-1]] * 3000


write("symbols.so", symbols)
write("wrappers.so", wrappers)
write("needed.so", dynamic(1, 4000, 1000000))
write("runpath.so", dynamic(29, 20000, 500000))
