# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Device links of objects of which some are registered by an earlier device
link: OURS and NVIDIA's nvlink write the same image and the same list.

Usage: registered_objects.py OURS NVLINK
"""

import subprocess
import sys

ours, reference = sys.argv[1:]


def run(*command):
    subprocess.run(command, check=True)


for name in "abc":
    with open(f"{name}.cu", "w") as source:
        source.write(f"__global__ void {name}(int *p) {{ *p = 1; }}\n"
                     f"void launch_{name}(int *p) {{ {name}<<<1, 1>>>(p); }}\n")
    run("nvcc", "-dc", "-arch=sm_90", f"{name}.cu", "-o", f"{name}.o")
    run("nvcc", "-cubin", "-rdc=true", "-arch=sm_90", f"{name}.cu", "-o", f"{name}.cubin")
for earlier in ("b", "ab", "a"):
    run("nvcc", "-dlink", "-arch=sm_90", *(f"{name}.o" for name in earlier), "-o", f"dlink-{earlier}.o")
run("nvcc", "-dlink", "-arch=sm_90", "b.cubin", "-o", "dlink-cubin.o")
run("ar", "rc", "libb.a", "b.o")
run("ar", "rc", "libdlink.a", "dlink-b.o")

LINKS = [
    ["a.o", "b.o", "c.o", "dlink-b.o"],
    ["dlink-b.o", "a.o", "b.o", "c.o"],
    ["a.o", "b.o", "c.o", "dlink-ab.o"],
    ["a.o", "b.o", "dlink-ab.o"],
    ["a.o", "b.o", "c.o", "dlink-a.o", "dlink-b.o"],
    ["a.o", "libb.a", "libdlink.a"],
    ["libdlink.a", "a.o", "libb.a"],
    ["a.o", "b.cubin", "dlink-cubin.o"],
    ["a.o", "b.cubin", "dlink-b.o"],
    ["-r", "a.o", "b.o", "dlink-b.o"],
    ["-g", "a.o", "b.o", "c.o", "dlink-b.o"],
    ["-kernels-used=a", "a.o", "b.o", "c.o", "dlink-b.o"],
]


def link(linker, words):
    run(linker, "-arch=sm_90", *words, "-o", "out.cubin", "--register-link-binaries=list")
    with open("out.cubin", "rb") as image, open("list", "rb") as registered:
        return image.read(), registered.read()


same = 0
for words in LINKS:
    if link(reference, words) == link(ours, words + ["-nvlink-compat"]):
        same += 1
    else:
        print("different:", " ".join(words))
print(f"{same} of {len(LINKS)} links are nvlink's")
