#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Link-time optimized links of generated programs, compared with nvlink's.

  lto_programs.py --linker nvlink --reference NVLINK --dir DIR [--count N]

A program has one to three modules that call each other and use each other's
variables, with host code that refers to some kernels. Most are all LTO IR, the
others hold a module that isn't (then the linker under test is given NVIDIA's
nvlink, --lto-nvlink). The output must be the same to the byte.
"""

import os
import random
import sys

from lto_links import compare, parse_arguments, run

ARCHITECTURES = ["75", "80", "90", "90a", "100", "120"]
FLOAT_OPTIONS = [[], [], ["-use_fast_math"], ["-fmad=false"], ["-ftz=true"]]
LINK_OPTIONS = [
    [], [], [], ["-maxrregcount", "40"], ["-Xptxas", "-O1"], ["-ignore-host-info"],
    ["-kernels-used", "k0"], ["-split-compile", "2"], ["-g"],
]


def module_source(r, index, count):
    lines = []
    for i in range(count):
        if i != index:
            lines.append(f"extern __device__ int f{i}(int); extern __device__ int g{i};")
            lines.append(f"extern __constant__ int c{i}[4];")
    lines.append(f"__device__ int g{index} = {r.randrange(99)};")
    lines.append(f"__constant__ int c{index}[4] = {{{index}, 2, 3, 4}};")
    lines.append(f"static __device__ int s{index} = {index * 3};")
    lines.append("template <int N> __device__ __noinline__ int scaled(int x) { return x * N + 7; }")
    value = "x"
    for i in range(index + 1, count):
        if r.random() < 0.7:
            value = f"f{i}({value}) + g{i} + c{i}[x & 3]"
    early = "if (x > 100) return x - 1;" if r.random() < 0.5 else ""
    noinline = r.choice(["", "__noinline__"])
    lines.append(
        f"__device__ {noinline} int f{index}(int x) {{ {early} "
        f"return {value} + g{index} + s{index} + scaled<{r.randrange(2, 4)}>(x); }}"
    )
    if r.random() < 0.5:
        lines.append(f"__device__ int unused{index}(int x) {{ return x / 3; }}")
    shared = ""
    if r.random() < 0.6:
        shared = (
            f"__shared__ int sh[{r.choice([32, 64])}]; sh[threadIdx.x] = x; __syncthreads(); "
            "x = sh[(threadIdx.x + 1) % 32];"
        )
    if r.random() < 0.3:
        shared += "extern __shared__ int dynamic[]; dynamic[x & 3] = x; x += dynamic[0];"
    others = "".join(f" + f{i}(x)" for i in range(count) if i != index and r.random() < 0.4)
    lines.append(
        f"__global__ void k{index}(int *p, float *q) {{ int x = p[threadIdx.x]; {shared} "
        f"q[0] = sqrtf(q[1]) / q[2] + sinf(q[3]); p[0] = f{index}(x){others}; }}"
    )
    if r.random() < 0.3:
        lines.append("#include <stdio.h>")
        lines.append(f'__global__ void say{index}(int x) {{ printf("%d\\n", x + f{index}(x)); }}')
    if r.random() < 0.4:
        lines.append(f"void launch{index}(int *p, float *q) {{ k{index}<<<1, 32>>>(p, q); }}")
    return "\n".join(lines) + "\n"


def make_program(r, arch, directory):
    """The objects, and whether one of them isn't LTO IR."""
    count = r.randrange(1, 4)
    floats = r.choice(FLOAT_OPTIONS)
    plain = r.randrange(count) if count > 1 and r.random() < 0.25 else None
    compressed = r.choice([[], ["--compress-mode=none"], ["--compress-mode=speed"]])
    objects = []
    for i in range(count):
        with open(os.path.join(directory, f"m{i}.cu"), "w") as f:
            f.write(module_source(r, i, count))
        kind = "sm" if i == plain else "lto"
        words = ["nvcc", "-dc", "-gencode", f"arch=compute_{arch},code={kind}_{arch}"]
        result = run(words + floats + compressed + [f"m{i}.cu", "-o", f"m{i}.o"], directory)
        if result.returncode:
            sys.exit(result.stdout)
        objects.append(f"m{i}.o")
    if r.random() < 0.3:
        result = run(["ar", "rc", "libm.a", objects[-1]], directory)
        objects[-1] = "libm.a"
    return objects, plain is not None


def main():
    args = parse_arguments(count=25)
    same = 0
    for seed in range(args.first, args.first + args.count):
        r = random.Random(seed)
        arch = ARCHITECTURES[seed % len(ARCHITECTURES)]
        directory = os.path.join(args.dir, f"program{seed}")
        os.makedirs(directory, exist_ok=True)
        objects, partial = make_program(r, arch, directory)
        options = [f"-arch=sm_{arch}", "-lto", "-nvvmpath=../nvvm", "-cpu-arch=X86_64"]
        options += [f"-L{args.toolkit}/lib", "-lcudadevrt"] + r.choice(LINK_OPTIONS) + objects
        same += not compare(args, options, directory, [f"--lto-nvlink={args.reference}"] if partial else [])
    print(f"{same} of {args.count} programs are linked as by nvlink")
    return same != args.count


if __name__ == "__main__":
    sys.exit(main())
