# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The fields of a cubin, by structure: where each is, how wide, and what its number means."""

import struct

# Meanings: what a number is compared with or used as. See values.py.
COUNT, SIZE, OFFSET, SECTION, SYMBOL, KIND, FLAGS, ADDRESS, WORD = (
    "count", "size", "offset", "section", "symbol", "kind", "flags", "address", "word")

HEADER = [(4, 1, KIND), (5, 1, KIND), (7, 1, KIND), (8, 1, KIND), (16, 2, KIND), (18, 2, KIND),
          (20, 4, KIND), (24, 8, ADDRESS), (32, 8, OFFSET), (40, 8, OFFSET), (48, 4, FLAGS),
          (49, 1, KIND), (50, 1, KIND), (51, 1, SECTION), (52, 2, SIZE), (54, 2, SIZE),
          (56, 2, COUNT), (58, 2, SIZE), (60, 2, COUNT), (62, 2, SECTION)]
SECTION_HEADER = [(0, 4, OFFSET), (4, 4, KIND), (8, 8, FLAGS), (16, 8, ADDRESS), (24, 8, OFFSET),
                  (32, 8, SIZE), (40, 4, SECTION), (44, 4, SECTION), (48, 8, SIZE), (56, 8, SIZE)]
PROGRAM_HEADER = [(0, 4, KIND), (4, 4, FLAGS), (8, 8, OFFSET), (16, 8, ADDRESS), (24, 8, ADDRESS),
                  (32, 8, SIZE), (40, 8, SIZE), (48, 8, SIZE)]
SYMBOL_ENTRY = [(0, 4, OFFSET), (4, 1, KIND), (5, 1, FLAGS), (6, 2, SECTION), (8, 8, ADDRESS),
                (16, 8, SIZE)]
REL = [(0, 8, OFFSET), (8, 4, KIND), (12, 4, SYMBOL)]
RELA = REL + [(16, 8, ADDRESS)]
UNIFIED_ENTRY = [(0, 4, SYMBOL), (4, 4, FLAGS), (8, 8, OFFSET), (16, 8, WORD), (24, 8, WORD)]

SYMTAB, STRTAB, RELA_TYPE, NOTE, NOBITS, REL_TYPE, SHNDX = 2, 3, 4, 7, 8, 9, 18
INFO, CALLGRAPH, PROTOTYPE, ACTION = 0x70000000, 0x70000001, 0x70000002, 0x7000000B
CAPMERC, MERC_RELA, MERC_INFO, MERC_SYMTAB, COMPAT = (
    0x70000016, 0x70000082, 0x70000083, 0x70000085, 0x70000086)
UNIFIED = (0x70000011, 0x70000014)


def repeat(entry, size, stride):
    return [(at + offset, width, meaning) for at in range(0, size - stride + 1, stride)
            for offset, width, meaning in entry]


def words(size, meaning=WORD, start=0):
    return [(at, 4, meaning) for at in range(start, size - 3, 4)]


def attributes(data):
    """.nv.info and .nv.compat."""
    found, at = [], 0
    while at + 4 <= len(data):
        found += [(at, 1, KIND), (at + 1, 1, KIND), (at + 2, 2, SIZE)]
        length = struct.unpack_from("<H", data, at + 2)[0] if data[at] == 4 else 0
        for word in range(at + 4, min(at + 4 + length, len(data)) - 3, 4):
            found.append((word, 4, SYMBOL if word == at + 4 else WORD))
        at += 4 + length
    return found


def notes(data):
    found, at = [], 0
    while at + 12 <= len(data):
        name, description, _ = struct.unpack_from("<III", data, at)
        found += [(at, 4, SIZE), (at + 4, 4, SIZE), (at + 8, 4, KIND)]
        at += 12
        found += [(at, 4, WORD), (at + 8, 4, WORD)]
        at += name + -name % 4
        # The first words are numbers, and offsets of strings; the rest is text.
        found += [(at + i, 4, OFFSET) for i in range(0, min(description, 24) - 3, 4)]
        found += [(at + i, 2, KIND) for i in range(0, min(description, 8) - 1, 2)]
        at += description + -description % 4
    return [f for f in found if f[0] + f[1] <= len(data)]


def capmerc(data):
    if len(data) < 12:
        return words(len(data))
    count = struct.unpack_from("<I", data, 8)[0]
    bitmap = 12 + (count + 31) // 32 * 4
    found = [(0, 4, SECTION), (4, 4, KIND), (8, 4, COUNT)] * 3
    found += [(at, 4, FLAGS) for at in range(12, min(bitmap, len(data)) - 3, 4)]
    found += [(at, 1, KIND) for at in range(bitmap, len(data), 4)]
    found += [(at, 2, KIND) for at in range(bitmap, len(data) - 1, 4)]
    return found


def frames(data):
    """.debug_frame, in 64-bit DWARF or not."""
    found, at = [], 0
    while at + 12 <= len(data):
        length, = struct.unpack_from("<I", data, at)
        found.append((at, 4, SIZE))
        head = 4
        if length == 0xFFFFFFFF:
            length, = struct.unpack_from("<Q", data, at + 4)
            found.append((at + 4, 8, SIZE))
            head = 12
        end = min(at + head + length, len(data))
        found.append((at + head, 8, OFFSET))
        found += [(i, 1, KIND) for i in range(at + head + 8, end)]
        found += [(i, 8, ADDRESS) for i in (at + head + 8, at + head + 16) if i + 8 <= end]
        at += head + max(length, 1)
    return [f for f in found if f[0] + f[1] <= len(data)]


def lines(data):
    """.debug_line and its like: headers of units, and the program's bytes."""
    found, at = [], 0
    while at + 15 <= len(data):
        length, = struct.unpack_from("<I", data, at)
        found += [(at, 4, SIZE), (at + 4, 2, KIND), (at + 6, 4, SIZE)]
        end = min(at + 4 + length, len(data))
        found += [(i, 1, KIND) for i in range(at + 10, end)]
        place = data.find(b"\0\x09\x02", at)
        while 0 <= place < end:
            found += [(place + 1, 1, SIZE), (place + 3, 8, ADDRESS)] * 4
            place = data.find(b"\0\x09\x02", place + 1)
        at += 4 + max(length, 1)
    return [f for f in found if f[0] + f[1] <= len(data)]


def registers(data):
    """.nv_debug_info_reg_sass: names and what follows them."""
    found = words(len(data))
    for at, byte in enumerate(data[:-4]):
        if byte == 0:
            found += [(at, 1, WORD), (at + 1, 4, COUNT)]
    return found


def indices(data):
    return words(len(data), SECTION)


def code(data):
    return [(at, 8, WORD) for at in range(0, len(data) - 7, 8)] + words(len(data))


def actions(data):
    return [(at, 8, OFFSET) for at in range(0, len(data) - 7, 8)] + words(len(data))


def bytes_of(data):
    return [(at, 1, KIND) for at in range(len(data))]


def records(entry, stride):
    return lambda data: repeat(entry, len(data), stride)


BY_KIND = {
    SYMTAB: ("symbols", records(SYMBOL_ENTRY, 24)), MERC_SYMTAB: ("symbols", records(SYMBOL_ENTRY, 24)),
    RELA_TYPE: ("relocations", records(RELA, 24)), MERC_RELA: ("relocations", records(RELA, 24)),
    REL_TYPE: ("relocations", records(REL, 16)), NOTE: ("notes", notes),
    INFO: ("attributes", attributes), MERC_INFO: ("attributes", attributes), COMPAT: ("compat", attributes),
    CALLGRAPH: ("callgraph", records([(0, 4, SYMBOL), (4, 4, SYMBOL)], 8)),
    PROTOTYPE: ("callgraph", records([(0, 4, SYMBOL), (4, 4, OFFSET)], 8)),
    CAPMERC: ("capmerc", capmerc), SHNDX: ("indices", indices), STRTAB: ("strings", bytes_of),
    ACTION: ("actions", actions), UNIFIED[0]: ("unified", records(UNIFIED_ENTRY, 32)),
    UNIFIED[1]: ("unified", records(UNIFIED_ENTRY, 32))}
BY_NAME = [("debug_frame", "frames", frames), ("debug_line", "lines", lines), ("reg_sass", "registers", registers),
           ("debug", "debug", lambda data: words(len(data)) + bytes_of(data)), (".text", "code", code),
           ("", "data", lambda data: words(len(data)))]


def reader_of(name, kind):
    """Region of a section's contents, and the function that finds their fields."""
    if kind in BY_KIND:
        return BY_KIND[kind]
    return next((region, reader) for part, region, reader in BY_NAME if part in name)


class Layout:
    """Of an intact cubin: its sections, and by region what fields there are: (offset, width, meaning)."""

    def __init__(self, data):
        self.data, self.size = data, len(data)
        self.table, = struct.unpack_from("<Q", data, 40)
        count, names = struct.unpack_from("<HH", data, 60)
        self.sections = [struct.unpack_from("<IIQQQQIIQQ", data, self.table + 64 * i)
                         for i in range(count)]
        self.names = []
        self.parts = {"header": [(0, 64, lambda _: HEADER)],
                      "sections": [(self.table, 64 * count, records(SECTION_HEADER, 64))]}
        self.found = {}
        programs, = struct.unpack_from("<H", data, 56)
        start, = struct.unpack_from("<Q", data, 32)
        if programs and start:
            self.parts["segments"] = [(start, 56 * programs, records(PROGRAM_HEADER, 56))]
        self.symbols = 0
        for header in self.sections:
            at = self.sections[names][4] + header[0]
            name = data[at:data.index(b"\0", at)].decode("latin1")
            self.names.append(name)
            kind, offset, size = header[1], header[4], header[5]
            if kind == SYMTAB:
                self.symbols = size // 24
            if kind not in (0, NOBITS) and size >= 4 and offset + size <= len(data):
                region, reader = reader_of(name, kind)
                self.parts.setdefault(region, []).append((offset, size, reader))
        # Few links get past a wrong header.
        self.regions = [r for r in self.parts for _ in range({"header": 1, "sections": 2}.get(r, 3))]

    def fields(self, region):
        if region not in self.found:
            self.found[region] = [
                (offset + at, width, meaning) for offset, size, reader in self.parts.get(region, [])
                for at, width, meaning in reader(self.data[offset:offset + size])]
        return self.found[region]
