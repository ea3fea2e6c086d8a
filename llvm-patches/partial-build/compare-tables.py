#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the names and numbers that the patches give to LLVM with the tables
of this repository. A name that only this repository has is told, one with another
number is an error.

usage: compare-tables.py include/lld-cuda/BinaryFormat llvm/include/llvm/BinaryFormat
"""
import re
import sys

ours, theirs = sys.argv[1:]
failed = False


def rows(path, pattern):
    with open(path) as file:
        found = re.findall(pattern, file.read(), re.M)
    return {name: int(value, 0) for name, value in found}


def compare(what, expected, actual):
    global failed
    for name in sorted(actual):
        if expected.get(name) != actual[name]:
            print(f"{name}: {expected.get(name)} here, {actual[name]} in LLVM")
            failed = True
    missing = sorted(expected.keys() - actual.keys())
    print(f"{what}: {len(actual)}" + (f", not in LLVM: {', '.join(missing)}" if missing else ""))


def here(file, macro, prefix):
    table = rows(f"{ours}/{file}", rf"^{macro}\((\w+),\s*(\w+)")
    # TYPE_xx: only the number is known, and LLVM has no name then.
    return {prefix + n: v for n, v in table.items() if not n.startswith("TYPE_")}


elf = f"{theirs}/ELF.h"
relocations = rows(f"{theirs}/ELFRelocs/CUDA.def", r"^ELF_RELOC\((\w+),\s*(\w+)\)")
compare("relocation types",
        here("Relocations.def", "CUDA_RELOC", "R_CUDA_") |
        here("MercuryRelocations.def", "MERCURY_RELOC", "R_MERCURY_"), relocations)
compare("section types", here("SectionTypes.def", "CUDA_SECTION_TYPE", ""),
        rows(elf, r"^\s*(SHT_CUDA_\w+) = (0x[0-9a-fA-F]+)"))
compare("symbol types", here("SymbolTypes.def", "CUDA_SYMBOL_TYPE", "STT_"),
        rows(elf, r"^\s*(STT_CUDA_\w+) = (\w+)"))
sto = rows(elf, r"^\s*(STO_CUDA_\w+) = (\w+)")
in_code = rows(f"{ours}/ELF.h", r"^\s*(STO_CUDA_\w+) = (\w+)")
compare("symbol flags", here("SymbolTypes.def", "CUDA_SYMBOL_SPACE", "STO_") | in_code, sto)
compare("architectures",
        {"EF_CUDA_SM" + n: int(n) for n in
         re.findall(r"^CUDA_ARCH\((\d+)", open(f"{ours}/Architectures.def").read(), re.M)},
        {n: v for n, v in rows(elf, r"^\s*(EF_CUDA_SM\d+) = (\w+)").items() if v >= 50})
sys.exit(failed)
