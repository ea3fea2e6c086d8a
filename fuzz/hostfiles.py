# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Small objects and programs for Windows, and ELF programs without sections, for make-seeds."""

import struct
import zlib

BIG_OBJECT = bytes.fromhex("c7a1bad1eebaa94baf20faf66aa4dcb8")


def coff(sections, machine=0x8664, big=False, base64=False, has_symbols=True):
    """An object. Sections: (name, contents); each has a symbol that says its size and checksum."""
    strings, head = b"", 56 if big else 20
    headers, body, symbols = b"", b"", b""
    start = head + 40 * len(sections)
    for number, (name, data) in enumerate(sections, 1):
        if len(name) > 8:
            offset = 4 + len(strings)
            strings += name + b"\0"
            # Offsets with many digits have 6 of base 64 instead.
            name = b"//AAAAA" + bytes([ord("A") + offset]) if base64 else b"/%d" % offset
        headers += struct.pack("<8sIIIIIIHHI", name, 0, 0, len(data), start + len(body), 0, 0, 0, 0, 0x40000040)
        body += data + bytes(-len(data) % 4)
        number = struct.pack("<i" if big else "<h", number)
        symbols += b"section\0" + bytes(4) + number + struct.pack("<HBB", 0, 3, 1)
        symbols += struct.pack("<IHHIHBx", len(data), 0, 0, zlib.crc32(data) ^ 0xFFFFFFFF, 0, 0) + bytes(4 if big else 2)
    place, count = start + len(body), 2 * len(sections)
    if not has_symbols:
        place, count, symbols = 0, 0, b""
    if big:
        first = struct.pack("<HHHHI16s", 0, 0xFFFF, 2, machine, 0, BIG_OBJECT) + bytes(16)
        first += struct.pack("<III", len(sections), place, count)
    else:
        first = struct.pack("<HHIIIHH", machine, len(sections), 0, place, count, 0, 0)
    return first + headers + body + symbols + struct.pack("<I", 4 + len(strings)) + strings


def pe(sections, signature=b"", checksum=True, odd=False):
    """A DLL for x86-64, with a right checksum or none."""
    optional = 112 + 16 * 8
    table = 64 + 4 + 20 + optional
    start = table + 40 * len(sections) + odd
    headers, body = b"", b""
    for name, data in sections:
        headers += struct.pack("<8sIIIIIIHHI", name, len(data), 0x1000, len(data), start + len(body), 0, 0, 0, 0, 0x40000040)
        body += data
    file = bytearray(b"MZ" + bytes(58) + struct.pack("<I", 64) + b"PE\0\0")
    file += struct.pack("<HHIIIHH", 0x8664, len(sections), 0, 0, 0, optional, 0x2022)
    file += struct.pack("<H106xI", 0x20B, 16) + bytes(128)
    file += headers + bytes(odd) + body
    if signature:
        struct.pack_into("<II", file, 88 + 112 + 4 * 8, len(file), len(signature))
        file += signature
    if checksum:
        total = 0
        for at in range(0, len(file), 2):
            total += int.from_bytes(file[at:at + 2], "little")
            total = (total & 0xFFFF) + (total >> 16)
        struct.pack_into("<I", file, 88 + 64, total + len(file))
    return bytes(file)


def elf_program(segments, wide=True):
    """A shared library without sections. Segments: (type, contents, address)."""
    head, entry = (64, 56) if wide else (52, 32)
    at, table, body = head + entry * len(segments), b"", b""
    for kind, data, address in segments:
        offset = at + len(body)
        if wide:
            table += struct.pack("<IIQQQQQQ", kind, 5, offset, address, address, len(data), len(data), 8)
        else:
            table += struct.pack("<IIIIIIII", kind, offset, address, address, len(data), len(data), 5, 4)
        body += data + bytes(-len(data) % 8)
    words = "QQQ" if wide else "III"
    return (b"\x7fELF" + bytes([2 if wide else 1, 1, 1]) + bytes(9) +
            struct.pack("<HHI" + words + "IHHHHHH", 3, 62 if wide else 3, 1, 0, head, 0, 0, head, entry, len(segments), 0, 0, 0) +
            table + body)
