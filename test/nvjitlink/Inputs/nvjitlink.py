# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""libnvJitLink by its plain names, and comparing what it writes with what the program writes."""

import ctypes
import struct

TYPES = {"cubin": 1, "ptx": 2, "ltoir": 3, "fatbin": 4, "o": 5, "a": 6}
ANY = 10
TKINFO = ".note.nv.tkinfo"
# Sections of these types have a size, but no bytes in the file: SHT_NOBITS, and those of lld-cuda/BinaryFormat/SectionTypes.def.
NOBITS = {8, 0x70000007, 0x70000009, 0x7000000A, 0x70000015}


class Library:
    def __init__(self, path):
        self.library = ctypes.CDLL(path)

    def call(self, name, *arguments):
        return getattr(self.library, "nvJitLink" + name)(*arguments)

    def get(self, handle, what):
        size = ctypes.c_size_t()
        if self.call(f"Get{what}Size", handle, ctypes.byref(size)):
            return b""
        buffer = ctypes.create_string_buffer(max(1, size.value))
        self.call(f"Get{what}", handle, buffer)
        return buffer.raw[: size.value]

    def link(self, options, inputs):
        """inputs: (type, name, bytes). Returns (result of the first call that failed or 0, cubin, error log, info log)."""
        words = (ctypes.c_char_p * max(1, len(options)))(*[option.encode() for option in options])
        handle = ctypes.c_void_p()
        result = self.call("Create", ctypes.byref(handle), len(options), words)
        for kind, name, data in inputs if not result else ():
            result = self.call("AddData", handle, kind, data, ctypes.c_size_t(len(data)), name and name.encode())
            if result:
                break
        result = result or self.call("Complete", handle)
        cubin = self.get(handle, "LinkedCubin")
        logs = [self.get(handle, log).rstrip(b"\0").decode() for log in ("ErrorLog", "InfoLog")]
        self.call("Destroy", ctypes.byref(handle))
        return result, cubin, *logs


def sections(image):
    """Of a cubin: what each has, in order, but for its place in the file."""
    (offset,) = struct.unpack_from("<Q", image, 40)
    count, names = struct.unpack_from("<HH", image, 60)
    headers = [struct.unpack_from("<IIQQQQIIQQ", image, offset + 64 * i) for i in range(count)]
    start = headers[names][4]
    result = []
    for name, kind, flags, address, place, size, link, info, align, entry in headers:
        text = image[start + name : image.index(b"\0", start + name)].decode()
        content = b"" if kind in NOBITS or text == TKINFO else image[place : place + size]
        result.append((text, kind, flags, address, 0 if text == TKINFO else size, link, info, align, entry, content))
    return result


def segments(image):
    (offset,) = struct.unpack_from("<Q", image, 32)
    size, count = struct.unpack_from("<HH", image, 54)
    rows = [struct.unpack_from("<IIQQQQQQ", image, offset + size * i) for i in range(count)]
    # Without places in the file, and sizes of what has the note in it.
    return [(kind, flags, align) for kind, flags, _, _, _, _, _, align in rows]


def differences(one, other):
    """What two cubins differ in, but for the note that tells who linked; empty: nothing."""
    if one == other:
        return []
    found = []
    if one[:32] != other[:32] or one[48:56] != other[48:56]:
        found.append("the file header")
    if segments(one) != segments(other):
        found.append("segments")
    left, right = sections(one), sections(other)
    if [s[0] for s in left] != [s[0] for s in right]:
        return found + [f"sections: {[s[0] for s in left]} and {[s[0] for s in right]}"]
    return found + [a[0] for a, b in zip(left, right) if a != b]
