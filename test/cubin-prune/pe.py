# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads and makes what a PE file (Windows) has besides its sections.

    pe.py sum IN OUT          set the checksum
    pe.py sign IN OUT         the same, with a certificate behind the sections (which nobody would believe)
    pe.py show FILE           print whether the checksum is right, and the certificate's size
    pe.py changes A B         print in which sections and fields two files differ, and that no other byte does

The checksum is the one that Microsoft's documentation of ImageHlp describes: words of 16 bits, each carry added again, and the
file's size.
"""

import struct
import sys


class Pe:
    def __init__(self, data):
        self.data = bytearray(data)
        self.coff = struct.unpack_from("<I", data, 60)[0] + 4
        self.optional = self.coff + 20
        self.plus = struct.unpack_from("<H", data, self.optional)[0] == 0x20B
        self.checksum = self.optional + 64
        self.certificate = self.optional + (112 if self.plus else 96) + 4 * 8

    def u32(self, at):
        return struct.unpack_from("<I", self.data, at)[0]

    def make_checksum(self):
        data = self.data + b"\0" * (len(self.data) % 2)
        total = 0
        for at in range(0, len(data), 2):
            if at not in (self.checksum, self.checksum + 2):
                total += data[at] | data[at + 1] << 8
                total = (total & 0xFFFF) + (total >> 16)
        return total + len(self.data)

    def places(self):
        """Start, size and name of all that may differ."""
        yield self.checksum, 4, "checksum"
        yield self.certificate, 8, "certificate's entry"
        count, = struct.unpack_from("<H", self.data, self.coff + 2)
        size, = struct.unpack_from("<H", self.data, self.coff + 16)
        for i in range(count):
            header = self.optional + size + i * 40
            name = self.data[header:header + 8].rstrip(b"\0").decode()
            yield self.u32(header + 20), self.u32(header + 16), name
        if self.u32(self.certificate + 4):
            yield self.u32(self.certificate), self.u32(self.certificate + 4), "certificate"


command, *paths = sys.argv[1:]
files = [Pe(open(path, "rb").read()) for path in (paths if command == "changes" else paths[:1])]
pe = files[0]
if command in ("sum", "sign"):
    if command == "sign":
        table = struct.pack("<IHH", 264, 0x200, 2) + bytes(range(256))
        struct.pack_into("<II", pe.data, pe.certificate, len(pe.data), len(table))
        pe.data += table
    struct.pack_into("<I", pe.data, pe.checksum, pe.make_checksum())
    open(paths[1], "wb").write(pe.data)
elif command == "show":
    right = pe.u32(pe.checksum) == pe.make_checksum()
    print("checksum", "right" if right else hex(pe.u32(pe.checksum)), "certificate", pe.u32(pe.certificate + 4))
else:
    before, after = files
    cut = len(before.data) - len(after.data)
    assert cut in (0, before.u32(before.certificate + 4))
    after.data += b"\0" * cut
    found = []
    for start, size, name in before.places():
        if before.data[start:start + size] != after.data[start:start + size]:
            found.append(name)
            after.data[start:start + size] = before.data[start:start + size]
    assert before.data == after.data
    print("changes in", ", ".join(found) or "nothing")
