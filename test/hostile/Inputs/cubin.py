# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Takes cubins apart and writes them again, larger or wrong."""

import struct
from pathlib import Path

PROGBITS, SYMTAB, STRTAB, RELA, NOTE, NOBITS = 1, 2, 3, 4, 7, 8
INFO, CALLGRAPH, PROTOTYPE = 0x70000000, 0x70000001, 0x70000002


class Section:
    def __init__(self, fields, data, name):
        (self.name_offset, self.type, self.flags, self.address, self.offset, self.size, self.link,
         self.info, self.align, self.entsize) = fields
        self.data, self.name = data, name


class Cubin:
    """A cubin that can be changed and written again; contents of sections have any size."""

    def __init__(self, path):
        data = Path(path).read_bytes()
        self.header = bytearray(data[:64])
        table, = struct.unpack_from("<Q", data, 40)
        count, names = struct.unpack_from("<HH", data, 60)
        headers = [struct.unpack_from("<IIQQQQIIQQ", data, table + 64 * i) for i in range(count)]

        def name(offset):
            at = headers[names][4] + offset
            return data[at:data.index(b"\0", at)].decode()

        self.names = names
        self.sections = [Section(h, bytearray() if h[1] in (0, NOBITS)
                                 else bytearray(data[h[4]:h[4] + h[5]]), name(h[0]))
                         for h in headers]

    def index(self, name):
        return next(i for i, s in enumerate(self.sections) if s.name == name)

    def __getitem__(self, name):
        return self.sections[self.index(name)]

    def string(self, text, table=None):
        """Adds a string; its offset."""
        strings = self.sections[self.names] if table is None else table
        strings.data += text + b"\0"
        return len(strings.data) - len(text) - 1

    def add_symbol(self, name, info, section, value=0, size=0, other=0):
        """A global symbol; `name` is an offset. Its index."""
        symbols = self[".symtab"]
        symbols.data += struct.pack("<IBBHQQ", name, info, other, section, value, size)
        return len(symbols.data) // 24 - 1

    def add_section(self, like, name, data, **fields):
        """A section like another one. Its index."""
        new = Section((0,) * 10, bytearray(data), name)
        new.__dict__.update({k: v for k, v in like.__dict__.items()
                             if k not in ("data", "name")})
        new.__dict__.update(fields)
        new.name_offset = self.string(name.encode())
        self.sections.append(new)
        return len(self.sections) - 1

    def write(self, lie=lambda headers: None):
        """The bytes; `lie` may change the section headers before they are written."""
        body = bytearray()
        headers = []
        for s in self.sections:
            size = len(s.data) or (s.size if s.type == NOBITS else 0)
            body += bytes(-(64 + len(body)) % 16)
            headers.append([s.name_offset, s.type, s.flags, s.address, 64 + len(body), size, s.link,
                            s.info, s.align, s.entsize])
            body += s.data
        body += bytes(-len(body) % 8)
        lie(headers)
        header = bytearray(self.header)
        struct.pack_into("<Q", header, 32, 0)
        struct.pack_into("<Q", header, 40, 64 + len(body))
        struct.pack_into("<HHHH", header, 54, 0, 0, 64, len(headers))
        return bytes(header + body + b"".join(struct.pack("<IIQQQQIIQQ", *h) for h in headers))
