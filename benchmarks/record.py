# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Instruction counts that are kept in the repository (instructions.json), and the
toolchain that they hold for.

The same source takes other instructions with another compiler, LLVM, C library or
other build options; such counts say nothing of each other. So the record has what
it was made with, and check-instructions compares only if that is the same.
"""

import json
import re
import subprocess
from pathlib import Path

FILE = Path(__file__).resolve().parent / "instructions.json"
#: Of the cache of CMake: what changes how the linker is compiled.
OPTIONS = ("CMAKE_BUILD_TYPE", "CMAKE_CXX_FLAGS", "CMAKE_UNITY_BUILD", "LLDCUDA_HARDENING",
           "LLDCUDA_LLVM_DYLIB", "LLDCUDA_SANITIZE")


def read(path):
    try:
        return path.read_text()
    except OSError:
        return ""


def cached(cache, name):
    found = re.search(rf"^{name}:\w+=(.*)$", cache, re.M)
    return found[1] if found else ""


def output_of(*command):
    try:
        return subprocess.run(command, capture_output=True, text=True).stdout.strip()
    except OSError:
        return ""


def toolchain_of(linker, valgrind):
    """What the linker of a build was made with, and what counts its instructions.
    None: it isn't in a folder of a build."""
    build = linker.resolve().parent.parent
    cache = read(build / "CMakeCache.txt")
    if not cache:
        return None
    compilers = "".join(map(read, sorted(build.glob("CMakeFiles/*/CMakeCXXCompiler.cmake"))))
    compiler = re.findall(r'set\(CMAKE_CXX_COMPILER_(?:ID|VERSION) "([^"]*)"\)', compilers)
    llvm = read(Path(cached(cache, "LLVM_DIR")) / "LLVMConfigVersion.cmake")
    llvm = re.search(r'set\(PACKAGE_VERSION "([^"]*)"\)', llvm)
    # Valgrind shows the program no more than AVX2, by which the C library
    # chooses how to copy and compare.
    has_avx2 = " avx2 " in read(Path("/proc/cpuinfo"))
    return {"compiler": " ".join(compiler), "LLVM": llvm[1] if llvm else "",
            "C library": output_of("getconf", "GNU_LIBC_VERSION"),
            "valgrind": output_of(valgrind, "--version"),
            "processor": "with AVX2" if has_avx2 else "without AVX2",
            "build": " ".join(f"{name}={cached(cache, name)}" for name in OPTIONS)}


class Record:
    def __init__(self, path=FILE):
        self.path = path
        text = read(path)
        kept = json.loads(text) if text else {}
        self.toolchain, self.counts = kept.get("toolchain", {}), kept.get("counts", {})

    def differences(self, toolchain):
        """What isn't as it was, for people to read; empty: counts can be compared."""
        if not toolchain:
            return ["the linker isn't in a folder of a build, so nobody knows what made it"]
        return [f"{key}: recorded with {self.toolchain.get(key) or 'none'}, this is {now or 'unknown'}"
                for key, now in toolchain.items() if self.toolchain.get(key) != now]

    def write(self, toolchain, counts):
        self.path.write_text(json.dumps({"toolchain": toolchain, "counts": counts}, indent=2) + "\n")
