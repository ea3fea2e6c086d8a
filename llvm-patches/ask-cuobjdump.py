#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints the names that NVIDIA's cuobjdump has for numbers in cubins.

usage: ask-cuobjdump.py CUOBJDUMP CUBIN >public-names.tsv

CUBIN is a relocatable cubin for sm_90 with a variable in global memory that its
code uses, e.g. made by

    echo '__device__ int v; __global__ void k(int *p) { *p = v; }' >a.cu
    nvcc -arch=sm_90 -rdc=true -cubin -o a.cubin a.cu

In copies of it the type of one section, relocation or symbol and the st_other of
one symbol are replaced by each number in turn, and `cuobjdump -elf` is run on
them. One line for each number with a name: kind, number, name.
"""
import re
import struct
import subprocess
import sys
import tempfile

SECTION_HEADER, SYMBOL = 64, 24


class Cubin:
    """The places in a cubin that are replaced."""

    def __init__(self, data):
        self.data = data
        self.headers, = struct.unpack_from("<Q", data, 0x28)
        count, names = struct.unpack_from("<HH", data, 0x3c)
        strings = self.offset(names)
        self.sections = {}
        for index in range(count):
            start = strings + struct.unpack_from("<I", data, self.header(index))[0]
            self.sections[data[start:data.index(b"\0", start)].decode()] = index

    def header(self, index):
        return self.headers + SECTION_HEADER * index

    def offset(self, index):
        return struct.unpack_from("<Q", self.data, self.header(index) + 0x18)[0]

    def replaced(self, form, place, value):
        copy = bytearray(self.data)
        struct.pack_into(form, copy, place, value)
        return copy


def dump(cuobjdump, data):
    with tempfile.NamedTemporaryFile(suffix=".cubin") as file:
        file.write(data)
        file.flush()
        return subprocess.run([cuobjdump, "-elf", file.name], capture_output=True, text=True,
                              errors="replace").stdout


def main():
    cuobjdump, path = sys.argv[1:]
    with open(path, "rb") as file:
        cubin = Cubin(file.read())

    def ask(kind, number, copy, pattern):
        found = re.search(pattern, dump(cuobjdump, copy), re.M)
        name = found.group(1) if found else ""
        if name and name not in ("?", "-") and not name.startswith("UNKNOWN"):
            print(kind, hex(number), name, sep="\t")

    variables = cubin.sections[".nv.global"]
    print("section", "0x70000000", "CUDA_INFO", sep="\t")  # in every file: .nv.info
    for number in range(0x70000001, 0x70000100):
        ask("section", number, cubin.replaced("<I", cubin.header(variables) + 4, number),
            r"^ +\w+ +\w+ +\w+ +\w+ +\w+ +(\S+).* \.nv\.global$")
    relocations = next(name for name in cubin.sections if name.startswith(".rela.text."))
    place = cubin.offset(cubin.sections[relocations]) + 8
    for number in [*range(0, 0x100), *range(0x10000, 0x10100)]:
        ask("relocation", number, cubin.replaced("<I", place, number),
            re.escape(".section " + relocations) + r"\b[^\n]*\n[^\n]*\b(R_CUDA_\w+|UNKNOWN)")
    # The variable is the symbol that has the type STT_CUDA_OBJECT.
    symbols = cubin.sections[".symtab"]
    size, = struct.unpack_from("<Q", cubin.data, cubin.header(symbols) + 0x20)
    index = next(i for i in range(size // SYMBOL)
                 if cubin.data[cubin.offset(symbols) + i * SYMBOL + 4] & 0xf == 13)
    place = cubin.offset(symbols) + index * SYMBOL + 4
    line = r"^ +" + hex(index) + r" +\w+ +\w+ +"
    for number in range(10, 16):
        ask("symbol", number, cubin.replaced("<B", place, 0x10 | number), line + r"(\S+)")
    for number in (0x04, 0x20, 0x40, 0x80, 0xa0):
        ask("other", number, cubin.replaced("<B", place + 1, number), line + r"\S+ +\S+ +\S+ +(\S+)")
    kernel = next(i for i in range(size // SYMBOL)
                  if cubin.data[cubin.offset(symbols) + i * SYMBOL + 5] & 0x10)
    ask("other", 0x10, cubin.data, r"^ +" + hex(kernel) + r" +\w+ +\w+ +\S+ +\S+ +\S+ +(\S+)")


main()
