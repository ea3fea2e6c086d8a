#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The options of link-time optimization, one by one, compared with nvlink.

  lto_options.py --linker NVLINK --reference NVLINK --toolkit T --dir DIR

Status, messages and the output must be nvlink's.
"""

import os
import sys

from lto_links import compare, parse_arguments, run

SOURCES = {
    "a": """
extern __device__ int f(int, float *); extern __device__ float gx; extern __constant__ float cc[8];
static __device__ __noinline__ int local(int x) {
  char buf[64]; int s = 0;
  for (int i = 0; i < 64; ++i) buf[i] = x + i;
  for (int i = 0; i < x; ++i) s += buf[(i * 7) & 63];
  return s;
}
__global__ void k(int *p, float *q) {
  __shared__ int sh[32]; sh[threadIdx.x] = p[threadIdx.x]; __syncthreads();
  q[0] = sqrtf(q[1]) / q[2] + gx * q[3] + cc[p[1] & 7];
  p[0] = f(sh[3], q) + local(p[2]);
  switch (p[3]) { case 0: p[4] = 3; break; case 1: p[4] = 9; break; case 2: p[5] = p[1]; break;
                  case 3: p[6] = 4; break; case 4: p[9] = 1; break; case 5: p[8] = 2; break; }
}
__global__ void other(int *p) { p[0] = f(p[1], 0); }
void launch(int *p, float *q) { k<<<1, 32>>>(p, q); }
""",
    "b": """
__device__ float gx = 2.5f; __constant__ float cc[8] = {1, 2, 3}; __device__ int hidden[4];
__device__ __noinline__ int f(int x, float *q) {
  float s = 0;
  for (int i = 0; i < x; ++i) s += q[i] * gx + 1.0f / q[i + 1];
  return (int)s + hidden[x & 3];
}
__device__ int unused(int x) { return x * 9; }
""",
}

# How an object NAME.VARIANT.o is compiled.
VARIANTS = {
    "o": [], "line.o": ["-lineinfo"], "ftz.o": ["-ftz=true"], "div.o": ["-prec-div=false"],
    "sqrt.o": ["-prec-sqrt=false"], "fma.o": ["-fmad=false"], "fast.o": ["-use_fast_math"],
}

CASES = """
a.o b.o -Xnvvm -opt=0
a.o b.o -Xnvvm -opt=1
a.o b.o -Xnvvm -opt=2
a.o b.o -Xnvvm -opt=7
a.o b.o -Xnvvm -g -g
a.o b.o -Xnvvm -g,-g
a.o b.o -Xnvvm -generate-line-info
a.o b.o -Xnvvm -ftz=1 -Xnvvm -fma=0
a.o b.o -Xnvvm -ftz=1,-ftz=0
a.o b.o -Xnvvm -prec-sqrt=0
a.o b.o -Xnvvm -prec-sqrt=2
a.o b.o -Xnvvm -arch=compute_80
a.o b.o -Xnvvm -split-compile=2 -split-compile=2
a.o b.o -Xnvvm -maxreg=32
a.o b.o -Xnvvm -maxreg=32 -maxrregcount=32
a.o b.o -Xnvvm -jump-table-density=30
a.o b.o -Xnvvm -Ofast-compile=max -Ofc=min
a.o b.o -Xnvvm -Ofast-compile=foo
a.o b.o -Xnvvm=
a.fast.o b.fast.o
a.fast.o b.fast.o -Xnvvm -opt=3
a.fast.o b.fast.o -Xnvvm -opt=0,-prec-div=1
a.fma.o b.fma.o -Xnvvm -ftz=1
a.ftz.o b.o
a.div.o b.o
a.sqrt.o b.o
a.fma.o b.o
a.line.o b.o
a.ftz.o b.line.o
a.o b.o -Ofc=max
a.o b.o -Ofc=foo
a.o b.o -Ofc=
a.o b.o -Ofc
-Ofc a.o b.o
a.o b.o -device-stack-protector=true
a.o b.o -maxrregcount=16
a.o b.o -maxrregcount=300
a.o b.o -split-compile=2
a.o b.o -split-compile=-1
a.o b.o -split-compile-extended=2
a.o b.o -split-compile-extended=-1
a.o b.o -split-compile-extended=1 -split-compile=2
a.o b.o -split-compile-extended=2 -split-compile=2
a.o b.o -split-compile-extended=0 -split-compile=1
a.o b.o -emit-ptx -split-compile-extended=1
a.o b.o -emit-ptx -split-compile-extended=0
a.o b.o -Xptxas -O1 -Xptxas -warn-spills
a.o b.o -Xptxas -foo
a.o b.o -kernels-used=other -variables-used=hidden
a.o b.o -kernels-used=nothing
""".strip().splitlines()


def compile_object(name, directory):
    source, variant = name.split(".", 1)
    path = os.path.join(directory, name)
    if not os.path.exists(path):
        words = ["nvcc", "-dc", "-gencode", "arch=compute_90,code=lto_90", f"{source}.cu", "-o", name]
        result = run(words + VARIANTS[variant], directory)
        if result.returncode:
            sys.exit(result.stdout)


def main():
    args = parse_arguments()
    for name, text in SOURCES.items():
        with open(os.path.join(args.dir, f"{name}.cu"), "w") as f:
            f.write(text)

    same = 0
    for case in CASES:
        words = case.split()
        for word in words:
            if word.endswith(".o"):
                compile_object(word, args.dir)
        options = ["-arch=sm_90", "-lto", "-nvvmpath=nvvm", f"-L{args.toolkit}/lib", "-lcudadevrt"] + words
        same += not compare(args, options, args.dir)
    print(f"{same} of {len(CASES)} links are nvlink's")
    return same != len(CASES)


if __name__ == "__main__":
    sys.exit(main())
