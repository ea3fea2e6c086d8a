# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""names.py MAJOR [LIBRARY...]: the dynamic symbols that libnvJitLink of a major release has to have, one a line.

Those that a library of NVIDIA's exports are a part of them: of each that is named, what is missing is an error.
"""

import subprocess
import sys

FUNCTIONS = ["Create", "Destroy", "AddData", "AddFile", "Complete", "GetLinkedCubinSize", "GetLinkedCubin",
             "GetLinkedPtxSize", "GetLinkedPtx", "GetErrorLogSize", "GetErrorLog", "GetInfoLogSize", "GetInfoLog"]
LTOIR = ["GetLinkedLTOIRSize", "GetLinkedLTOIR"]
# The newest release has 13 functions with names of 12.x; with those of 13.x, 15, even of 13.0.
VERSIONED = {12: FUNCTIONS, 13: FUNCTIONS + LTOIR}
# Up to 12.9, and to releases after 13.5 that aren't out yet.
MINORS = {12: range(10), 13: range(10)}


def names(major):
    found = {f"nvJitLink{f}" for f in FUNCTIONS + LTOIR} | {"nvJitLinkVersion", "__nvJitLinkAPI"}
    found |= {f"__nvJitLink{f}_{major}_{minor}" for f in VERSIONED[major] for minor in MINORS[major]}
    return {f"{name}@@libnvJitLink.so.{major}" for name in found}


def exported(path):
    lines = subprocess.run(["llvm-nm", "-D", "--defined-only", path], capture_output=True, text=True, check=True).stdout
    # The version node is a symbol, too.
    return {line.split()[-1] for line in lines.splitlines() if line.split()[1] != "A"}


def main():
    major = int(sys.argv[1])
    for library in sys.argv[2:]:
        if missing := exported(library) - names(major):
            sys.exit(f"{library} has more: {sorted(missing)}")
    print(*sorted(names(major)), sep="\n")


if __name__ == "__main__":
    main()
