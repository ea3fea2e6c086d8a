# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Generated programs, device-linked by nvcc and by lld-cuda: the same images, the same registrations.

    generated.py LD WORK FIRST [LAST]

A program for each number from FIRST to LAST: some files, each with a kernel, a
function that calls those of other files, variables, constants and managed
memory, in objects or a static library, for some architectures.
"""

import os
import random
import shutil
import subprocess
import sys
from pathlib import Path

import images

INPUTS = Path(__file__).resolve().parent / "Inputs"
ARCHES = ("75", "80", "86", "89", "90")


def source(rng, number, count):
    calls = [n for n in range(number + 1, count) if rng.random() < 0.5]
    lines = [f"__device__ int function{n}(int);" for n in calls]
    uses = [f"function{n}(x)" for n in calls] + ["x"]
    for kind, text in (("__device__", f"int variable{number} = {rng.randrange(100)};"),
                       ("__constant__", f"int constant{number}[{rng.randrange(1, 9)}];"),
                       ("__managed__", f"int managed{number} = 1;"),
                       ("static __device__", "int own = 5;")):
        if rng.random() < 0.5:
            lines.append(f"{kind} {text}")
            name = text.split()[1].split("[")[0]
            uses.append(f"{name}[0]" if "[" in text else name)
    lines.append(f"__device__ __noinline__ int function{number}(int x) {{ return {' + '.join(uses)}; }}")
    for kernel in range(rng.randrange(0, 4)):
        lines.append(f"__global__ void kernel{number}_{kernel}(int *p) {{ *p = function{number}(*p) * {kernel + 2}; }}")
        lines.append(f"void launch{number}_{kernel}() {{ kernel{number}_{kernel}<<<1, 1>>>(nullptr); }}")
    return "\n".join(lines) + "\n"


def run(work, *command, **more):
    done = subprocess.run([str(word) for word in command], cwd=work, text=True, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **more)
    if done.returncode:
        sys.exit(f"{work}$ {' '.join(map(str, command))}\n{done.stdout}")


def generate(ld, work, seed):
    rng = random.Random(seed)
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    arches = rng.sample(ARCHES, rng.randrange(1, 4))
    options = [f"-gencode=arch=compute_{arch},code=sm_{arch}" for arch in arches]
    count = rng.randrange(1, 6)
    objects = []
    for number in range(count):
        (work / f"f{number}.cu").write_text(source(rng, number, count))
        run(work, "nvcc", "-dc", *options, "-Xcompiler", "-fPIC", f"f{number}.cu")
        objects.append(f"f{number}.o")
    (work / "main.c").write_text("int main() { return 0; }\n")
    in_library = rng.randrange(count)
    if in_library:
        run(work, "ar", "qc", "liblast.a", *objects[-in_library:])
    inputs = objects[:count - in_library] + (["liblast.a"] if in_library else [])
    run(work, "gcc", "-shared", "-fPIC", INPUTS / "runtime.c", "-o", "libruntime.so")
    run(work, "nvcc", "-dlink", *options, *inputs, "-o", "nvidia.o")
    run(work, ld, "--nvlink-compat", *(f"-arch=sm_{arch}" for arch in arches), *inputs, "--host-object=ours.o")
    logs = []
    for name in ("nvidia", "ours"):
        run(work, "gcc", "main.c", *objects, f"{name}.o", "-o", name, "-L.", "-lruntime", "-lstdc++",
            "-Wl,-rpath,$ORIGIN")
        run(work, f"./{name}", env={**os.environ, "REGISTRATIONS": f"{name}.log"})
        logs.append((work / f"{name}.log").read_text() if (work / f"{name}.log").exists() else "")
    if logs[0] != logs[1]:
        sys.exit(f"{work}: other registrations")
    return images.compare(work / "nvidia.o", work / "ours.o"), len(logs[0].splitlines())


def main():
    ld, work, first = sys.argv[1], Path(sys.argv[2]).resolve(), int(sys.argv[3])
    last = int(sys.argv[4]) if len(sys.argv) > 4 else first
    results = [generate(ld, work / str(seed), seed) for seed in range(first, last + 1)]
    print(f"{len(results)} programs, {sum(r[0] for r in results)} images, {sum(r[1] for r in results)} registrations: equal")


if __name__ == "__main__":
    main()
