# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""every_option.py LLD-CUDA RECORDED [NVCC [--record]]

Goes through all options that `nvcc --help` lists, and a few that it doesn't.
What each does to a device link is known from `nvcc --dryrun`:

  none   the steps are the same, but for the host's part
  image  nvlink or fatbinary is called with other words
  steps  there are other steps, or an error

RECORDED has a line for each: the long name, the short one, a value, what it
does. With NVCC the same is found out anew, from its own help, and compared if
it is of the recorded release. Then each spelling of the option is given to the
program in nvcc's place, beside what CMake always gives. It may leave the link
to nvcc, which is never wrong. If it does the link itself, what changes the
image must change the words of the link, and there must be no other steps.
"""

import re
import subprocess
import sys

lld_cuda, recorded, *rest = sys.argv[1:]
nvcc = rest[0] if rest else None

LINK = ["-forward-unknown-to-host-compiler", "-dlink", "-arch=sm_90", "a.o", "b.o", "-o", "d.o"]
# For options whose help doesn't tell a good one, or one that changes something.
VALUES = {
    "Ofast-compile": "min", "Werror": "all-warnings", "archive-options": "-v",
    "compiler-bindir": "g++", "compiler-options": "-Wall", "compress-mode": "size",
    "cudart": "none", "dependency-output": "deps", "diag-error": "1", "diag-suppress": "1",
    "diag-warn": "1", "dopt": "on", "entries": "k", "frandom-seed": "7",
    "ftemplate-backtrace-limit": "3", "ftemplate-depth": "3",
    "generate-code": "arch=compute_80,code=sm_80", "gpu-architecture": "sm_80",
    "gpu-code": "sm_90", "host-linker-script": "gen-lcs", "jump-table-density": "100",
    "linker-options": "-z", "maxrregcount": "32", "nvlink-options": "-v",
    "optimization-info": "inline", "optimize": "2", "options-file": "/dev/null",
    "ptxas-options": "-v", "qpp-config": "none", "sanitize": "memcheck", "split-compile": "2",
    "split-compile-extended": "2", "std": "c++17", "threads": "2", "x": "cu",
}
UNLISTED = [("fatbin-options", "Xfatbin", "-compress-all"),
            ("fatbin-options", "Xfatbin", "--compress-mode=size"),
            ("fatbin-options", "Xfatbin", "-compress=false"),
            ("fatbin-options", "Xfatbin", "-g"), ("no-such-option", "no-such-option", ""),
            ("fno-such-option", "fno-such-option", "")]


def normal(line):
    """Without names of temporary files, and what is of no consequence."""
    line = re.sub(r"tmpxft_[0-9a-f]+_[0-9a-f]+-[0-9]+_", "", line)
    # Another order of the steps' output; the compilation of PTX, whose options stand in the entry
    # of PTX alone; what changes nothing in nvlink's output; the name of the host's compiler.
    line = re.sub(r" *> *\S+ 2>\S+", "", line)
    line = re.sub(r'--cmdline="[^"]*"', "", line)
    line = re.sub(r"--shared\b", "", line)
    line = re.sub(r'--host-ccbin "[^"]*"', "", line)
    return " ".join(line.split())


def dry_run(*words):
    result = subprocess.run([nvcc, "--dryrun", *LINK, *words], capture_output=True, text=True)
    lines = [normal(line[3:]) for line in (result.stdout + result.stderr).splitlines()
             if re.match(r"#\$ (?![A-Z_]+=)", line)]
    kinds = sorted(re.sub(r"^g\+\+$", "gcc", line.split()[0]) for line in lines)
    tools = sorted(line for line in lines if line.startswith(("nvlink ", "fatbinary ")))
    return result.returncode, [k for k in kinds if k != "nvlink"], tools


def effect(words):
    status, kinds, tools = dry_run(*words)
    if status != base[0] or kinds != base[1]:
        return "steps"
    return "none" if tools == base[2] else "image"


def listed():
    text = subprocess.run([nvcc, "--help"], capture_output=True, text=True).stdout
    for match in re.finditer(r"^--([\w-]+)(?: (\S.*?))? {2,}(?:\(-(\S+)\)|--(\S+))", text, re.M):
        long, value, short, only_long = match.groups()
        choices = re.match(r"[{\[<]?([\w+.-]+)", value or "")
        yield long, short or only_long, (VALUES.get(long) or choices[1]) if value else \
            VALUES.get(long, "")


def step(*words):
    command = [lld_cuda, "-flavor", "nvcc", "--nvcc=/nowhere/nvcc", "--print-step", "--"]
    return subprocess.run([*command, *LINK, *words], capture_output=True, text=True).stdout


rows = [tuple(line.split("\t")) for line in open(recorded).read().splitlines()]
failed = []
if nvcc:
    base = dry_run()
    found = [(*option, effect([f"--{option[0]}", *filter(None, [option[2]])]
                              if option not in UNLISTED
                              else [f"-{option[1]}", *filter(None, [option[2]])]))
             for option in [*listed(), *UNLISTED]]
    if "--record" in rest:
        open(recorded, "w").writelines("\t".join(row) + "\n" for row in found)
    version = subprocess.run([nvcc, "--version"], capture_output=True, text=True).stdout
    if "V13.0.88" in version:
        failed += [f"{row[0]}: recorded is something else" for row in set(found) ^ set(rows)]
    rows = found

ours = step()
assert ours.startswith("device link: "), ours
done_here = 0
for long, short, value, does in rows:
    for word in {f"-{short}", f"--{long}"}:
        for words in [[word, value], [f"{word}={value}"]] if value else [[word]]:
            said = step(*words)
            if said.startswith("nvcc: "):
                continue
            done_here += 1
            if does == "steps" and not said.endswith(f"-> {value}\n"):
                failed.append(f"{' '.join(words)}: a link is done without the other steps")
            elif does == "image" and said == ours:
                failed.append(f"{' '.join(words)}: is lost")
print(*failed, sep="\n")
print(f"{len(rows)} options, {done_here} spellings done here")
sys.exit(bool(failed) or len(rows) < 140 or done_here < 100)
