# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Generated programs, device-linked by nvcc and by lld-cuda: the same images, the same registrations, the same end.

    generated.py LD WORK FIRST [LAST]

A program for each number from FIRST to LAST, 0 to 39 by default: some files, each
with kernels, a function that calls those of other files, variables, constants,
managed memory, namespaces, templates, lambdas and textures, in objects or a static
library, for some architectures. The number decides the shape: a program; a program
and a shared library; a library that is opened, closed and opened again; a program
with two device links.

Each is linked with a stand-in for the CUDA runtime, which logs what is registered,
and with the runtime, and run. Without a GPU all launches fail, in the same way.
"""

import os
import random
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import images

INPUTS = Path(__file__).resolve().parent / "Inputs"
ARCHES = ("75", "80", "86", "89", "90")
SHAPES = ("program", "shared library", "opened library", "two device links")
RUNTIMES = {"log": ["-L.", "-lruntime"], "cuda": ["-lcudart_static", "-ldl", "-lrt", "-lpthread"]}

# What calls all kernels, in the program or in the library.
GLUE = """extern "C" int cudaGetLastError(void), cudaDeviceSynchronize(void);
extern "C" const char *cudaGetErrorString(int);
%s
extern "C" const char *run() {
  %s
  cudaDeviceSynchronize();
  return cudaGetErrorString(cudaGetLastError());
}
"""
MAIN = """#include <stdio.h>
extern "C" const char *run();
int main() { return puts(run()) < 0; }
"""
OPENING_MAIN = """#include <dlfcn.h>
#include <stdio.h>
int main(int argc, char **argv) {
  for (int i = 0; i < 2; ++i) {
    void *library = dlopen(argv[1], RTLD_NOW);
    puts(library ? ((const char *(*)())dlsym(library, "run"))() : dlerror());
    if (library)
      dlclose(library);
  }
  return 0;
}
"""


# One line of device code with one kernel, and how that is launched; %s is unique.
FEATURES = (
    ("namespace space%s { __device__ int add(int x) { return x + 1; } __global__ void kernel(int *p) { *p = add(*p); } }",
     "space%s::kernel<<<1, 1>>>(nullptr)"),
    ('extern "C" __global__ void plain%s(int *p) { ++*p; }', "plain%s<<<1, 1>>>(nullptr)"),
    # The same in several files: weak definitions, a variable among them.
    ("template <class T> __device__ T counted() { static T n = 3; return ++n; } "
     "template <class T> __global__ void common(T *p) { *p = counted<T>(); } //%s", "common<int><<<1, 1>>>(nullptr) /*%s*/"),
    ("template <class F> static __global__ void apply%s(F f, int *p) { *p = f(*p); }",
     "int more = 2; apply%s<<<1, 1>>>([=] __device__(int x) { return x + more; }, (int *)nullptr)"),
    ("__global__ void sampled%s(cudaTextureObject_t t, cudaSurfaceObject_t s, float *p) "
     "{ *p = tex1Dfetch<float>(t, 0); surf1Dwrite(*p, s, 4); }", "sampled%s<<<1, 1>>>(0, 0, nullptr)"),
)


def source(rng, group, number, count, launches):
    name = f"{group}{number}"
    calls = [n for n in range(number + 1, count) if rng.random() < 0.5]
    lines = [f"__device__ int function{group}{n}(int);" for n in calls]
    uses = [f"function{group}{n}(x)" for n in calls] + ["x"]
    for kind, text in (("__device__", f"int variable{name} = {rng.randrange(100)};"),
                       ("__constant__", f"int constant{name}[{rng.randrange(1, 9)}];"),
                       ("__managed__", f"int managed{name} = 1;"),
                       ("static __device__", "int own = 5;")):
        if rng.random() < 0.5:
            lines.append(f"{kind} {text}")
            variable = text.split()[1].split("[")[0]
            uses.append(f"{variable}[0]" if "[" in text else variable)
    lines.append(f"__device__ __noinline__ int function{name}(int x) {{ return {' + '.join(uses)}; }}")
    for kernel in range(rng.randrange(0, 4)):
        lines.append(f"__global__ void kernel{name}_{kernel}(int *p) {{ *p = function{name}(*p) * {kernel + 2}; }}")
        lines.append(f"void launch{name}_{kernel}() {{ kernel{name}_{kernel}<<<1, 1>>>(nullptr); }}")
        launches.append(f"launch{name}_{kernel}")
    for feature, (code, launch) in enumerate(FEATURES):
        if rng.random() < 0.3:
            lines += [code % name, f"void special{name}_{feature}() {{ {launch % name}; }}"]
            launches.append(f"special{name}_{feature}")
    return "\n".join(lines) + "\n"


class Program:
    def __init__(self, ld, work, seed):
        self.rng = random.Random(seed)
        self.ld, self.work, self.shape = ld, work, SHAPES[seed % len(SHAPES)]
        shutil.rmtree(work, ignore_errors=True)
        work.mkdir(parents=True)
        self.arches = self.rng.sample(ARCHES, self.rng.randrange(1, 4))
        self.options = [f"-gencode=arch=compute_{arch},code=sm_{arch}" for arch in self.arches]
        self.objects, self.launches, self.links = [], [], 0

    def run(self, *command, **more):
        done = subprocess.run([str(word) for word in command], cwd=self.work, text=True, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **more)
        if done.returncode:
            sys.exit(f"{self.work}$ {' '.join(map(str, command))}\n{done.stdout}")
        return done.stdout

    def group(self, name):
        """Files that are device-linked together."""
        count, objects = self.rng.randrange(1, 6), []
        for number in range(count):
            file = f"{name}{number}"
            (self.work / f"{file}.cu").write_text(source(self.rng, name, number, count, self.launches))
            self.run("nvcc", "-dc", "--extended-lambda", *self.options, "-Xcompiler", "-fPIC", f"{file}.cu")
            objects.append(f"{file}.o")
        inputs = objects
        if in_library := self.rng.randrange(count):
            self.run("ar", "qc", f"lib{name}.a", *objects[-in_library:])
            inputs = [*objects[:count - in_library], f"lib{name}.a"]
        self.run("nvcc", "-dlink", *self.options, "-Xcompiler", "-fPIC", *inputs, "-o", f"{name}.nvidia.o")
        self.run(self.ld, "--nvlink-compat", *(f"-arch=sm_{arch}" for arch in self.arches), *inputs,
                 f"--host-object={name}.ours.o")
        self.objects += objects
        return images.compare(self.work / f"{name}.nvidia.o", self.work / f"{name}.ours.o")

    def build(self, groups, linker, runtime):
        """The command that runs the program."""
        name = f"{linker}.{runtime}"
        parts = [*self.objects, *(f"{group}.{linker}.o" for group in groups), "glue.o"]
        libraries = [f"-L{cuda_libraries()}", *RUNTIMES[runtime], "-Wl,-rpath,$ORIGIN"]
        if self.shape in ("program", "two device links"):
            self.run("g++", "main.o", *parts, "-o", name, *libraries)
            return [f"./{name}"]
        self.run("g++", "-shared", *parts, "-o", f"lib{name}.so", *libraries)
        if self.shape == "shared library":
            self.run("g++", "main.o", f"lib{name}.so", "-o", name, *libraries)
            return [f"./{name}"]
        self.run("g++", "main.o", "-o", name, "-ldl")
        return [f"./{name}", f"./lib{name}.so"]

    def compare(self):
        groups = ["a", "b"] if self.shape == "two device links" else ["a"]
        count = sum([self.group(name) for name in groups])
        (self.work / "glue.cpp").write_text(GLUE % ("".join(f"void {launch}();\n" for launch in self.launches),
                                                    "".join(f"{launch}();\n" for launch in self.launches)))
        (self.work / "main.cpp").write_text(OPENING_MAIN if self.shape == "opened library" else MAIN)
        self.run("g++", "-fPIC", "-c", "glue.cpp", "main.cpp")
        self.run("gcc", "-shared", "-fPIC", INPUTS / "runtime.c", "-o", "libruntime.so")
        logs, ends = [], []
        for linker in ("nvidia", "ours"):
            log = self.work / f"{linker}.registered"
            self.run(*self.build(groups, linker, "log"), env={**os.environ, "REGISTRATIONS": str(log)})
            logs.append(log.read_text() if log.exists() else "")
            done = subprocess.run(self.build(groups, linker, "cuda"), cwd=self.work, capture_output=True, text=True)
            ends.append((done.returncode, done.stdout, done.stderr))
        if logs[0] != logs[1]:
            sys.exit(f"{self.work}: other registrations")
        if ends[0] != ends[1]:
            sys.exit(f"{self.work}: other ends: {ends}")
        return count, len(logs[0].splitlines()), ends[0][1].splitlines()[0]


def cuda_libraries():
    return Path(shutil.which("nvcc")).resolve().parent.parent / "lib64"


def main():
    ld, work = sys.argv[1], Path(sys.argv[2]).resolve()
    first = int(sys.argv[3]) if len(sys.argv) > 3 else 0
    last = int(sys.argv[4]) if len(sys.argv) > 4 else first if len(sys.argv) > 3 else 39
    images_seen = registrations = 0
    shapes, ends = Counter(), Counter()
    for seed in range(first, last + 1):
        program = Program(ld, work / str(seed), seed)
        count, lines, end = program.compare()
        images_seen, registrations = images_seen + count, registrations + lines
        shapes[program.shape] += 1
        ends[end] += 1
        shutil.rmtree(program.work)
    for counter in (shapes, ends):
        print(", ".join(f"{count} {name}" for name, count in sorted(counter.items())))
    print(f"{sum(shapes.values())} programs, {images_seen} images, {registrations} registrations: equal")


if __name__ == "__main__":
    main()
