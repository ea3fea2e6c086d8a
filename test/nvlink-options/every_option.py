# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""every_option.py OURS NVLINK INPUTS PTX WORK [OPTION...]

Links with every option that `nvlink --help` lists, and every hidden one that
is accepted, in all spellings, with good values and bad ones, and compares what
the two linkers leave: exit status, both streams, every file. Fails, too, when
--help lists an option that has no line here.

In a command K, F, R and so on are the inputs below, OUT is `-o out.cubin`.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

INPUTS = {
    "K": "calls-kernel.sm_90.cubin",
    "F": "calls-function.sm_90.cubin",
    "G": "globals-a.sm_90.cubin",
    "H": "globals-b.sm_90.cubin",
    "R": "recursion.sm_90.cubin",
    "S": "recursion-other.sm_90.cubin",
    "D": "debug.sm_90.debug.cubin",
    "W": "dead.sm_90.cubin",
    "M": "calls-function.sm_80.o",
    "HK": "calls-kernel.sm_75+sm_80+sm_90.uses-first.o",
    "HF": "calls-function.sm_75+sm_80+sm_90.uses-none.o",
    "P": "kernel-only.ptx",
}
LINK = "-arch=sm_90 OUT "

# One command a line; {} is the option in its short and long spelling.
CASES = {
    "Ofast-compile": [LINK + "{}=max K F", LINK + "K F {}"],
    "Xnvvm": [LINK + "{} -x,-y K F", LINK + "{}=-x {}=-y K F"],
    "Xptxas": [LINK + "{} -v K F", LINK + "{}=-O1,-v P"],
    "arch": ["OUT {} sm_90 K F", "OUT {}=sm_90 K F", "OUT {}=sm_80 K F", "OUT {}=sm_1 K F",
             "{}=compute_90 K F", "OUT {}=lto_90 K F", "OUT {}=sm_90 {}=sm_90 K F",
             "OUT {}=sm_80 {}=sm_90 K F", "OUT K F", "OUT {}"],
    "cpu-arch": [LINK + "{}=X86_64 K F", LINK + "{} AARCH64 K F", LINK + "{}=Z80 K F"],
    "debug": [LINK + "{} D", LINK + "{} K F", LINK + "{}=1 K F"],
    "device-stack-protector": [LINK + "{}=true K F", LINK + "{} false K F", LINK + "{} K F"],
    "disable-infos": [LINK + "{} R S", LINK + "{} M", LINK + "-v {} K F", LINK + "-Werror {} M"],
    "dump-callgraph": [LINK + "{} K F", LINK + "{} R S", LINK + "{} K",
                       LINK + "{} -dump-callgraph-no-demangle K F"],
    "dump-callgraph-no-demangle": [LINK + "{} K F"],
    "emit-ptx": [LINK + "{} K F"],
    "extra-warnings": [LINK + "{} K F", LINK + "{} R S"],
    "gen-host-linker-script": ["{}=lcs-aug", "{} lcs-abs", "{}=lcs-aug OUT", "{}=lcs-abs OUT",
                               "{}=lcs-aug K", "{}=other"],
    "ignore-host-info": [LINK + "HK HF", LINK + "{} HK HF", LINK + "{} -use-host-info HK HF"],
    "keep-system-libraries": [LINK + "{} K F", LINK + "W cudadevrt.cubin",
                              LINK + "{} W cudadevrt.cubin"],
    "kernels-used": [LINK + "{}=none G H", LINK + "{} k G H", LINK + "{}=k* {}=x K F",
                     LINK + "{}= K F", LINK + "{}=k -use-host-info HK HF"],
    "library": [LINK + "{} one K -L.", LINK + "{}=one,two K -L.", LINK + "-lone -L. K",
                LINK + "-lnone -L. K F", "-arch=sm_90 OUT -L. {}=one"],
    "library-path": [LINK + "{}=. -lone K", LINK + "{} none,. -lone K", LINK + "-L. -lone K",
                     LINK + "-L"],
    "machine": [LINK + "{}=64 K F", LINK + "-m64 K F", LINK + "{} 32 K F", LINK + "{}=many K F"],
    "maxrregcount": [LINK + "{}=32 K F", LINK + "{} 24 P", LINK + "{}=x K F"],
    "nvvmpath": [LINK + "{}=/x K F"],
    "options-file": ["{} options K F", "{}=options,more K F", "{}=none K F", "{}=stray K F"],
    "output-file": ["-arch=sm_90 {} out.cubin K F", "-arch=sm_90 {}=a {}=out.cubin K F",
                    "-arch=sm_90 K F", "-arch=sm_90 {}=none/out K F", "-arch=sm_90 K F {}"],
    "preserve-relocs": [LINK + "{} K F", LINK + "-Werror {} K F"],
    "register-link-binaries": [LINK + "--register-link-binaries=reg.c HK HF",
                               LINK + "--register-link-binaries reg.c K F",
                               LINK + "--register-link-binaries=reg.c K",
                               LINK + "--register-link-binaries=none/reg.c K F"],
    "relocatable-link": [LINK + "{} K", LINK + "{} K F", LINK + "{}=true K F"],
    "report-arch": [LINK + "{} R S", LINK + "{} K", LINK + "{} -v K F", LINK + "{} M"],
    "split-compile": [LINK + "{}=2 K F", LINK + "{} x K F"],
    "split-compile-extended": [LINK + "{}=2 K F"],
    "suppress-arch-warning": [LINK + "M", LINK + "{} M"],
    "suppress-debug-info": [LINK + "-g {} D", LINK + "{} D"],
    "suppress-stack-size-warning": [LINK + "R S", LINK + "{} R S"],
    "time": [LINK + "{}=times.csv K F", LINK + "{}=times.csv P", LINK + "{}=- K F",
             LINK + "{}=none/times.csv K F"],
    "use-host-info": [LINK + "{} HK HF", LINK + "{} K F"],
    "variables-used": [LINK + "{}=x G H", LINK + "{}= G H"],
    "verbose": [LINK + "{} K F", LINK + "{} G H", LINK + "{} -r K F", LINK + "{} K"],
    "warning-as-error": [LINK + "{} R S", LINK + "{} M", LINK + "{} K F"],
    # Hidden ones.
    "disable-smem-reservation": [LINK + "{}=true K F", LINK + "{} K F"],
    "dot-file": [LINK + "--dot-file=graph.dot K F", LINK + "-dot-file=graph.dot K F"],
    "enable-extended-smem": [LINK + "{}=true K F"],
    "force-rela": [LINK + "{} K F"],
    "host-ccbin": [LINK + "{}=gcc K F"],
    "reserve-null-pointer": [LINK + "{} K F"],
    "shared": [LINK + "{} K F"],
    "syscall-const-offset": [LINK + "{}=8 K F"],
    "uumn": [LINK + "{} K F"],
    "verbose-tkinfo": [LINK + "{}=true K F"],
}
# Where ours does or says something else, and what.
OWN = {
    "help": ["{}", r"Usage: nvlink \[options\] <inputs>"],
    "version": ["{}", "Cuda compilation tools, release 13.0, V13.0.88\n"
                      r"Build cuda_13.0.r13.0/compiler.36424714_0\nlld-cuda"],
    # nvlink's does nothing.
    "disable-warnings": [LINK + "{} R S", r"\A\Z"],
    "uidx-file": [LINK + "{} options K F", "not supported: the format of index files is not public"],
    # Without libnvvm both fail, each in its way.
    "dlto": [LINK + "{} K F", "fatal   : -nvvmpath should be specified with -lto"],
    "link-time-opt": [LINK + "{} K F", "fatal   : -nvvmpath should be specified with -lto"],
}


def prepare(inputs, ptx, folder):
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for name in INPUTS.values():
        source = next((ptx if name.endswith(".ptx") else inputs).glob(f"*/{name}"))
        shutil.copyfile(source, folder / name)
    shutil.copyfile(folder / INPUTS["G"], folder / "cudadevrt.cubin")
    (folder / "options").write_text("-arch sm_90 -o out.cubin")
    (folder / "more").write_text("-v\n--verbose")
    (folder / "stray").write_text('"')
    shutil.copyfile(inputs / "calls/libcalls.a", folder / "libone.a")
    return {path.name for path in folder.iterdir()}


def run(linker, arguments, folder, given):
    environment = {k: v for k, v in os.environ.items() if k != "LIBRARY_PATH"}
    done = subprocess.run([*linker, *arguments], cwd=folder, env=environment, timeout=60,
                          stdin=subprocess.DEVNULL, capture_output=True)
    left = {"status": done.returncode, "stdout": done.stdout, "stderr": done.stderr}
    for path in list(folder.iterdir()):
        if path.name not in given:
            left[path.name] = path.read_bytes()
            path.unlink()
    for name in ("stdout", "stderr", "times.csv"):
        if name in left:
            left[name] = re.sub(rb"\d+\.\d+ (, )?ms", b"TIME", left[name])
    return left


def spellings(nvlink_help):
    """{long name: short name or None} of --help."""
    found = {}
    for line in nvlink_help.splitlines():
        if match := re.match(r"--([\w-]+)(?: <.*?>\S*)?\s+(?:\(-([\w-]+)\))?", line):
            found[match[1]] = match[2]
    return found


def commands(name, short, lines):
    for line in lines:
        for spelling in ["--" + name] + (["-" + short] if short else []):
            words = []
            for word in line.format(*[spelling] * 3).split():
                words += ["-o", "out.cubin"] if word == "OUT" else [INPUTS.get(word, word)]
            yield words
            if "{}" not in line:
                break


def main():
    ours, nvlink, inputs, ptx, work, *wanted = sys.argv[1:]
    folder = Path(work)
    given = prepare(Path(inputs), Path(ptx), folder)
    listed = spellings(subprocess.run([nvlink, "--help"], capture_output=True, text=True).stdout)
    missing = set(listed) - set(CASES) - set(OWN)
    if missing or len(listed) < 40:
        sys.exit(f"without a test: {sorted(missing)}; --help lists {len(listed)}")
    bad = count = 0
    for name, lines in CASES.items():
        if wanted and name not in wanted:
            continue
        for words in commands(name, listed.get(name, name), lines):
            count += 1
            expected = run([nvlink], words, folder, given)
            # Ours writes all outputs or none.
            if "--register-link-binaries=none/reg.c" in words:
                del expected["out.cubin"]
            got = run([ours, "--nvlink-compat"], words, folder, given)
            if got != expected:
                bad += 1
                print(*words)
                for key in sorted(expected.keys() | got.keys()):
                    if expected.get(key) != got.get(key):
                        print("  ", key, str(expected.get(key))[:400], str(got.get(key))[:400],
                              sep="\n    ")
    for name, (line, text) in OWN.items():
        for words in commands(name, listed[name], [line]):
            count += 1
            got = run([ours], words, folder, given)
            said = (got["stdout"] + got["stderr"]).decode()
            if not re.search(text, said):
                bad += 1
                print(*words, said, sep="\n  ")
    print(f"{count - bad} of {count} links as they should be; {len(listed)} options in nvlink's help")
    sys.exit(bad != 0)


main()
