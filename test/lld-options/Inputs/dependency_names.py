#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""dependency_names.py LINKER KERNEL FUNCTION: lets make and ninja read dependency files of links with strange names."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

LINKER, KERNEL, FUNCTION = sys.argv[1:4]
NAMES = ["a b.cubin", "a  b.cubin", "a#b.cubin", "a$b.cubin", "a$$b.cubin", "a:b.cubin", "a\\b.cubin", "a\\ b.cubin",
         "c:\\d.cubin", "é.cubin", "#.cubin", ":.cubin", "a(b),c.cubin"]
#: Only make takes away half of the backslashes before these, and ninja ends a name at some characters.
MAKE_ONLY = ["a\\#b.cubin", "a\\\\ b.cubin", "a'b.cubin", 'a"b.cubin', "a\x1b.cubin"]


def link(inputs, output="out", dependencies="out.d"):
    subprocess.run([LINKER, "-arch=sm_90", *inputs, "-o", output, f"--dependency-file={dependencies}"], check=True)


def set_times(names, output):
    for name in names:
        os.utime(name, (1000, 1000))
    os.utime(output, (2000, 2000))


def is_made_again(tool, name):
    """Whether the tool would link again if only this input were newer."""
    os.utime(name, (3000, 3000))
    done = subprocess.run(tool, capture_output=True, text=True)
    os.utime(name, (1000, 1000))
    return "REBUILD" in done.stdout


def check_make(names):
    Path("Makefile").write_text("include out.d\nout:\n\t@echo REBUILD\n")
    wrong = []
    for name in names:
        shutil.copy(FUNCTION, name)
        link(["k.cubin", name])
        set_times(["k.cubin", name], "out")
        if is_made_again(["make", "out"], "Makefile") or not is_made_again(["make", "out"], name):
            wrong.append(name)
        # A file that has gone is no error.
        os.remove(name)
        if "REBUILD" not in subprocess.run(["make", "out"], capture_output=True, text=True).stdout:
            wrong.append(name + " is gone")
    print("make:", wrong or "as expected")


def check_ninja(names):
    """With each name as one input, ninja must know all of them as dependencies of the output."""
    wrong = []
    Path("build.ninja").write_text("rule link\n  command = cp ready.d out.d && cp k.cubin out\n  depfile = out.d\n  deps = gcc\n"
                                   "build out: link k.cubin\n")
    for name in names:
        shutil.copy(FUNCTION, name)
        link(["k.cubin", name], dependencies="ready.d")
        for file in (".ninja_deps", ".ninja_log", "out"):
            Path(file).unlink(missing_ok=True)
        subprocess.run(["ninja", "-t", "restat"], capture_output=True)
        subprocess.run(["ninja"], check=True, capture_output=True)
        listed = subprocess.run(["ninja", "-t", "deps", "out"], capture_output=True).stdout.split(b"\n")
        if b"    " + os.fsencode(name) not in listed:
            wrong.append((name, listed))
        os.remove(name)
    print("ninja:", wrong or "as expected")


def check_line_ends():
    shutil.copy(FUNCTION, "line\nfeed.cubin")
    sys.stdout.flush()
    subprocess.run([LINKER, "-arch=sm_90", "k.cubin", "line\nfeed.cubin", "-o", "out", "--dependency-file=out.d"],
                   check=True, stderr=subprocess.STDOUT)
    print("other inputs are told" if Path("out.d").read_text() == "out: \\\n  k.cubin\n\nk.cubin:\n" else "wrong", flush=True)
    subprocess.run([LINKER, "-arch=sm_90", "k.cubin", "f.cubin", "-o", "out\nput", "--dependency-file=out.d"],
                   check=True, stderr=subprocess.STDOUT)
    print("no rule" if not Path("out.d").read_text() else "wrong", flush=True)


shutil.copy(KERNEL, "k.cubin")
shutil.copy(FUNCTION, "f.cubin")
if shutil.which("make"):
    check_make(NAMES + MAKE_ONLY)
else:
    print("make: as expected")
if shutil.which("ninja"):
    check_ninja(NAMES)
else:
    print("ninja: as expected")
check_line_ends()
