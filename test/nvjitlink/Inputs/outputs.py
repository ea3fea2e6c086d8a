# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""outputs.py LIBRARY LTOIR...: what a link of LTO IR can give beside a cubin."""

import ctypes
import sys
from pathlib import Path

from nvjitlink import ANY, TYPES, Library


def run(library, options, inputs, what):
    words = (ctypes.c_char_p * len(options))(*[option.encode() for option in options])
    handle = ctypes.c_void_p()
    results = [library.call("Create", ctypes.byref(handle), len(options), words)]
    for kind, data in inputs:
        results.append(library.call("AddData", handle, kind, data, ctypes.c_size_t(len(data)), None))
    results.append(library.call("Complete", handle))
    output = library.get(handle, what)
    library.call("Destroy", ctypes.byref(handle))
    return results, output


def main():
    library = Library(sys.argv[1])
    inputs = [(TYPES["ltoir"], Path(path).read_bytes()) for path in sys.argv[2:]]
    results, ptx = run(library, ["-arch=sm_90", "-lto", "-ptx"], inputs, "LinkedPtx")
    print("-lto -ptx:", "PTX," if b".version" in ptx else results, "ends with NUL" if ptx.endswith(b"\0") else ptx[-4:])
    results, linked = run(library, ["-arch=sm_90", "-lto"], inputs, "LinkedLTOIR")
    again, cubin = run(library, ["-arch=sm_90", "-lto"], [(ANY, linked)], "LinkedCubin")
    print("-lto:", "LTO IR that is an input" if cubin else (results, again, linked[:8]))


if __name__ == "__main__":
    main()
