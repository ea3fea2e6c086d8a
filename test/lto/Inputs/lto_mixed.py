#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Link-time optimized links of objects of several releases, by each release, compared with its nvlink.

  lto_mixed.py --toolkits ROOT... --made DIR --dir DIR [--count N] [--first N]

Programs are those of lto_shapes.py, but each module is compiled by the nvcc of one of the toolkits, and there are more
architectures and options. Every release links each program: DIR/13.5.37 of --made is the directory that lld-cuda-toolkit
made of ROOT of that release. Status, messages and output must be nvlink's. A line a release at the end.
"""

import argparse
import os
import random
import re
import subprocess
import sys

from lto_links import compare, make_nvvm
from lto_shapes import ARCHITECTURES, link_options, make_program, without_times

MORE_ARCHITECTURES = ARCHITECTURES + ["86", "89", "100a", "103", "110", "120f", "121"]
OPTIONS = (["-g"], ["-g", "-suppress-debug-info"], ["-split-compile", "2"], ["-Ofc=mid"], ["-Xptxas", "-O3"])
NVVM_LATEST = ["-nvvm-latest"]  # Since 13.5.


class Toolkit:
    def __init__(self, root):
        self.root = os.path.abspath(root)
        text = subprocess.run([self.nvlink, "--version"], stdout=subprocess.PIPE, text=True, check=True).stdout
        self.name = re.search(r" V(\d+\.\d+\.\d+)", text)[1]
        self.line = [int(number) for number in self.name.split(".")[:2]]  # LTO IR changes with these.
        self.same = self.refused = 0

    @property
    def nvlink(self):
        return f"{self.root}/bin/nvlink"


def counted_messages(text):
    """nvlink refuses newer code when it reads it; ours newer LTO IR behind all inputs (differences.md, "newer LTO IR"). What
    is said before, and of several reasons which, depends on their order."""
    if "elfLink nvvm error" in text or "newer than toolkit" in text:
        return "an input is newer"
    return without_times(text)


class Arguments:
    """What compare() wants to know."""

    def __init__(self, toolkit, made):
        self.reference, self.linker = toolkit.nvlink, os.path.join(made, toolkit.name, "bin", "nvlink")


def link_by(toolkit, made, directory, libraries, inputs, options):
    os.makedirs(os.path.join(directory, toolkit.name), exist_ok=True)
    place = os.path.join(directory, toolkit.name)
    make_nvvm(place, toolkit.root)
    for name in os.listdir(directory):
        link = os.path.join(place, name)
        if os.path.isfile(os.path.join(directory, name)) and not os.path.lexists(link):
            os.symlink(os.path.join("..", name), link)
    args = Arguments(toolkit, os.path.abspath(made))
    words = options + [f"-L{libraries.root}/lib", "-lcudadevrt"] + inputs
    problems = compare(args, words, place, [f"--lto-nvlink={toolkit.nvlink}"], counted_messages)
    toolkit.same += not problems
    toolkit.refused += not problems and not os.path.exists(os.path.join(place, "linked.cubin.nvlink"))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--toolkits", nargs="+", required=True, metavar="ROOT")
    parser.add_argument("--made", required=True, help="where the directories of lld-cuda-toolkit are")
    parser.add_argument("--dir", required=True)
    parser.add_argument("--count", type=int, default=25)
    parser.add_argument("--first", type=int, default=0)
    args = parser.parse_args()
    toolkits = sorted(map(Toolkit, args.toolkits), key=lambda toolkit: toolkit.line)
    for seed in range(args.first, args.first + args.count):
        # A program of only newer modules would show little about older linkers.
        chosen = random.Random(f"toolkits {seed}")
        newest = min(chosen.randrange(len(toolkits)), chosen.randrange(len(toolkits)))
        compilers = toolkits[: newest + 1]
        r = random.Random(seed)
        arch = MORE_ARCHITECTURES[seed % len(MORE_ARCHITECTURES)]
        directory = os.path.join(args.dir, f"program{seed}")
        os.makedirs(directory, exist_ok=True)
        inputs, count = make_program(r, arch, directory, lambda: f"{chosen.choice(compilers).root}/bin/nvcc",
                                     ("o", "cubin", "ptx"))
        options = [f"-arch=sm_{arch}", "-lto", "-nvvmpath=nvvm", "-L."] + link_options(r, count, OPTIONS)
        is_latest = r.random() < 0.3
        for toolkit in toolkits:
            libraries = chosen.choice([toolkit, *compilers]) if toolkit.line >= compilers[-1].line else toolkit
            more = NVVM_LATEST if is_latest and toolkit.line >= [13, 5] else []
            link_by(toolkit, args.made, directory, libraries, inputs, options + more)
    for toolkit in toolkits:
        print(f"{toolkit.name}: {toolkit.same} of {args.count} links are nvlink's ({toolkit.refused} without an output)")
    return any(toolkit.same != args.count for toolkit in toolkits)


if __name__ == "__main__":
    sys.exit(main())
