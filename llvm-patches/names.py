#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Says for each name that the patches give to a number of cubins where it is from.

usage: names.py llvm/include/llvm/BinaryFormat >NAMES.md

The folder is of the patched source. Public are the names in public-names.tsv; a
name that isn't there is chosen here. A name that differs from a public one is an
error.
"""
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
KINDS = (
    ("section", "Section types", "SHT_", "ELF.h", r"^\s*(SHT_CUDA_\w+) = (0x[0-9a-fA-F]+)"),
    ("relocation", "Relocation types", "", "ELFRelocs/CUDA.def", r"^ELF_RELOC\((\w+),\s*(\w+)\)"),
    ("symbol", "Symbol types", "STT_", "ELF.h", r"^\s*(STT_CUDA_\w+) = (\w+)"),
    ("other", "Bits of st_other", "STO_CUDA_", "ELF.h", r"^\s*(STO_CUDA_\w+) = (0x[0-9a-fA-F]+)"),
)


def public_names():
    names = {}
    with open(os.path.join(HERE, "public-names.tsv")) as file:
        for line in file:
            if not line.startswith("#"):
                kind, number, name = line.rstrip("\n").split("\t")
                names[kind, int(number, 16)] = name
    return names


def main():
    folder, = sys.argv[1:]
    public = public_names()
    totals, tables = [], []
    for kind, title, prefix, file, pattern in KINDS:
        with open(os.path.join(folder, file)) as source:
            rows = [(int(number, 0), name) for name, number in re.findall(pattern, source.read(), re.M)]
        rows = [(number, name) for number, name in rows if not name.endswith("_MASK")]
        found = 0
        lines = []
        for number, name in sorted(rows):
            printed = public.get((kind, number))
            if printed and name != prefix + printed:
                sys.exit(f"names.py: {name} is {prefix + printed} for cuobjdump")
            found += bool(printed)
            lines.append(f"| `{number:#x}` | `{name}` | {f'`{printed}`' if printed else 'name chosen here'} |")
        if not rows:
            sys.exit(f"names.py: no {title.lower()} in {file}")
        totals.append(f"| {title.lower()} | {len(rows)} | {found} | {len(rows) - found} |")
        tables += ["", f"## {title}", "", "| number | name in the patches | `cuobjdump -elf` |",
                   "| --- | --- | --- |", *lines]
    print("# Where the names are from")
    print()
    print("Made by names.py from the patched headers. A public name is what NVIDIA's `cuobjdump -elf` of CUDA 13.5.37")
    print("prints for the number (public-names.tsv, made by ask-cuobjdump.py).")
    print()
    print("| | names | public | chosen here |")
    print("| --- | --- | --- | --- |")
    print("\n".join(totals + tables))


main()
