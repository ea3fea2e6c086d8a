# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Link-time optimization of NVIDIA's LTO IR."""

from links.case import Command, NVVM

from .. import code
from ..draft import Draft
from ..model import Function, Signature
from .cplusplus import variant
from .registry import feature


def lto_object(draft: Draft, name: str, text: str, package: str) -> None:
    """An input with LTO IR: a host object, or a bare file of it."""
    source = f"{name}.cu"
    target = f"{name}.{'o' if package == 'object' else 'ltoir'}"
    draft.sources[source] = text
    number = draft.arch.name[3:]
    words = ["-dc"] if package == "object" else ["-dlto", "-ltoir"]
    target_words = f"-gencode=arch=compute_{number},code=lto_{number}" if package == "object" else f"-arch=compute_{number}"
    draft.commands.append(Command("nvcc", [target_words, *words, source, "-o", target], [source], [target]))
    draft.extra_inputs.append(target)


def texts(draft: Draft) -> list[tuple[str, str]]:
    rng = variant(draft, "lto")
    return [("optimized0", f"""extern __device__ int middle(int); extern __constant__ int factors[4];
__global__ void first(int *p) {{ *p = middle(*p) + factors[*p & 3]; }}
__global__ void second(float *q) {{ q[0] = sqrtf(q[1]) / q[2]; }}
void launch(int *p) {{ first<<<1, 1>>>(p); }}
"""), ("optimized1", f"""__constant__ int factors[4] = {{1, {rng.randrange(9)}, 3}};
__device__ int total = {rng.randrange(99)};
extern __device__ int leaf(int);
__device__ int middle(int x) {{ return leaf(x) * {rng.randrange(2, 9)} + total; }}
__device__ int unused(int x) {{ return x / 3; }}
"""), ("optimized2", f"""template <int N> __device__ __noinline__ int scaled(int x) {{ return x * N; }}
__device__ int leaf(int x) {{ return scaled<{rng.randrange(2, 5)}>(x); }}
""")]


def lto_options(draft: Draft) -> None:
    draft.options += [draft.rng.choice(["-lto", "-dlto", "--link-time-opt"]), f"-nvvmpath={NVVM}"]
    draft.options += draft.rng.choice([[], [], ["-v"], ["-maxrregcount=32"], ["-Xptxas=-O1"], ["-Xnvvm=-opt=1"], ["-g"],
                                       ["-ignore-host-info"], ["-kernels-used=first"], ["-split-compile=2"]])
    # Where only a part of the code is LTO IR, its bytes are those of nvlink's own optimizer.
    draft.ours.append("--lto-nvlink=@reference@")
    draft.libraries.append("cudadevrt")


@feature("LTO", needs=("nvcc", "nvjitlink", "cudadevrt"), mixes=False, is_slow=True)
def lto(draft: Draft) -> None:
    """Programs of LTO IR from nvcc, in host objects."""
    draft.program.modules.clear()
    for name, text in texts(draft):
        lto_object(draft, name, text, "object")
    draft.rng.shuffle(draft.extra_inputs)
    lto_options(draft)


@feature("LTO", needs=("nvcc", "nvjitlink", "cudadevrt"), mixes=False, is_slow=True)
def lto_partial(draft: Draft) -> None:
    """Programs of LTO IR and of cubins that call it."""
    for name, text in texts(draft):
        lto_object(draft, name, text, "object")
    callee = draft.program.externals.setdefault("_Z4leafi", Function("_Z4leafi", Signature()))
    if draft.maybe(0.7):
        draft.add(draft.kernel(), code.call(callee))
    lto_options(draft)
