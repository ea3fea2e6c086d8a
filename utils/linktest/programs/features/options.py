# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random combinations of nvlink's command-line options (nvlink --help), valid ones and others."""

from ..draft import Draft
from .registry import feature

# Flags and options with fixed values.
SIMPLE = [
    "-suppress-stack-size-warning", "--suppress-arch-warning", "-g", "--debug", "-m64", "-m=64", "--machine=64", "-v",
    "--verbose", "-preserve-relocs", "-w", "--disable-warnings", "-Werror", "--warning-as-error", "-disable-infos",
    "-keep-system-libraries", "-report-arch", "-extrawarn", "--extra-warnings", "-suppress-debug-info", "-dump-callgraph",
    "-dump-callgraph-no-demangle", "-use-host-info", "-ignore-host-info", "-r", "--relocatable-link", "-cpu-arch=X86_64",
    "--cpu-arch=AARCH64", "-cpu-arch=unknown", "-device-stack-protector=true", "--device-stack-protector=false",
    "-maxrregcount=40", "-maxrregcount=16", "-Xptxas=-O1", "-Xptxas=-v", "-Xnvvm=-opt=1", "-split-compile=2",
    "-split-compile-extended=1", "-Ofc=mid", "-Ofast-compile=0", "-nvvmpath=nowhere", "-L.", "--library-path=.", "-labsent",
    "--library=absent", "-ghls=lcs-aug", "-gen-host-linker-script=lcs-abs", "-force-rela", "-verbose-tkinfo=true",
    "-verbose-tkinfo=false", "-reserve-null-pointer", "-shared", "-uumn", "-enable-extended-smem=true",
    "-disable-smem-reservation=false", "-syscall-const-offset=64", "-host-ccbin=gcc", "-emit-ptx", "-kernels-used=kernel",
    "-variables-used=variable", "-kernels-used=kernel_1,nothing", "--kernels-used=*", "-variables-used=nothing",
]

# What nvlink rejects, or takes in a way of its own.
DOUBTFUL = ["-m32", "--machine=31", "-cpu-arch=Z80", "-Ofc=7", "-no-such-option", "--no-such-option=3", "-gg", "-maxrregcount=x",
            "-split-compile=-1", "-device-stack-protector=maybe", "-arch=sm_1", "-o", "--output-file=second.cubin", "-arch=sm_90",
            "--verbose=true", "-g=1", "-ghls=other", "-Xptxas", "--", "-", "-maxrregcount=99999999999", "-r=1"]


@feature("linking", mixes=False)
def options(draft: Draft) -> None:
    """Random combinations of all command-line options."""
    chosen = draft.rng.sample(SIMPLE, draft.rng.randrange(1, 7))
    if draft.maybe(0.15):
        chosen.insert(draft.rng.randrange(len(chosen) + 1), draft.rng.choice(DOUBTFUL))
    if draft.maybe(0.1):
        chosen.append(draft.rng.choice(chosen))
    if draft.maybe(0.15):
        chosen.append("-time=times.csv")
        draft.outputs.append("times.csv")
        draft.varying.append("times.csv")
    if draft.maybe(0.15):
        chosen.append("--register-link-binaries=registered.c")
        draft.outputs.append("registered.c")
    if draft.maybe(0.1):
        chosen.append("-dot-file=graph.dot")
        draft.outputs.append("graph.dot")
    draft.options += chosen


@feature("linking")
def option_spellings(draft: Draft) -> None:
    """Harmless options in all their spellings."""
    harmless = [["--suppress-stack-size-warning"], ["-suppress-stack-size-warning"], ["-m", "64"], ["-m64"], ["--machine", "64"],
                ["-extrawarn"], ["--disable-infos"], ["-cpu-arch", "X86_64"], ["--report-arch"], ["-kernels-used", "k"],
                ["--kernels-used=k"], ["-L", "."], ["-L."], ["--library-path=."], ["-Xptxas", "-O3"], ["-w"]]
    for words in draft.rng.sample(harmless, draft.rng.randrange(1, 4)):
        draft.options += words
