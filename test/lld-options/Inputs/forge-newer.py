# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes of a cubin one of a toolkit that doesn't exist yet, 13.6.

    forge-newer.py IN OUT [attribute] [code] [section] [loaded] [relocation]

Its notes name that release.  attribute: each function has one with code 0x7e;
code: .nv.compat has 0x1f; section, loaded: there is one of a type in CUDA's
range that none has, and it has SHF_ALLOC; relocation: the first one of each
function has type 0x95.
"""

import struct
import sys

SECTION = struct.Struct("<IIQQQQIIQQ")
CUINFO, TKINFO, COMPAT, RELA = ".note.nv.cuinfo", ".note.nv.tkinfo", ".nv.compat", 4
UNKNOWN_TYPE, UNKNOWN_RELOCATION = 0x700000A5, 0x95


class File:
    def __init__(self, data):
        self.header = bytearray(data[:64])
        table, count, names = struct.unpack_from("<Q", data, 40)[0], *struct.unpack_from("<HH", data, 60)
        self.headers = [list(SECTION.unpack_from(data, table + i * 64)) for i in range(count)]
        # All but NOBITS have contents.
        self.contents = [data[h[4]:h[4] + h[5]] if h[1] != 8 else b"" for h in self.headers]
        self.names_at = names

    def name(self, index):
        names = self.contents[self.names_at]
        start = self.headers[index][0]
        return names[start:names.index(b"\0", start)].decode()

    def each(self, accept):
        return [i for i in range(1, len(self.headers)) if accept(self.name(i))]

    def change(self, name, edit):
        for index in self.each(lambda n: n == name or name.endswith(".") and n.startswith(name)):
            self.contents[index] = edit(self.contents[index])

    def add_section(self, name, kind, flags, content):
        names = self.contents[self.names_at]
        self.headers.append([len(names), kind, flags, 0, 0, 0, 0, 0, 4, 0])
        self.contents.append(content)
        self.contents[self.names_at] = names + name.encode() + b"\0"

    def write(self):
        """Sections one after the other; there are no segments in objects."""
        data = bytearray(self.header)
        for header, content in zip(self.headers, self.contents):
            data += bytes(-len(data) % max(header[8], 1))
            if header[1] != 8:
                header[4], header[5] = (len(data), len(content)) if header[1] else (0, 0)
            data += content
        data += bytes(-len(data) % 8)
        struct.pack_into("<Q", data, 40, len(data))
        struct.pack_into("<H", data, 60, len(self.headers))
        for header in self.headers:
            data += SECTION.pack(*header)
        return bytes(data)


def next_release(note):
    """The toolkit's number is the second word behind the owner's name."""
    return note[:28] + struct.pack("<I", struct.unpack_from("<I", note, 28)[0] + 1) + note[32:]


def break_relocation(table):
    return table[:8] + struct.pack("<I", UNKNOWN_RELOCATION) + table[12:]


def main():
    file = File(open(sys.argv[1], "rb").read())
    file.change(CUINFO, next_release)
    file.change(TKINFO, lambda note: note.replace(b"13.5, V13.5.37", b"13.6, V13.6.20"))
    if "attribute" in sys.argv:
        file.change(".nv.info.", lambda records: records + bytes([4, 0x7E, 4, 0, 1, 2, 3, 4]))
    if "code" in sys.argv:
        file.change(COMPAT, lambda records: records + bytes([3, 0x1F, 0x34, 0x12]))
    for flags, word in enumerate(("section", "", "loaded")):
        if word in sys.argv:
            file.add_section(".nv.future", UNKNOWN_TYPE, flags, bytes(range(16)))
    if "relocation" in sys.argv:
        file.change(".rela.text.", break_relocation)
    open(sys.argv[2], "wb").write(file.write())


main()
