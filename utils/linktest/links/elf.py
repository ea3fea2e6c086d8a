# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where sections of a 64-bit ELF file are."""

import struct


def all_sections(data: bytes) -> list[tuple[str, range]]:
    """Names and ranges of bytes; none if the file is no such ELF file."""
    try:
        offset, = struct.unpack_from("<Q", data, 0x28)
        size, count, names_index = struct.unpack_from("<3H", data, 0x3a)
        headers = [struct.unpack_from("<2I4Q", data, offset + number * size) for number in range(count)]
        names = headers[names_index][4]
        result = []
        for name, _, _, _, start, length in headers:
            end = data.index(b"\0", names + name)
            result.append((data[names + name:end].decode(), range(start, start + length)))
        return result
    except (struct.error, IndexError, ValueError):
        return []


def section_ranges(data: bytes, prefix: str) -> list[range]:
    """Ranges of bytes of the sections whose names begin so."""
    return [place for name, place in all_sections(data) if name.startswith(prefix)]


def code_sections(data: bytes) -> dict[str, bytes]:
    """The code of each function."""
    prefix = ".text."
    return {name[len(prefix):]: data[place.start:place.stop] for name, place in all_sections(data) if name.startswith(prefix)}
