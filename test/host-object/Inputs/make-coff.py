# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes a COFF object with the device code of an ELF object that nvcc made.

    make-coff.py CLANG ARCHITECTURE ELF COFF
"""
import subprocess
import sys
import tempfile
from pathlib import Path

SECTIONS = ["__nv_relfatbin", "__nv_module_id"]
clang, architecture, elf, coff = sys.argv[1:]
with tempfile.TemporaryDirectory() as folder:
    subprocess.run(["llvm-objcopy", *(f"--dump-section={name}={folder}/{name}" for name in SECTIONS), elf,
                    f"{folder}/copy"], check=True)
    source = Path(__file__).resolve().parent / "input.s"
    subprocess.run([clang, f"--target={architecture}-pc-windows-msvc", "-c", source, "-o", Path(coff).resolve()],
                   cwd=folder, check=True)
