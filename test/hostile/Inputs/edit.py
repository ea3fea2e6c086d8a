# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Damages a cubin in a given place.

    edit.py IN OUT EDIT...

    section:NAME.FIELD=VALUE    a field of a section header: name type flags
                                offset size link info addralign entsize
    symbol:NAME.FIELD=VALUE     a field of a symbol: name info other shndx value
                                size
    bytes:SECTION+OFFSET=HEX    bytes of a section's contents

A VALUE is a number, or the name of a section, which means its index; for the
field `name`, that of a section or symbol which has the name already. The first
section or symbol of a name is meant.
"""

import struct
import sys

SECTION = {"name": (0, "I"), "type": (4, "I"), "flags": (8, "Q"), "offset": (24, "Q"),
           "size": (32, "Q"), "link": (40, "I"), "info": (44, "I"),
           "addralign": (48, "Q"), "entsize": (56, "Q")}
SYMBOL = {"name": (0, "I"), "info": (4, "B"), "other": (5, "B"), "shndx": (6, "H"),
          "value": (8, "Q"), "size": (16, "Q")}


class Cubin:
    def __init__(self, data):
        self.data = bytearray(data)
        self.table, = struct.unpack_from("<Q", data, 40)
        count, names = struct.unpack_from("<HH", data, 60)
        self.headers = [self.table + 64 * i for i in range(count)]
        strings = self.read(self.headers[names], SECTION, "offset")
        self.names = [self.string(strings + self.read(h, SECTION, "name"))
                      for h in self.headers]

    def read(self, at, fields, field):
        offset, format = fields[field]
        return struct.unpack_from("<" + format, self.data, at + offset)[0]

    def write(self, at, fields, field, value):
        offset, format = fields[field]
        struct.pack_into("<" + format, self.data, at + offset, value)

    def string(self, at):
        return self.data[at:self.data.index(0, at)].decode()

    def section(self, name):
        return self.headers[self.names.index(name)]

    def symbol(self, name):
        table = next(h for h in self.headers if self.read(h, SECTION, "type") == 2)
        strings = self.read(self.headers[self.read(table, SECTION, "link")], SECTION, "offset")
        start = self.read(table, SECTION, "offset")
        for at in range(start, start + self.read(table, SECTION, "size"), 24):
            if self.string(strings + self.read(at, SYMBOL, "name")) == name:
                return at
        raise KeyError(name)

    def value(self, text, kind, field):
        if kind == "symbol" and field == "name":
            return self.read(self.symbol(text), SYMBOL, "name")
        if text not in self.names:
            return int(text, 0)
        if field == "name":
            return self.read(self.section(text), SECTION, "name")
        return self.names.index(text)

    def edit(self, edit):
        kind, rest = edit.split(":", 1)
        place, value = rest.rsplit("=", 1)
        if kind == "bytes":
            name, offset = place.rsplit("+", 1)
            at = self.read(self.section(name), SECTION, "offset") + int(offset, 0)
            new = bytes.fromhex(value)
            self.data[at:at + len(new)] = new
            return
        name, field = place.rsplit(".", 1)
        at, fields = ((self.section(name), SECTION) if kind == "section"
                      else (self.symbol(name), SYMBOL))
        self.write(at, fields, field, self.value(value, kind, field))


with open(sys.argv[1], "rb") as file:
    cubin = Cubin(file.read())
for word in sys.argv[3:]:
    cubin.edit(word)
with open(sys.argv[2], "wb") as file:
    file.write(cubin.data)
