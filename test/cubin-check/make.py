# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes a program or shared library with device code, without a compiler.

Usage: make.py FILE [KEY=VALUE]...

FILE's name decides what it is: *.so* a shared library, *.o an object, else a program.
Keys, each of which may be repeated:
  needed=LIB  runpath=DIRS  rpath=DIRS  soname=NAME  flags1=NUMBER  interpreter=PATH
  machine=NUMBER        62: x86-64
  code=90a[:CUBIN]      an image in the last fatbin; without a file, a kernel of test/corpus, linked
  ptx=80:8.0[:KERNEL[:VARIABLE]]  PTX for compute_80, of version 8.0
  rel=90[:CUBIN]        relocatable code, in a fatbin of __nv_relfatbin
  relptx=80:8.0         PTX there
  lto=90                LTO IR
  fatbin=  relfatbin=   begins another fatbin
  compress=NUMBER       a flag of fatbins: what follows is compressed
  id=ID  def=ID         in __nv_module_id
  wants=NAME  has=NAME  dynamic symbols, undefined and defined
  variable=NAME         a variable that has a dynamic symbol
  symbolic=1            -Bsymbolic
  symbol=NAME           a symbol of the host's table
  wrapper=N             a wrapper of the Nth fatbin (0, 1, ...), in .nvFatBinSegment
"""

import functools
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "utils" / "hostile"))
sys.dont_write_bytecode = True
import containers  # noqa: E402

CORPUS = ROOT / "test" / "corpus" / "Inputs"
SUFFIXES = {"a": 0x100000, "f": 0x200000}


def number_of(arch):
    """The number and the fatbin's flags of "90a"."""
    return int(arch.rstrip("af")), 0x11 | SUFFIXES.get(arch[-1], 0)


@functools.lru_cache
def linked(arch):
    number, _ = number_of(arch)
    source = CORPUS / f"calls/alias.sm_{arch}.cubin"
    if not source.exists():
        source = CORPUS / f"calls/alias.sm_{number}.cubin"
    with tempfile.NamedTemporaryFile() as out:
        target = arch if arch[-1] != "f" else str(number)
        subprocess.run(["ld.cuda", f"-arch=sm_{target}", source, "-o", out.name], check=True)
        return Path(out.name).read_bytes()


def ptx_text(arch, version, kernel, variable):
    data = f".visible .global .align 4 .u32 {variable}[2];\n" if variable else ""
    return (f".version {version}\n.target sm_{arch}\n.address_size 64\n{data}"
            f".visible .entry {kernel}() {{ ret; }}\n\0").encode()


class Fatbins:
    def __init__(self):
        self.sections = {b".nv_fatbin": [], b"__nv_relfatbin": []}
        self.compression = 0

    def begin(self, section):
        self.sections[section].append([])

    def add(self, section, data, arch, kind=containers.CUBIN):
        if not self.sections[section]:
            self.begin(section)
        number, flags = number_of(arch)
        self.sections[section][-1].append(
            containers.entry(data, number, kind, flags, self.compression, b"" if kind == containers.PTX else None))

    def bytes_of(self, section):
        """The section's bytes and where each fatbin begins in it."""
        data, places = b"", []
        for entries in self.sections[section]:
            places.append(len(data))
            data += containers.fatbin(entries)
        return data, places


class Elf:
    """One segment that maps the file at its own offsets."""

    def __init__(self, kind, machine):
        self.kind, self.machine = kind, machine
        self.sections = []  # name, type, flags, data, link, entry size
        self.end = 64 + 3 * 56

    def add(self, name, kind, data, flags=2, link=0, entry=0):
        self.end += -self.end % 8
        self.sections.append((name, kind, flags, self.end, data, link, entry))
        self.end += len(data)
        return self.sections[-1][3]

    def find(self, name):
        return next((s for s in self.sections if s[0] == name), None)

    def write(self, path):
        names = b"\0" + b"".join(s[0] + b"\0" for s in self.sections) + b".shstrtab\0"
        self.add(b".shstrtab", 3, names, flags=0)
        table = self.end + -self.end % 8
        segments = [(1, 7, 0, table)]
        for name, kind in ((b".dynamic", 2), (b".interp", 3)):
            if section := self.find(name):
                segments.append((kind, 6, section[3], len(section[4])))
        data = bytearray(table)
        data[:64] = struct.pack("<16sHHIQQQIHHHHHH", b"\x7fELF\2\1\1", self.kind, self.machine, 1, 0, 64, table, 0, 64, 56,
                                len(segments), 64, len(self.sections) + 1, len(self.sections))
        for i, (kind, flags, offset, size) in enumerate(segments):
            struct.pack_into("<IIQQQQQQ", data, 64 + 56 * i, kind, flags, offset, offset, offset, size, size, 8)
        headers = bytes(64)
        for name, kind, flags, offset, contents, link, entry in self.sections:
            data[offset:offset + len(contents)] = contents
            headers += struct.pack("<IIQQQQIIQQ", names.index(b"\0" + name + b"\0") + 1, kind, flags, offset, offset,
                                   len(contents), link, 0, 8, entry)
        Path(path).write_bytes(bytes(data) + headers)
        Path(path).chmod(0o755)


def symbol_table(names):
    """(name, is defined, type): functions and variables, global."""
    strings, symbols = b"\0", bytes(24)
    for name, is_defined, kind in names:
        symbols += struct.pack("<IBBHQQ", len(strings), 0x10 | kind, 0, 0xFFF1 if is_defined else 0, 0, 0)
        strings += name.encode() + b"\0"
    return strings, symbols


def dynamic_section(elf, words):
    tags = {"needed": 1, "soname": 14, "rpath": 15, "runpath": 29}
    strings, entries = b"\0", []
    for key, value in words:
        if key in tags:
            entries.append((tags[key], len(strings)))
            strings += value.encode() + b"\0"
        elif key == "flags1":
            entries.append((0x6FFFFFFB, int(value, 0)))
        elif key == "symbolic":
            entries.append((16, 0))
    place = elf.add(b".dynstr", 3, strings)
    entries = [(5, place), (10, len(strings))] + entries + [(0, 0)]
    elf.add(b".dynamic", 6, b"".join(struct.pack("<QQ", *entry) for entry in entries), entry=16)


def read_images(words):
    fatbins = Fatbins()
    for key, value in words:
        arch, _, rest = value.partition(":")
        if key == "fatbin":
            fatbins.begin(b".nv_fatbin")
        elif key == "relfatbin":
            fatbins.begin(b"__nv_relfatbin")
        elif key == "compress":
            fatbins.compression = int(value, 0)
        elif key == "code":
            fatbins.add(b".nv_fatbin", Path(rest).read_bytes() if rest else linked(arch), arch)
        elif key == "rel":
            data = Path(rest or CORPUS / f"calls/alias.sm_{arch}.cubin").read_bytes()
            fatbins.add(b"__nv_relfatbin", data, arch)
        elif key in ("ptx", "relptx"):
            version, kernel, variable = (rest.split(":") + ["", ""])[:3]
            section = b".nv_fatbin" if key == "ptx" else b"__nv_relfatbin"
            fatbins.add(section, ptx_text(arch, version, kernel or "kernel", variable), arch, containers.PTX)
        elif key == "lto":
            fatbins.add(b".nv_fatbin", b"\x7fNC\xed" + bytes(60), arch, containers.LTO)
    return fatbins


def main(path, *arguments):
    words = [tuple(word.split("=", 1)) for word in arguments]
    values = {}
    for key, value in words:
        values.setdefault(key, []).append(value)
    name = Path(path).name
    kind = 1 if name.endswith(".o") else 3 if ".so" in name else 2
    elf = Elf(kind, int(values.get("machine", ["62"])[0]))
    if "interpreter" in values:
        elf.add(b".interp", 1, values["interpreter"][0].encode() + b"\0")
    if kind != 1:
        dynamic_section(elf, words)
    fatbins, places = read_images(words), []
    for section in fatbins.sections:
        data, offsets = fatbins.bytes_of(section)
        if data:
            start = elf.add(section, 1, data)
            places += [start + offset for offset in offsets]
    if "wrapper" in values:
        elf.add(b".nvFatBinSegment", 1, b"".join(
            struct.pack("<IIQQ", 0x466243B1, 1, places[int(which)], 0) for which in values["wrapper"]))
    ids = [value for key, value in words if key == "id"] + ["def " + value for key, value in words if key == "def"]
    if ids:
        elf.add(b"__nv_module_id", 1, b"".join(value.encode() + b"\0" for value in ids))
    for section, table, keys, number in ((b".dynsym", b".dynnames", ("wants", "has", "variable"), 11), (b".symtab", b".strtab", ("symbol",), 2)):
        names = [(value, key != "wants", 1 if key == "variable" else 2) for key, value in words if key in keys]
        if names or number == 11:
            strings, symbols = symbol_table(names)
            elf.add(table, 3, strings, flags=0)
            elf.add(section, number, symbols, flags=0, link=len(elf.sections), entry=24)
    elf.write(path)


if __name__ == "__main__":
    main(*sys.argv[1:])
