#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Link-time optimized links of programs of many shapes, compared with nvlink's.

  lto_shapes.py --linker NVLINK --reference NVLINK --toolkit T --dir DIR [--count N] [--first N]

Two to four modules with templates, constants, textures, surfaces, function
pointers, virtual functions, static and dynamic shared memory, weak functions and
launches from device code, as host objects, fatbins, LTO IR files, archives, with
PTX or SASS beside the LTO IR, or without LTO IR. Status, messages and output must
be nvlink's.
"""

import os
import random
import sys

from lto_links import compare, parse_arguments, run

ARCHITECTURES = ["75", "80", "90", "90a", "100", "120"]

COMMON = """
#include <stdio.h>
struct Shape { __device__ virtual float area(float x) { return x; } int id; };
typedef int (*Function)(int);
template <typename T, int N> struct Array { T v[N]; __device__ T sum() { T s = 0; for (int i = 0; i < N; ++i) s += v[i]; return s; } };
"""


def module_source(r, index, count, host_launches):
    lines = [COMMON]
    for i in range(count):
        if i != index:
            lines.append(f"extern __device__ int f{i}(int); extern __device__ int g{i}; extern __constant__ float c{i}[8];")
            lines.append(f"extern __device__ Function table{i}[2];")
    lines.append(f"__device__ int g{index} = {r.randrange(50)}; __constant__ float c{index}[8] = {{{index}, 1.5f, 2}};")
    lines.append(f"static __device__ long long private{index}[{r.choice([1, 3, 100])}];")
    lines.append(f"__managed__ int managed{index} = 4;" if r.random() < 0.2 else "")
    lines.append(f"static __device__ __noinline__ int one{index}(int x) {{ return x * {r.randrange(2, 9)}; }}")
    lines.append(f"__device__ int two{index}(int x) {{ return x - (int)private{index}[0]; }}")
    lines.append(f"__device__ Function table{index}[2] = {{one{index}, two{index}}};")
    lines.append("__device__ __forceinline__ float mix(float a, float b) { return a * b + sqrtf(fabsf(a)) / b; }")
    body = ["int y = x;"]
    if r.random() < 0.5:
        lines.append(f"inline __device__ __noinline__ int shared_name(int x) {{ return x ^ 85; }}")
        body.append("y += shared_name(x);")
    if r.random() < 0.5:
        body.append(f"Array<{r.choice(['int', 'double', 'short'])}, {r.randrange(2, 6)}> a; for (auto &e : a.v) e = y; y += a.sum();")
    if index + 1 < count:
        body.append(f"if (x > {r.randrange(20)}) y += f{index + 1}(x - 1) + g{index + 1};")
    elif r.random() < 0.4:
        body.append(f"if (x > 3) y += f0(x - 4);")
    if r.random() < 0.3:
        body.append("for (int i = 0; i < x; ++i) switch (i + y) { case 1: y += 7; break; case 2: y *= 3; break; "
                    "case 3: y -= 2; break; case 4: y ^= 9; break; case 5: y /= 3; break; case 6: y = -y; break; }")
    body.append("return y;")
    lines.append(f"__device__ {r.choice(['', '__noinline__ '])}int f{index}(int x) {{ {' '.join(body)} }}")
    kernel = ["int t = p[threadIdx.x];"]
    parameters = "int *p, float *q"
    if r.random() < 0.5:
        kernel.append(f"__shared__ {r.choice(['int', 'double', 'float4'])} s[{r.choice([8, 33, 64])}]; "
                      "((int *)s)[threadIdx.x & 7] = t; __syncthreads(); t += ((int *)s)[(threadIdx.x + 1) & 7];")
    if r.random() < 0.3:
        kernel.append("extern __shared__ float dynamic[]; dynamic[t & 7] = t; __syncthreads(); q[5] = dynamic[3];")
    if r.random() < 0.4:
        parameters += ", cudaTextureObject_t tex, cudaSurfaceObject_t surf"
        kernel.append("q[6] = tex2D<float>(tex, q[0], q[1]); surf1Dwrite(t, surf, 4 * t);")
    if r.random() < 0.5:
        who = r.randrange(count)
        kernel.append(f"t += table{who}[t & 1](t);")
    if r.random() < 0.3:
        lines.append(f"struct Round{index} : Shape {{ __device__ float area(float x) override {{ return x * c{index}[2]; }} }};")
        kernel.append(f"Round{index} round; Shape plain; Shape *shape = t & 1 ? &round : &plain; q[7] = shape->area(q[8]);")
    if r.random() < 0.3:
        kernel.append('if (t < 0) printf("%d\\n", t);')
    if r.random() < 0.2:
        lines.append("#include <assert.h>")
        kernel.append("assert(t != 77);")
    if r.random() < 0.2:
        kernel.append("int *heap = (int *)malloc(t); if (heap) { *heap = t; t += heap[t & 1]; free(heap); }")
    if r.random() < 0.25 and not host_launches:
        lines.append(f"__global__ void child{index}(int *p) {{ p[0] = f{index}(1); }}")
        kernel.append(f"if (t == 9) child{index}<<<1, 1>>>(p);")
    kernel.append(f"q[0] = mix(q[1], c{index}[t & 7]); p[0] = f{index}(t) + atomicAdd(&g{index}, 1);")
    bounds = r.choice(["", "", "__launch_bounds__(128, 2) "])
    lines.append(f"__global__ void {bounds}k{index}({parameters}) {{ {' '.join(kernel)} }}")
    lines.append(f"template <int N> __global__ void t{index}(int *p) {{ p[N] = f{index}(N) + one{index}(N); }}")
    lines.append(f"template __global__ void t{index}<{r.randrange(3)}>(int *);")
    chance = r.random()
    if host_launches and chance < 0.6 and "tex" not in parameters:
        lines.append(f"void launch{index}(int *p, float *q) {{ k{index}<<<1, 32>>>(p, q); }}")
        if chance < 0.2:
            lines.append(f"void copy{index}(int *p) {{ cudaMemcpyFromSymbol(p, g{index}, 4); }}")
    return "\n".join(lines) + "\n"


def make_program(r, arch, directory, nvcc=lambda: "nvcc", plain_forms=("o", "cubin")):
    """The inputs, and the number of modules. `nvcc` names the compiler of the next
    one, `plain_forms` say what a module without LTO IR is."""
    count = r.randrange(2, 5)
    mode = r.choice(["all", "all", "all", "mixed", "both"])
    floats = r.choice([[], [], ["-use_fast_math"], ["-fmad=false"], ["-prec-div=false"], ["-O1"]])
    debug = r.choice(["none", "none", "none", "all", "some"])
    virtual = arch if r.random() < 0.7 or arch == "75" else {"80": "75", "90": "80", "90a": "90"}.get(arch, arch)
    # Host code that names kernels, or launches from device code.
    host_launches = r.random() < 0.6
    plain = r.randrange(count) if mode == "mixed" else None
    first_with_ir = 1 if plain == 0 else 0
    inputs = []
    for i in range(count):
        with open(os.path.join(directory, f"m{i}.cu"), "w") as f:
            f.write(module_source(r, i, count, host_launches))
        # The first with LTO IR is a host object: without one nvlink loses the
        # code of links in part.
        if i == plain:
            form = r.choice(plain_forms)
        elif i == first_with_ir:
            form = "o"
        else:
            form = r.choice(["o", "o", "o", "fatbin", "ltoir"])
        lines = ["-lineinfo"] if debug == "all" or (debug == "some" and i == 0) else []
        words = [nvcc(), "-std=c++17", "-w", "-dc", f"m{i}.cu"] + floats + lines + r.choice([[], ["--compress-mode=none"], ["--compress-mode=size"]])
        if form == "ltoir":
            words += ["-dlto", "-ltoir", f"-arch=sm_{virtual}"]
        elif form == "cubin":
            words += ["-cubin", f"-arch=sm_{arch}"]
        elif i == plain:
            words += ["-gencode", f"arch=compute_{arch},code={'compute' if form == 'ptx' else 'sm'}_{arch}"]
        elif mode == "both":
            words += ["-gencode", f"arch=compute_{virtual},code=[lto_{virtual},sm_{virtual}]"]
        else:
            words += ["-gencode", f"arch=compute_{virtual},code=lto_{virtual}"]
        if form == "fatbin":
            words.append("-fatbin")
        name = f"m{i}.{'o' if form == 'ptx' else form}"
        result = run(words + ["-o", name], directory)
        if result.returncode:
            sys.exit(" ".join(words) + "\n" + result.stdout)
        inputs.append(name)
    if r.random() < 0.3 and inputs[-1].endswith(".o"):
        result = run(["ar", "rc", "libm.a", inputs[-1]], directory)
        inputs[-1] = r.choice(["libm.a", "-lm"])
    r.shuffle(inputs)
    return inputs, count


def link_options(r, count, more=()):
    options = []
    for choice in (*more, ["-maxrregcount", r.choice(["24", "40", "64"])], ["-Xptxas", r.choice(["-O1", "-O2,-dlcm=cg", "-v"])],
                   ["-Xnvvm", r.choice(["-opt=3", "-ftz=1", "-fma=0"])],
                   ["-kernels-used", f"k{r.randrange(count)}"], ["-variables-used", f"g{r.randrange(count)}"],
                   ["-ignore-host-info"], ["-split-compile-extended", "1"], ["-extrawarn"], ["-emit-ptx"], ["-r"]):
        if r.random() < 0.12:
            options += choice
    return options


def without_times(text):
    return "\n".join(line for line in text.splitlines() if "Compile time" not in line)


def main():
    args = parse_arguments(count=25)
    same = 0
    for seed in range(args.first, args.first + args.count):
        r = random.Random(seed)
        arch = ARCHITECTURES[seed % len(ARCHITECTURES)]
        directory = os.path.join(args.dir, f"program{seed}")
        os.makedirs(directory, exist_ok=True)
        inputs, count = make_program(r, arch, directory)
        options = [f"-arch=sm_{arch}", "-lto", "-nvvmpath=../nvvm", "-L."] + link_options(r, count)
        options += [f"-L{args.toolkit}/lib", "-lcudadevrt"] + inputs
        same += not compare(args, options, directory, [f"--lto-nvlink={args.reference}"], without_times)
    print(f"{same} of {args.count} programs are linked as by nvlink")
    return same != args.count


if __name__ == "__main__":
    sys.exit(main())
