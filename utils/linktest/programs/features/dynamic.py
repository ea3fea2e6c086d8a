# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels that launch kernels and graphs, compiled by nvcc and linked with libcudadevrt."""

from random import Random

from ..draft import Draft
from .cplusplus import link_ways, nvcc, variant
from .registry import feature

# What a parent does beside a launch: statements that use p, out and n.
CALLS = [
    "cudaMemcpyAsync(out, p, n * 4, cudaMemcpyDeviceToDevice, 0);",
    "cudaMemsetAsync(out, 0, n * 4, 0);",
    "cudaMemcpy2DAsync(out, 64, p, 32, 32, n, cudaMemcpyDeviceToDevice, 0);",
    "cudaEvent_t e; cudaEventCreateWithFlags(&e, cudaEventDisableTiming); cudaEventRecord(e, 0); cudaEventDestroy(e);",
    "int *q = nullptr; if (cudaMalloc((void **)&q, n * 4) == cudaSuccess) { *q = n; cudaFree(q); }",
    "int device = 0, value = 0; cudaGetDevice(&device); "
    "cudaDeviceGetAttribute(&value, cudaDevAttrMultiProcessorCount, device); out[3] = value;",
    "out[4] = cudaGetLastError() + cudaPeekAtLastError();",
    "int count = 0; cudaGetDeviceCount(&count); out[5] = count;",
    "cudaFuncAttributes a; if (cudaFuncGetAttributes(&a, leaf) == cudaSuccess) out[6] = a.numRegs;",
    "int blocks = 0; cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, leaf, 64, 0); out[7] = blocks;",
    'printf("%s\\n", cudaGetErrorString(cudaGetLastError()));',
]

STREAMS = ["0", "stream", "cudaStreamFireAndForget", "cudaStreamTailLaunch"]


def compile_options(rng: Random) -> list[str]:
    return rng.choice([[], [], ["-lineinfo"], ["-G"]])


def finish(draft: Draft) -> None:
    draft.libraries.append("cudadevrt")
    if draft.maybe(0.15):
        draft.options.append("-keep-system-libraries")
    link_ways(draft)


@feature("dynamic", needs=("nvcc", "cudadevrt"), mixes=False, is_slow=True)
def launches(draft: Draft) -> None:
    """Kernels that launch kernels of other files, in streams of all kinds, with what the device runtime has besides."""
    rng = variant(draft, "launches")
    launch = lambda kernel, n: f"{kernel}<<<{rng.choice(['1', 'n', 'dim3(2, n)'])}, {rng.choice([32, 64])}, {rng.choice([0, 128])}, " \
        f"{rng.choice(STREAMS)}>>>(out + {n});"
    header = "#include <cstdio>\n__global__ void leaf(int *); __global__ void middle(int *, int);\n"
    stream = "cudaStream_t stream; cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);"
    calls = " ".join(f"{{ {call} }}" for call in rng.sample(CALLS, rng.randrange(1, 5)))
    nvcc(draft, "parent", header + f"""__device__ int depth = {rng.randrange(1, 9)};
static __device__ __noinline__ void help(int *p, int *out, int n) {{ {calls} }}
__global__ void parent(int *p, int *out, int n) {{
  {stream}
  help(p, out, n);
  if (p[0] < depth) {launch('leaf', 1)}
  {launch('leaf', 2)}
  cudaStreamDestroy(stream);
}}
void start(int *p) {{ parent<<<1, 1>>>(p, p, 4); }}
""", *compile_options(rng))
    nvcc(draft, "child", header + f"""extern __device__ int depth;
__global__ void leaf(int *out) {{ out[threadIdx.x] += depth; }}
__global__ void middle(int *out, int n) {{
  __shared__ int row[{rng.choice([32, 64])}];
  row[threadIdx.x] = out[threadIdx.x];
  __syncthreads();
  out[0] = row[n & 31];
  {stream}
  if (n) {launch('leaf', 0)}
  if (n > 1) middle<<<1, 32>>>(out, n - 1);
}}
""", *compile_options(rng))
    finish(draft)


@feature("dynamic", needs=("nvcc", "cudadevrt"), mixes=False, is_slow=True)
def device_graphs(draft: Draft) -> None:
    """Kernels that launch graphs."""
    rng = variant(draft, "graphs")
    how = rng.choice(["cudaStreamGraphFireAndForget", "cudaStreamGraphTailLaunch", "cudaStreamGraphFireAndForgetAsSibling"])
    nvcc(draft, "graph", f"""extern __device__ cudaError_t again(cudaGraphExec_t);
__device__ cudaError_t last;
__global__ void run(cudaGraphExec_t graph, int *p) {{
  if (p[0] > {rng.randrange(9)}) last = cudaGraphLaunch(graph, {how});
  else last = again(graph);
}}
void start(cudaGraphExec_t graph, int *p) {{ run<<<1, 1>>>(graph, p); }}
""", *compile_options(rng))
    nvcc(draft, "again", f"""__global__ void child(int *p) {{ p[threadIdx.x] = {rng.randrange(99)}; }}
__device__ __noinline__ cudaError_t again(cudaGraphExec_t other) {{
  cudaGraphExec_t own = cudaGetCurrentGraphExec();
  {rng.choice(['', 'child<<<1, 8, 0, cudaStreamFireAndForget>>>((int *)nullptr);'])}
  return own ? cudaGraphLaunch(own, cudaStreamGraphTailLaunch) : cudaGraphLaunch(other, cudaStreamGraphFireAndForget);
}}
""", *compile_options(rng))
    finish(draft)
