# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""every_nvlink_option.py LLD-CUDA NVLINK OPTIONS INPUTS WORK [TOOLKIT]

Gives each option of `nvlink --help`, in its long and its short spelling, after
-Xnvlink: to the program in nvcc's place, and to an nvcc that starts NVLINK, our
nvlink. Both say the same, with the same status, and make the same image. With
TOOLKIT, a directory of lld-cuda-toolkit, both are its nvcc, which with
NVCC_APPEND_FLAGS leaves all steps to the installed one; without, a script
stands for that.
"""

import os
import re
import struct
import subprocess
import sys
from pathlib import Path

lld_cuda, nvlink, options, inputs, work, *toolkit = sys.argv[1:]

# A value for each option that takes one, and the inputs that it is about.
KERNEL = "calls-kernel.sm_75+sm_80+sm_90.uses-first.o"
FUNCTION = "calls-function.sm_75+sm_80+sm_90.uses-none.o"
VALUES = {
    "Ofast-compile": "min", "Xnvvm": "-x", "Xptxas": "-v", "arch": "sm_80", "cpu-arch": "X86_64",
    "gen-host-linker-script": "lcs-aug", "kernels-used": "nothing", "library": "one",
    "library-path": ".", "machine": "64", "maxrregcount": "32", "nvvmpath": "nowhere",
    "options-file": "words", "output-file": "elsewhere", "register-link-binaries": "list",
    "split-compile": "2", "split-compile-extended": "2", "time": "times", "uidx-file": "index",
    "variables-used": "nothing",
}
# What nvcc itself gives to nvlink: a script doesn't know that it must not.
STEPS = {"arch", "cpu-arch", "emit-ptx", "gen-host-linker-script", "help", "output-file",
         "register-link-binaries", "version", "relocatable-link"}

SCRIPT = f"""#!/usr/bin/env python3
import subprocess, sys
words = iter(sys.argv[1:])
given, files, output = [], [], None
for word in words:
    if word == "-Xnvlink":
        given.append(next(words))
    elif word == "-o":
        output = next(words)
    elif word.endswith(".o"):
        files.append(word)
command = ["-m64", "--arch=sm_90", "--register-link-binaries=reg.c", *given, "-cpu-arch=X86_64",
           *files, "-o", output]
sys.exit(subprocess.run([{nvlink!r}, *command]).returncode)
"""

os.makedirs(work, exist_ok=True)
os.chdir(work)
for name in (KERNEL, FUNCTION):
    Path(name).write_bytes(Path(inputs, "calls", name).read_bytes())
Path("words").write_text("-v\n")
if toolkit:
    own = [Path(toolkit[0], "bin", "nvcc")]
    installed = ["env", "NVCC_APPEND_FLAGS=-DX", *own]
else:
    script = Path("nvcc").resolve()
    script.write_text(SCRIPT)
    script.chmod(0o755)
    own = [lld_cuda, "-flavor", "nvcc", f"--nvcc={script}", "--"]
    installed = [script]
LINK = ["-dlink", "-arch=sm_90", KERNEL, FUNCTION, "-cudadevrt=none", "-o"]


def run(command, output, words):
    Path(output).unlink(missing_ok=True)
    given = [part for word in words for part in ("-Xnvlink", word)]
    result = subprocess.run([*command, *LINK, output, *given], capture_output=True, text=True)
    text = re.sub(r"(?:/\S*)?/tmpxft_\S+", "TEMPORARY", result.stdout + result.stderr)
    made = Path(output)
    return result.returncode, text.replace(output, "OUT"), made.read_bytes() if made.exists() else b""


def image(contents):
    """The cubin in a host object, or the cubin that the script leaves."""
    start = contents.find(b"\x7fELF\x02\x01\x01\x41")
    if start < 0:
        return b""
    segments, sections = struct.unpack_from("<QQ", contents, start + 32)
    segment_size, segment_count, section_size, section_count = \
        struct.unpack_from("<4H", contents, start + 54)
    return contents[start:start + max(segments + segment_size * segment_count,
                                      sections + section_size * section_count)]


def is_same(one, other):
    """But for the note, which has the command line."""
    if not one or not other:
        return one == other
    Path("one.cubin").write_bytes(one)
    Path("other.cubin").write_bytes(other)
    return subprocess.run(["cubin-diff", "--require=identical-but-note", "one.cubin", "other.cubin"],
                          capture_output=True).returncode == 0


def is_done_here(words):
    command = [lld_cuda, "-flavor", "nvcc", "--print-step", "--", *LINK, "x"]
    given = [part for word in words for part in ("-Xnvlink", word)]
    return subprocess.run([*command, *given], capture_output=True, text=True) \
        .stdout.startswith("device link")


failed, done_here, count = [], 0, 0
for row in Path(options).read_text().splitlines():
    long, short = row.split("\t")
    count += 1
    for spelling in [f"--{long}"] + ([f"-{short}"] if short else []):
        value = VALUES.get(long)
        for words in [[f"{spelling}={value}"], [spelling, value]] if value else [[spelling]]:
            done_here += is_done_here(words)
            if long in STEPS and not toolkit:
                if is_done_here(words):
                    failed.append(f"{words}: isn't left to nvcc")
                continue
            ours, theirs = run(own, "own.o", words), run(installed, "installed.o", words)
            if ours[:2] != theirs[:2]:
                failed.append(f"{words}: {ours[:2]}, by nvcc {theirs[:2]}")
            elif not is_same(image(ours[2]), image(theirs[2])):
                failed.append(f"{words}: another image")
print(*failed, sep="\n")
print(f"{count} options, {done_here} spellings done here")
sys.exit(bool(failed) or count != 43 or done_here < 30)
