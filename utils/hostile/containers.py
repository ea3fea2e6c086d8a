# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Containers of device code, right or with lies: fatbins, archives, host objects, offload binaries.

A function's last parameter `lie` is called as lie(name, value, width) for every number that is
written, and returns what is written in its place.
"""

import struct
import zlib


def truth(name, value, width):
    return value


def packed(fields, lie):
    """Fields: (name, value, width)."""
    if lie is truth:
        return b"".join([value.to_bytes(width, "little") for _, value, width in fields])
    return b"".join((lie(name, value, width) % (1 << 8 * width)).to_bytes(width, "little")
                    for name, value, width in fields)


# Fatbins.

def lz4_block(data):
    """Literals, and a match where the end repeats a byte."""
    def length(n):
        return b"" if n < 15 else b"\xff" * ((n - 15) // 255) + bytes([(n - 15) % 255])
    return bytes([min(len(data), 15) << 4]) + length(len(data)) + data


def lz4_frame(data):
    head = b"\x04\x22\x4d\x18" + b"\x60\x70\x73"
    blocks = [data[i:i + 0x400000] for i in range(0, len(data), 0x400000)]
    return head + b"".join(struct.pack("<I", len(b) | 1 << 31) + b for b in blocks) + bytes(4)


def zstd_frame(data):
    frame = struct.pack("<IBI", 0xFD2FB528, 0xA0, len(data))
    blocks = [data[i:i + 0x1FFFF] for i in range(0, len(data), 0x1FFFF)] or [b""]
    for i, block in enumerate(blocks):
        frame += struct.pack("<I", len(block) << 3 | (i == len(blocks) - 1))[:3] + block
    return frame


COMPRESSIONS = {0: lambda d: d, 0x1000: lambda d: zlib.compress(d, 1), 0x2000: lz4_block,
                0x4000: lz4_frame, 0x8000: zstd_frame}
PTX, CUBIN, LTO, MERCURY = 1, 2, 8, 16


def entry(payload, number, kind=CUBIN, flags=0x11, compression=0, options=None, lie=truth):
    stored = COMPRESSIONS[compression](payload)
    padded = stored + bytes(-len(stored) % 8)
    head = 64
    extension = b""
    if options is not None:
        extension = packed([("options.offset", 72, 4), ("options.length", len(options), 4)], lie) + options
        extension += bytes(-len(extension) % 8)
        head += len(extension)
    return packed([
        ("entry.kind", kind, 2), ("entry.version", 0x101, 2), ("entry.header", head, 4),
        ("entry.size", len(padded), 8), ("entry.compressed", len(stored) if compression else 0, 4),
        ("entry.options", 64 if options is not None else 0, 4), ("entry.minor", 8, 2),
        ("entry.major", 1, 2), ("entry.arch", number, 4), ("entry.name", 0, 4),
        ("entry.nameLength", 0, 4), ("entry.flags", flags | compression, 8), ("entry.key", 0, 8),
        ("entry.uncompressed", len(payload) if compression else 0, 8)], lie) + extension + padded


def fatbin(entries, lie=truth):
    body = b"".join(entries)
    return packed([("fatbin.magic", 0xBA55ED50, 4), ("fatbin.version", 1, 2),
                   ("fatbin.header", 16, 2), ("fatbin.size", len(body), 8)], lie) + body


# Archives.

def member(name, data, size=None, end=b"`\n", date=b"0"):
    size = b"%d" % len(data) if size is None else size
    return (b"%-16s%-12s%-6d%-6d%-8s%-10s" % (name[:16], date[:12], 0, 0, b"644", size[:10]) + end +
            data + b"\n" * (len(data) % 2))


def archive(members, thin=False):
    return (b"!<thin>\n" if thin else b"!<arch>\n") + b"".join(members)


def thin_archive(paths, choose=None):
    """Refers to files by GNU's table of names."""
    table, members = b"", []
    for path in paths:
        members.append((b"/%d" % len(table), path))
        table += path + b"/\n"
    body = [member(b"//", table)]
    for name, path in members:
        body.append(b"%-16s%-12d%-6d%-6d%-8s%-10d`\n" % (name, 0, 0, 0, b"644", 1000))
    return archive(body, thin=True)


# Host objects.

def host_object(sections, lie=truth, machine=62, wide=True):
    """Sections: (name, contents); ELF for x86-64, or another machine, of 64 or 32 bits."""
    names = b"\0" + b"\0".join(name for name, _ in sections) + b"\0.shstrtab\0"
    word, head, section = (8, 64, 64) if wide else (4, 52, 40)
    body, places = b"", []
    for name, data in sections + [(b".shstrtab", names)]:
        body += bytes(-len(body) % 8)
        places.append((name, head + len(body), len(data)))
        body += data
    body += bytes(-len(body) % 8)

    def header(name, kind, offset, size):
        at = names.index(b"\0" + name + b"\0") + 1 if name else 0
        return packed([
            ("sh.name", at, 4), ("sh.type", kind, 4), ("sh.flags", 2 if kind else 0, word),
            ("sh.addr", 0, word), ("sh.offset", offset, word), ("sh.size", size, word),
            ("sh.link", 0, 4), ("sh.info", 0, 4), ("sh.align", 8 if kind else 0, word),
            ("sh.entsize", 0, word)], lie)

    headers = header(b"", 0, 0, 0)
    for name, offset, size in places:
        headers += header(name, 3 if name == b".shstrtab" else 1, offset, size)
    count = len(places) + 1
    start = b"\x7fELF" + bytes([2 if wide else 1, 1, 1]) + bytes(9) + packed([
        ("e.type", 1, 2), ("e.machine", machine, 2), ("e.version", 1, 4), ("e.entry", 0, word),
        ("e.phoff", 0, word), ("e.shoff", head + len(body), word), ("e.flags", 0, 4),
        ("e.ehsize", head, 2), ("e.phentsize", 0, 2), ("e.phnum", 0, 2),
        ("e.shentsize", section, 2), ("e.shnum", count, 2), ("e.shstrndx", count - 1, 2)], lie)
    return start + body + headers


def segment(count, lie=truth):
    """.nvFatBinSegment."""
    return b"".join(packed([("segment.magic", 0x466243B1, 4), ("segment.version", 1, 4),
                            ("segment.address", 0, 8), ("segment.zero", 0, 8)], lie)
                    for _ in range(count))


# What clang puts into host objects, or writes as a file.

def offload_binary(image, strings, kind=1, producer=1, lie=truth):
    """Strings: {key: value}."""
    table, text = b"", b""
    start = 72 + 16 * len(strings)
    for key, value in strings.items():
        offsets = []
        for word in (key, value):
            offsets.append(start + len(text))
            text += word + b"\0"
        table += packed([("string.key", offsets[0], 8), ("string.value", offsets[1], 8)], lie)
    body = table + text
    body += bytes(-(72 + len(body)) % 8)
    size = 72 + len(body) + len(image)
    size += -size % 8
    return packed([
        ("offload.magic", 0xAD10FF10, 4), ("offload.version", 1, 4), ("offload.size", size, 8),
        ("offload.entry", 32, 8), ("offload.entrySize", 40, 8), ("offload.image", kind, 2),
        ("offload.kind", producer, 2), ("offload.flags", 0, 4), ("offload.strings", 72, 8),
        ("offload.count", len(strings), 8), ("offload.imageOffset", 72 + len(body), 8),
        ("offload.imageSize", len(image), 8)], lie) + body + image + bytes(-len(image) % 8)
