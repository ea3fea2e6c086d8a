# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""C++ programs of several files, compiled by nvcc.

nvcc takes seconds for a file, so there are only a few variants of each for an architecture, which
the cache keeps (VARIANTS).
"""

from random import Random

from links.case import Command

from ..draft import Draft
from .registry import feature

VARIANTS = 3


def nvcc(draft: Draft, name: str, text: str, *options: str) -> None:
    """Compiles a file for separate compilation; its object becomes an input."""
    source, target = f"{name}.cu", f"{name}.o"
    draft.sources[source] = text
    code = draft.arch.name[3:]
    draft.commands.append(Command("nvcc", [f"-gencode=arch=compute_{code},code=sm_{code}", "-dc", *options, source, "-o", target],
                                  [source], [target]))
    draft.extra_inputs.append(target)


def variant(draft: Draft, stem: str) -> Random:
    """Randomness that has few values, beside the options that don't make nvcc run again."""
    return Random(f"{stem} {draft.rng.randrange(VARIANTS)}")


def link_ways(draft: Draft) -> None:
    """Ways to link that cost no compilation."""
    draft.rng.shuffle(draft.extra_inputs)
    draft.options += draft.rng.choice([[], [], ["-v"], ["-ignore-host-info"], ["-preserve-relocs"], ["-g"]])
    draft.shape = draft.rng.choice(["direct", "direct", "direct", "relink", "parts", "relocatable"])


@feature("C++", needs=("nvcc",), mixes=False, is_slow=True)
def templates(draft: Draft) -> None:
    """Templates that several files instantiate: weak functions, kernels and variables."""
    rng = variant(draft, "templates")
    header = """template <int N> struct Scale { __device__ __noinline__ static int apply(int x) { return x * N + 7; } };
template <int N> __device__ int last = N;
template <class T, int N> __global__ void each(T *p) {
  __shared__ T row[N];
  row[threadIdx.x] = p[threadIdx.x];
  __syncthreads();
  p[threadIdx.x] = row[(threadIdx.x + 1) % N] + Scale<N>::apply(int(p[0])) + last<N>;
}
"""
    for number in range(3):
        uses = rng.sample([("int", 32), ("float", 32), ("int", 64), ("double", 8)], 2)
        lines = [header]
        for type_, size in uses:
            lines.append(f"void launch_{type_}_{size}_{number}({type_} *p) {{ each<{type_}, {size}><<<1, {size}>>>(p); }}")
        lines.append(f"__global__ void own{number}(int *p) {{ *p = Scale<{uses[0][1]}>::apply(*p); }}")
        nvcc(draft, f"templates{number}", "\n".join(lines) + "\n")
    link_ways(draft)


@feature("C++", needs=("nvcc",), mixes=False, is_slow=True)
def virtual_functions(draft: Draft) -> None:
    """Classes with virtual functions, whose tables and functions are in several files."""
    rng = variant(draft, "virtual")
    header = """struct Shape { __device__ virtual float area() const; __device__ virtual ~Shape(); float a = 1; };
struct Circle : Shape { __device__ float area() const override; };
struct Square : Shape { __device__ float area() const override; __device__ virtual float side() const { return a; } };
"""
    nvcc(draft, "shapes", header + f"""#include <new>
__device__ float Shape::area() const {{ return {rng.randrange(9)}; }}
__device__ Shape::~Shape() {{}}
__global__ void make(Shape **p, int n) {{ if (n) *p = new Circle; else *p = new Square; }}
""")
    nvcc(draft, "circle", header + f"__device__ float Circle::area() const {{ return a * {rng.random():.4f}f; }}\n")
    nvcc(draft, "square", header + """__device__ float Square::area() const { return side() * side(); }
__global__ void measure(Shape **p, float *q) { *q = (*p)->area(); delete *p; }
void run(Shape **p, float *q) { measure<<<1, 1>>>(p, q); }
""")
    if draft.maybe(0.5):
        draft.libraries.append("cudadevrt")
    link_ways(draft)


@feature("C++", needs=("nvcc",), mixes=False, is_slow=True)
def separate_files(draft: Draft) -> None:
    """Functions, variables, constants, shared memory, printf and recursion over several files."""
    rng = variant(draft, "separate")
    nvcc(draft, "kernel", f"""#include <cstdio>
extern __device__ int scale(int); extern __constant__ float factors[16]; extern __device__ int counter;
typedef int (*Function)(int);
extern __device__ Function table[2];
__global__ void work(int *p, float *q) {{
  extern __shared__ int rows[];
  rows[threadIdx.x] = p[threadIdx.x];
  __syncthreads();
  p[0] = scale(rows[{rng.randrange(8)}]) + table[p[1] & 1](p[2]);
  q[0] = sinf(q[1]) / factors[p[3] & 15];
  if (atomicAdd(&counter, 1) == {rng.randrange(1, 9)}) printf("%d\\n", p[0]);
}}
int main() {{ work<<<1, 32, 128>>>(nullptr, nullptr); }}
""")
    nvcc(draft, "scale", f"""static __device__ int helper(int x) {{ return x < 2 ? x : helper(x - 1) * 3 + helper(x - 2); }}
__device__ int counter = {rng.randrange(9)};
__device__ int scale(int x) {{ return helper(x) + counter; }}
""", *rng.choice([[], ["-lineinfo"], ["-G"]]))
    nvcc(draft, "table", f"""__constant__ float factors[16] = {{1, 2, {rng.randrange(9)}}};
typedef int (*Function)(int);
static __device__ int helper(int x) {{ return x ^ 5; }}
__device__ __noinline__ int twice(int x) {{ return 2 * x; }}
__device__ Function table[2] = {{twice, helper}};
__managed__ int shared_by_host = 3;
""")
    link_ways(draft)
