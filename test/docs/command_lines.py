# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the command lines of the manual and of README.md in the current folder.

Usage: command_lines.py SOURCE_DIR LLVM_BIN_DIR PREFIX

A command line is an indented one whose first word is one of TOOLS; it begins in
a folder with the inputs, a CMake project and a makefile. PREFIX is where
lld-cuda is installed. Those that need more have tests of their own.
"""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

source, llvm, prefix = (Path(p) for p in sys.argv[1:])
TOOLS = ("nvcc", "lld-cuda", "lld-cuda-toolkit", "ld.cuda", "cubin-dump", "cubin-diff", "cubin-size", "clang", "clang++",
         "DIR/bin/nvcc", "~/cuda-lld/bin/nvcc", "cmake", "make", "PATH=~/cuda-lld/bin:$PATH")
FILES = {
    "a.cu": "extern __device__ int twice(int);\n"
            "__global__ void kernel(int *p) { *p = twice(*p); }\n"
            "int main() { kernel<<<1, 1>>>(nullptr); }\n",
    "b.cu": "__device__ int twice(int x) { return x + x; }\n",
    "k.c": "extern int twice(int);\n"
           "__attribute__((device_kernel)) void kernel(int *p);\n",
    "l.c": "int twice(int x) { return x + x; }\n",
    "a.c": "extern int twice(int);\nint four(int x) { return twice(twice(x)); }\n",
    "b.c": "int twice(int x) { return x + x; }\n",
    "Makefile": "NVCC = nvcc\n"
                "made: a.cu b.cu\n"
                "\t$(NVCC) -rdc=true -arch=sm_90 a.cu b.cu -o $@\n",
    "CMakeLists.txt": "cmake_minimum_required(VERSION 3.24)\n"
                      "set(CMAKE_CUDA_ARCHITECTURES 90-real)\n"
                      "set(CMAKE_CUDA_SEPARABLE_COMPILATION ON)\n"
                      "project(Example LANGUAGES CXX CUDA)\n"
                      "add_executable(program a.cu b.cu)\n",
}
# Where a command's program is; each of these must have been linked by lld-cuda.
PROGRAMS = {"make": "made", "PATH=~/cuda-lld/bin:$PATH": "made", "cmake": "build/program"}
FILES["k.c"] = (source / "test/toolkit/Inputs/kernel.c").read_text()
FILES["l.c"] = (source / "test/toolkit/Inputs/function.c").read_text()


def run(line):
    # What people have to say to a clang that is older than the toolkit.
    if line.startswith("clang --target=nvptx64-nvidia-cuda"):
        line += " -std=c23"
    return subprocess.run(["bash", "-c", line], stdin=subprocess.DEVNULL, capture_output=True, text=True)


def linker_of(program):
    notes = subprocess.run(["cubin-dump", "--notes", program], capture_output=True, text=True).stdout
    return re.findall(r'tool="(nvlink|lld-cuda)"', notes)


def check(line, word):
    """What is wrong with a command line; empty: nothing."""
    if re.search(r"=~/", line) and not line.startswith("PATH="):
        return "a shell leaves ~ as it is behind =, but in assignments"
    program = Path(PROGRAMS.get(word, ""))
    if program.is_file():
        program.unlink()
    result = run(line.replace("PREFIX", str(prefix)))
    if result.returncode:
        return result.stdout + result.stderr
    if program.is_file() and "nvlink" in linker_of(program):
        return f"{program} is linked by nvlink"
    return ""


def prepare(folder):
    """The inputs that command lines name."""
    folder.mkdir()
    os.chdir(folder)
    os.environ["HOME"] = str(folder)
    for name, text in FILES.items():
        Path(name).write_text(text)
    library = folder / "libdevicecode.a"
    for line in ("nvcc -cubin -rdc=true -arch=sm_90 a.cu", "nvcc -dc -arch=sm_90 b.cu",
                 f"{llvm}/llvm-ar rc libc.a", f"{llvm}/llvm-ar rc {library}"):
        made = run(line)
        if made.returncode:
            sys.exit(line + "\n" + made.stderr)


os.environ["PATH"] = f"{llvm}:{os.environ['PATH']}"
base = Path.cwd()
failed = count = 0
for document in ("README.md", "docs/manual/getting-started.rst", "docs/manual/lto.rst"):
    prepare(base / Path(document).stem)
    for line in (source / document).read_text().splitlines():
        if not re.match(r" {4}\S", line) or shlex.split(line, comments=True)[:1] == []:
            continue
        words = shlex.split(line)
        if words[0] not in TOOLS or line.rstrip().endswith("..."):
            continue
        if words[0] == "cubin-diff":
            Path("other.cubin").write_bytes(Path("linked.cubin").read_bytes())
        count += 1
        if problem := check(line.strip(), words[0]):
            failed += 1
            print(f"{document}: {line.strip()}\n{problem}")
print(f"{count - failed} of {count} command lines work" if failed else f"all {count} command lines work")
sys.exit(failed != 0)
