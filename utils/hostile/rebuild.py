# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cubins taken apart and put together wrong: tables longer or shorter, sections twice or gone."""

import struct

from fields import (CALLGRAPH, CAPMERC, COMPAT, INFO, MERC_INFO, MERC_RELA, MERC_SYMTAB, NOBITS, NOTE,
                    PROTOTYPE, REL_TYPE, RELA_TYPE, SHNDX, SYMTAB, UNIFIED)

RECORD = {SYMTAB: 24, MERC_SYMTAB: 24, RELA_TYPE: 24, MERC_RELA: 24, REL_TYPE: 16, CALLGRAPH: 8,
          PROTOTYPE: 8, SHNDX: 4, INFO: 4, MERC_INFO: 4, COMPAT: 4, CAPMERC: 4, NOTE: 4}
RECORD.update(dict.fromkeys(UNIFIED, 32))


class Parts:
    def __init__(self, data, layout):
        self.header = data[:64]
        self.tail = []
        self.headers = [list(h) for h in layout.sections]
        self.names = layout.names[:]
        self.contents = [b"" if h[1] in (0, NOBITS) else bytes(data[h[4]:h[4] + h[5]])
                         for h in layout.sections]

    def pick(self, choose, wanted=lambda h: True):
        found = [i for i, h in enumerate(self.headers) if i and self.contents[i] and wanted(h)]
        return choose.choice(found) if found else 0

    def write(self):
        body, headers = bytearray(), []
        for header, data in zip(self.headers, self.contents):
            body += bytes(-len(body) % 16)
            header = header[:]
            header[4] = 64 + len(body)
            if data or header[1] != NOBITS:
                header[5] = len(data)
            body += data
            headers.append(struct.pack("<IIQQQQIIQQ", *header))
        body += bytes(-len(body) % 8)
        start = bytearray(self.header)
        struct.pack_into("<QQ", start, 32, 0, 64 + len(body))
        struct.pack_into("<H", start, 56, 0)
        struct.pack_into("<H", start, 60, len(headers) & 0xFFFF)
        return bytes(start + body + b"".join(headers))


def _grow(parts, choose):
    """A table many times over."""
    i = parts.pick(choose, lambda h: h[1] in RECORD)
    times = choose.choice([2, 3, 16, 300])
    if len(parts.contents[i]) * times < 200_000:
        parts.contents[i] *= times
    return f"{parts.names[i]} {times} times"


def _cut(parts, choose):
    i = parts.pick(choose)
    data = parts.contents[i]
    record = RECORD.get(parts.headers[i][1], 1)
    end = choose.choice([0, record, len(data) - record, len(data) - 1, choose.randrange(len(data) + 1)])
    parts.contents[i] = data[:max(end, 0)]
    return f"{parts.names[i]} cut to {end}"


def _shuffle(parts, choose):
    """Records in another order, one of them twice or gone."""
    i = parts.pick(choose, lambda h: h[1] in RECORD)
    size = RECORD.get(parts.headers[i][1], 4)
    records = [parts.contents[i][at:at + size] for at in range(0, len(parts.contents[i]), size)]
    how = choose.randrange(4)
    if how == 0:
        choose.shuffle(records)
    elif how == 1:
        records.insert(choose.randrange(len(records) + 1), choose.choice(records or [b""]))
    elif how == 2 and records:
        del records[choose.randrange(len(records))]
    else:
        records.reverse()
    parts.contents[i] = b"".join(records)
    return f"{parts.names[i]} shuffled {how}"


def _append(parts, choose):
    """A record of boundary values."""
    i = parts.pick(choose, lambda h: h[1] in RECORD)
    size = RECORD.get(parts.headers[i][1], 4)
    record = b"".join(struct.pack("<I", choose.choice(
        [0, 1, 2, 4, 0xFFFFFFFF, 0xFFFFFFFE, 0x80000000, 0x7FFFFFFF, 0x04110008, choose.randrange(64),
         choose.getrandbits(32)])) for _ in range(size // 4))
    parts.contents[i] += record * choose.choice([1, 1, 2, 40])
    return f"{parts.names[i]} + {record.hex()}"


def _drop(parts, choose):
    """A section that isn't there, though others refer to it."""
    i = parts.pick(choose)
    how = choose.randrange(3)
    if how == 0:
        parts.headers[i][1], parts.contents[i] = 0, b""
    elif how == 1:
        parts.contents[i] = b""
    else:
        del parts.headers[i], parts.contents[i]
    return f"{parts.names[i]} dropped {how}"


def _double(parts, choose):
    i = parts.pick(choose)
    times = choose.choice([1, 1, 2, 500])
    for _ in range(times):
        if times * len(parts.contents[i]) < 300_000:
            parts.headers.append(parts.headers[i][:])
            parts.contents.append(parts.contents[i])
    return f"{parts.names[i]} {times} more"


def _exchange(parts, choose):
    """Contents of one section under the header of another."""
    i, k = parts.pick(choose), parts.pick(choose)
    parts.contents[i], parts.contents[k] = parts.contents[k], parts.contents[i]
    return f"{parts.names[i]} for {parts.names[k]}"


def _transplant(parts, choose):
    """A section's type or links are another one's."""
    i, k = parts.pick(choose), parts.pick(choose)
    field = choose.choice([0, 1, 2, 6, 7, 8, 9])
    parts.headers[i][field] = parts.headers[k][field]
    return f"{parts.names[i]} field {field} of {parts.names[k]}"


def _move(parts, choose):
    """Sections in another order, with every index wrong."""
    i, k = parts.pick(choose), parts.pick(choose)
    for part in (parts.headers, parts.contents):
        part[i], part[k] = part[k], part[i]
    return f"{parts.names[i]} and {parts.names[k]} swapped"


HOW = [_grow, _cut, _cut, _shuffle, _shuffle, _append, _append, _drop, _double, _exchange, _transplant,
       _move]


def damage(data, choose, layout):
    """The bytes of a cubin put together wrong, and what is wrong."""
    parts = Parts(data, layout)
    what = choose.choice(HOW)(parts, choose)
    return parts.write(), what


def older(data, choose, layout):
    """The header of a cubin of CUDA 12: another ABI, other flags; perhaps its notes, too."""
    data = bytearray(data)
    data[7], data[8] = choose.choice([(0x33, 7)] * 5 + [(0x33, 8), (0x41, 7), (0x33, 6)])
    flags, = struct.unpack_from("<I", data, 48)
    number = flags >> 8 & 0xFF
    flags = choose.choice([number << 16 | 0x500 | number, number << 16 | 0x500 | number | 0x800,
                           number << 16 | number, number, number << 8 | 4, 0, 0xFFFFFFFF,
                           number << 16 | choose.getrandbits(16)])
    struct.pack_into("<I", data, 48, flags)
    what = f"osabi {data[7]:#x}, abi {data[8]}, flags {flags:#x}"
    for field in layout.fields("notes"):
        if field[2] == "kind" and choose.random() < 0.1:
            struct.pack_into("<H", data, field[0], choose.choice([0, 1, 75, 90, 110, 119, 120, 128, 129]))
            what += f", note@{field[0]:#x}"
    return bytes(data), what
