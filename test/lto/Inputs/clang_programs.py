#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""clang's programs, with bitcode, linked by ld.cuda and by clang-nvlink-wrapper.

  clang_programs.py --clang CLANG --linker ld.cuda --wrapper WRAPPER --toolkit T --dir DIR

The PTX that is made of the bitcode must be the same text, and the linked images
the same but for the note, or have the same symbols where the order differs: the
wrapper links what it made of bitcode before everything else.
Without --wrapper the programs are linked only, and must have their kernels.
"""

import argparse
import os
import subprocess
import sys

SOURCES = {
    "k.c": "int bar(int); extern int ga;\n"
           "[[clang::nvptx_kernel]] void k1(int *p) { p[0] = bar(p[1]) + ga; }\n",
    "l.c": "int ga = 5; int bar(int x) { return x * 3 + ga; }\n",
    "hidden.c": "int ga = 5;\n"
                "__attribute__((visibility(\"hidden\"), noinline)) int helper(int x) { return x * x; }\n"
                "int bar(int x) { return helper(x) + ga; }\n",
    "weak1.c": "int ga = 1; __attribute__((weak)) int bar(int x) { return x + 1; }\n",
    "weak2.c": "__attribute__((weak)) int bar(int x) { return x + 2; } int other(int x) { return bar(x); }\n",
    "unused.c": "int never(int x) { return x * 7; } int nevervar = 4;\n",
    "loop.c": "int ga; int bar(int x) { int s = 0; for (int i = 0; i < x; ++i) s += i * ga; return s; }\n"
              "[[clang::nvptx_kernel]] void k2(int *p) { for (int i = 0; i < 8; ++i) p[i] = bar(i); }\n",
    "cuda.h": "#define __device__ __attribute__((device))\n#define __global__ __attribute__((global))\n"
              "#define __constant__ __attribute__((constant))\n"
              "struct dim3 { unsigned x, y, z; }; enum cudaError_t {}; typedef struct stream *cudaStream_t;\n"
              "extern \"C\" cudaError_t cudaLaunchKernel(const void *, dim3, dim3, void **, unsigned long, "
              "cudaStream_t);\n",
    "d.cu": "#include \"cuda.h\"\n__device__ int gd = 3; __constant__ int cd[4] = {1, 2, 3, 4};\n"
            "template <int N> __device__ int twice(int x) { return x * N; }\n"
            "__device__ int dev(int x) { return twice<2>(x) + gd + cd[x & 3]; }\n",
    "e.cu": "#include \"cuda.h\"\nextern __device__ int dev(int);\n"
            "__global__ void ke(int *p) { p[0] = dev(p[1]); }\n",
    "math.c": "float __nv_expf(float); float __nv_sinf(float);\n"
              "[[clang::nvptx_kernel]] void km(float *p) { p[0] = __nv_expf(p[1]) + __nv_sinf(p[2]); }\n",
}

# name, inputs (NAME.bc: -flto, NAME.o: cubin, NAME.thin, LIB.a=MEMBERS), options of
# both linkers, kernels, "same" or "symbols".
PROGRAMS = [
    ("two-modules", ["k.bc", "l.bc"], [], ["k1"], "same"),
    ("no-optimization", ["k.bc", "l.bc"], ["-plugin-opt=O0"], ["k1"], "same"),
    ("level-3", ["loop.bc", "unused.bc"], ["-plugin-opt=O3"], ["k2"], "same"),
    ("bitcode-and-cubin", ["k.bc", "l.o"], [], ["k1"], "same"),
    ("cubin-and-bitcode", ["l.bc", "k.o"], [], ["k1"], "same"),
    ("hidden", ["k.bc", "hidden.bc"], [], ["k1"], "same"),
    ("weak", ["k.bc", "weak1.bc", "weak2.bc"], [], ["k1"], "same"),
    ("archive", ["k.bc", "lib.a=l.bc,unused.bc"], [], ["k1"], "same"),
    ("archive-of-both", ["k.o", "lib.a=unused.bc,l.bc,weak2.o"], [], ["k1"], "symbols"),
    ("cuda", ["e.cubc", "d.cubc"], [], ["_Z2kePi"], "same"),
    ("cuda-and-cubin", ["e.cubc", "d.cuo"], [], ["_Z2kePi"], "same"),
    ("features", ["k.bc", "l.bc"], ["--feature", "+ptx85"], ["k1"], "same"),
    # What the wrapper cannot do.
    ("thin", ["k.thin", "l.thin"], [], ["k1"], None),
    ("offloading", ["e.host", "d.host"], [], ["_Z2kePi"], None),
    ("device-library", ["math.bc"], ["--libdevice=%T/nvvm/libdevice/libdevice.10.bc"], ["km"], None),
    ("partitions", ["loop.bc", "k.bc"], ["--lto-partitions=2", "--allow-multiple-definition"], ["k1", "k2"], None),
]


def run(words, cwd):
    return subprocess.run(
        words, cwd=cwd, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, text=True,
    )


class Suite:
    def __init__(self, args):
        self.args = args
        self.made = set()
        for name, text in SOURCES.items():
            with open(os.path.join(args.dir, name), "w") as f:
                f.write(text)

    def check(self, words):
        result = run(words, self.args.dir)
        if result.returncode:
            sys.exit(" ".join(words) + "\n" + result.stdout)
        return result.stdout

    def make(self, item):
        """The file of an input, compiled when first asked for."""
        if "=" in item:
            archive, members = item.split("=")
            files = [self.make(member) for member in members.split(",")]
            path = f"{archive}.{len(self.made)}.a"
            self.made.add(path)
            self.check([self.args.ar, "rc", path] + files)
            return path
        name, kind = item.split(".")
        path = f"{name}-{kind}.o"
        if path in self.made:
            return path
        self.made.add(path)
        c = [self.args.clang, "-x", "c", "--target=nvptx64-nvidia-cuda", "-march=sm_90", "-O2", "-std=c23",
             f"--cuda-path={self.args.toolkit}", "-Wno-unknown-cuda-version", "-c", f"{name}.c"]
        cuda = [self.args.clang, "-x", "cuda", "--cuda-gpu-arch=sm_90", "-fgpu-rdc", "-O2", "-nocudainc",
                "-nocudalib", f"--cuda-path={self.args.toolkit}", "-Wno-unknown-cuda-version", f"{name}.cu"]
        words = {
            "bc": c + ["-flto"],
            "thin": c + ["-flto=thin"],
            "o": c,
            "cubc": cuda + ["--cuda-device-only", "-emit-llvm", "-c"],
            "cuo": cuda + ["--cuda-device-only", "-c"],
            "host": cuda + ["--offload-new-driver", "-foffload-lto", "-c"],
        }[kind]
        self.check(words + ["-o", path])
        return path

    def symbols(self, path):
        lines = self.check([self.args.dump, path]).splitlines()
        return sorted(line.split("index=")[0].rstrip() for line in lines
                      if line.startswith("symbol ") and "type=SECTION" not in line)

    def link(self, name, inputs, options, kernels, compared):
        files = [self.make(item) for item in inputs]
        options = [o.replace("%T", self.args.toolkit) for o in options]
        base = ["-arch", "sm_90", f"--cuda-path={self.args.toolkit}"] + options + files
        ours = [self.args.linker, "--nvlink-compat"] + base
        result = run(ours + ["-o", f"{name}.ours"], self.args.dir)
        if result.returncode:
            return result.stdout
        symbols = self.symbols(f"{name}.ours")
        for kernel in kernels:
            if not any(line.startswith(f"symbol {kernel}:") for line in symbols):
                return f"kernel {kernel} is missing"
        if not self.args.wrapper or not compared:
            return None
        ours.append("--no-lto-internalize")
        problems = []
        for words, file in ((ours, "ours"), ([self.args.wrapper] + base, "theirs")):
            for extra, suffix in (([], ""), (["--lto-emit-asm"], ".s")):
                result = run(words + extra + ["-o", f"{name}.{file}{suffix}"], self.args.dir)
                if result.returncode:
                    return f"{file}: {result.stdout}"
        ours_text, their_text = (
            open(os.path.join(self.args.dir, f"{name}.{file}.s")).read() for file in ("ours", "theirs")
        )
        if ours_text != their_text:
            problems.append("the PTX differs")
        verdict = self.symbols(f"{name}.ours") == self.symbols(f"{name}.theirs")
        if not verdict:
            problems.append("the symbols differ")
        if compared == "same":
            diff = run([self.args.diff, f"{name}.theirs", f"{name}.ours"], self.args.dir).stdout
            if not diff.startswith("IDENTICAL"):
                problems.append("the images differ:\n" + diff)
        return "; ".join(problems) or None


def main():
    parser = argparse.ArgumentParser()
    for name in ("clang", "linker", "toolkit", "dir", "dump", "diff", "ar"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--wrapper")
    parser.add_argument("--only")
    args = parser.parse_args()
    suite = Suite(args)
    programs = [p for p in PROGRAMS if args.only in (None, p[0])]
    good = 0
    for program in programs:
        problem = suite.link(*program)
        if problem:
            print(f"{program[0]}: {problem}")
        else:
            good += 1
    print(f"{good} of {len(programs)} programs are linked well")
    return good != len(programs)


if __name__ == "__main__":
    sys.exit(main())
