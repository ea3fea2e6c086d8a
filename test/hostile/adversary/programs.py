# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The table: every program of the project, and every argument of it that is a file.

A row has a command line, in which FILE stands for the argument. The other words that are names
of sound files (goods.py) stand for those. What is written besides FILE is told by `writes`.
"""

from collections import namedtuple

#: Program: where it lies, below the build's folder; {goods} is the folder of sound files.
PROGRAMS = {
    "nvlink": "bin/nvlink",
    "ld.cuda": "bin/ld.cuda",
    "lld-cuda": "bin/lld-cuda",
    "fatbinary": "bin/fatbinary",
    "cubin-dump": "bin/cubin-dump",
    "cubin-diff": "bin/cubin-diff",
    "cubin-size": "bin/cubin-size",
    "cubin-check": "bin/cubin-check",
    "cubin-prune": "bin/cubin-prune",
    "reproducer": "bin/reproducer",
    "lld-cuda-toolkit": "bin/lld-cuda-toolkit",
    "lld-cuda-lto": "bin/lld-cuda-lto",
    "lld-cuda --run": "bin/lld-cuda",
    "nvcc": "{goods}/made/bin/nvcc",
    "clang-nvlink-wrapper": "{goods}/clang-nvlink-wrapper",
}
#: The exit statuses that a program's manual knows.
STATUSES = {"nvlink": {0, 1, 255}, "lld-cuda": {0, 1, 255}, "cubin-diff": {0, 1, 2}, "cubin-check": {0, 1, 2, 3}, "reproducer": {0, 1, 2}, "lld-cuda-lto": {0, 1, 2, 3, 4},
            "lld-cuda --run": {0, 1, 126, 127}, "nvcc": {0, 1, 255}}
DEFAULT_STATUSES = {0, 1}

#: `file`: a sound one. `writes`: what else a run writes. `kind`: file, folder, in place (read and
#: written), folder read. `waits`: may wait for the other end of a pipe, and why.
Row = namedtuple("Row", "program argument command file writes kind waits needs")

#: Outcomes that the attack's own list hasn't: program, argument, attack.
MORE = {}
for _program, _argument in (("nvlink", "--options-file"), ("fatbinary", "--options-file")):
    # As for nvlink, the text of such a file ends at its first NUL, and one that can't be read is empty.
    for _attack in ("a folder", "/dev/zero, endless", "/dev/full", "an endless pipe"):
        MORE[_program, _argument, _attack] = {"empty", "read"}
for _argument in ("a cubin", "an archive", "a library", "a wheel", "--diff", "a folder"):
    MORE["cubin-size", _argument, "a folder"] = {"empty"}  # It shows what a folder holds.
MORE["cubin-check", "what a folder holds", "a symbolic link"] = {"refused"}  # It is all that the folder holds.
MORE["cubin-dump", "--extract", "a folder with files"] = {"written"}  # Beside them.
MORE["cubin-check", "--diff", "a folder"] = {"empty"}
for _argument in ("--sysroot", "--library-path"):
    MORE["cubin-check", _argument, "a folder"] = {"read"}  # The library isn't there, and not needed.
#: What isn't a file is passed over in a folder, and a mark that isn't one is none.
PASSES_OVER = {("cubin-size", "what a folder holds"), ("cubin-size", "a folder"),
               ("ld.cuda", ".lld-cuda-toolkit, beside the program")}

# As nvlink's, such a table may be missing: that is a warning.
for _attack in ("/dev/full", "on a full file system", "an old file on a full file system"):
    MORE["nvlink", "--time", _attack] = {"warned", "written"}

#: What is also written about a run that fails.
AFTER_ERRORS = {"--reproduce"}
#: What is written behind that which is there.
APPENDS = {"--time"}

PIPE = "a pipe is a file to linkers, `<(command)` in a shell; as with cat, the other end decides"


def read(program, argument, command, file, writes=(), kind="read", waits="", needs=""):
    return Row(program, argument, command, file, tuple(writes.split()) if writes else (), kind, waits, needs)


def written(program, argument, command, file, writes=(), kind="write", waits=PIPE, needs=""):
    return Row(program, argument, command, file, tuple(writes.split()) if writes else (), kind, waits, needs)


def linker_rows():
    link = {"nvlink": "nvlink -arch=sm_90", "ld.cuda": "ld.cuda -arch=sm_90"}
    for name, start in link.items():
        rest = "kernel.cubin function.cubin -o out"
        yield read(name, "a cubin", f"{start} kernel.cubin FILE -o out", "function.cubin", "out", waits=PIPE)
        yield read(name, "a host object", f"{start} kernel.o FILE -o out", "function.o", "out", waits=PIPE)
        yield read(name, "a fatbin", f"{start} kernel.fatbin FILE -o out", "function.fatbin", "out", waits=PIPE)
        yield read(name, "an archive", f"{start} kernel.o FILE -o out", "libfunction.a", "out", waits=PIPE)
        yield read(name, "a thin archive's member", f"{start} kernel.o thin.a -o out", "function.o", "out")
        yield read(name, "-l", f"{start} kernel.o -L. -lfunction -o out", "libfunction.a", "out", waits=PIPE)
        yield read(name, "--options-file", f"{start} --options-file FILE {rest}", "options.txt", "out", waits=PIPE)
        yield read(name, "--budget", f"{start} {rest} --budget=FILE", "budget.toml", "out", waits=PIPE)
        yield read(name, "--baseline", f"{start} {rest} --resource-report=new.json --baseline=FILE", "report.json",
                   "out new.json", waits=PIPE)
        yield written(name, "-o", f"{start} kernel.cubin function.cubin -o FILE", "out.cubin")
        for option in ("--Map", "--dependency-file", "--register-link-binaries", "--reproduce", "--resource-report",
                       "--time-trace", "--dot-file"):
            suffix = {"--reproduce": ".tar", "--resource-report": ".json"}.get(option, "")
            yield written(name, option, f"{start} {rest} {option}=FILE", "report" + suffix, "out")
        yield written(name, "--resource-report (a page)", f"{start} {rest} --resource-report=FILE", "report.html",
                      "out")
    yield written("nvlink", "--why-extract", "nvlink -arch=sm_90 kernel.o libfunction.a -o out --why-extract=FILE", "why",
                  "out")
    yield written("nvlink", "--time", f"nvlink -arch=sm_90 {rest} --time=FILE", "times", "out")
    start = "ld.cuda -arch=sm_80 -arch=sm_90 kernel.o"
    yield read("ld.cuda", "an object, for several architectures", f"{start} FILE --host-object=out", "function.o",
               "out", waits=PIPE)
    yield read("ld.cuda", "@FILE", f"ld.cuda -arch=sm_90 @FILE {rest}", "options.txt", "out", waits=PIPE)
    yield read("ld.cuda", "--version-script", f"ld.cuda -arch=sm_90 {rest} --version-script=FILE", "symbols.map", "out",
               waits=PIPE)
    yield read("ld.cuda", "--require-kernels=@FILE", f"ld.cuda -arch=sm_90 {rest} --require-kernels=@FILE", "kernels.txt",
               "out", waits=PIPE)
    yield read("ld.cuda", "--join-reports", "ld.cuda --join-reports FILE --resource-report=all.json", "report.json",
               "all.json", waits=PIPE)
    yield read("ld.cuda", "bitcode", "ld.cuda -arch=sm_90 --lto-emit-llvm FILE -o out", "kernel.bc", "out",
               waits=PIPE, needs="llvm-as lto")
    yield read("ld.cuda", "--libdevice", "ld.cuda -arch=sm_90 --lto-emit-llvm kernel.bc --libdevice=FILE -o out",
               "device.bc", "out", needs="llvm-as lto", waits=PIPE)
    yield read("ld.cuda", ".lld-cuda-toolkit, beside the program", "marked/bin/ld.cuda -arch=sm_90 " + rest,
               "marked/.lld-cuda-toolkit", "out")
    yield written("ld.cuda", "--fatbin", f"{start} function.o --fatbin=FILE", "out.fatbin")
    yield written("ld.cuda", "--host-object", f"{start} function.o --host-object=FILE", "out.o")
    yield written("ld.cuda", "--why-extract", "ld.cuda -arch=sm_90 kernel.o libfunction.a -o out --why-extract=FILE",
                  "why", "out")
    yield read("lld-cuda", "a cubin", "lld-cuda -arch=sm_90 kernel.cubin FILE -o out", "function.cubin", "out",
               waits=PIPE)
    yield written("lld-cuda", "-o", "lld-cuda -arch=sm_90 kernel.cubin function.cubin -o FILE", "out.cubin")
    start = "clang-nvlink-wrapper -arch sm_90"
    yield read("clang-nvlink-wrapper", "a cubin", f"{start} kernel.cubin FILE -o out", "function.cubin", "out",
               waits=PIPE)
    yield written("clang-nvlink-wrapper", "-o", f"{start} kernel.cubin function.cubin -o FILE", "out.cubin")
    start = "nvcc -dlink -arch=sm_90"
    yield read("nvcc", "an object", f"{start} kernel.o FILE -o out.o", "function.o", "out.o", waits=PIPE)
    yield read("nvcc", "an archive", f"{start} kernel.o FILE -o out.o", "libfunction.a", "out.o", waits=PIPE)
    yield written("nvcc", "-o", f"{start} kernel.o function.o -o FILE", "out.o")


def tool_rows():
    image = "--image3=kind=elf,sm=90,file="
    yield read("fatbinary", "--image3", f"fatbinary --create=out {image}FILE", "function.cubin", "out")
    yield read("fatbinary", "--image", "fatbinary --create=out --image=profile=sm_90,file=FILE", "function.cubin",
               "out")
    yield read("fatbinary", "--options-file", f"fatbinary --create=out {image}function.cubin --options-file=FILE",
               "fatbinary.txt", "out", waits=PIPE)
    yield written("fatbinary", "--create", f"fatbinary --create=FILE {image}function.cubin", "out.fatbin")
    yield written("fatbinary", "--embedded-fatbin", f"fatbinary --create=out --embedded-fatbin=FILE {image}function.cubin",
                  "out.c", "out")
    yield read("cubin-dump", "a cubin", "cubin-dump FILE", "function.cubin")
    yield read("cubin-dump", "an archive", "cubin-dump FILE", "libfunction.a")
    yield read("cubin-dump", "a wheel", "cubin-dump FILE", "package.whl")
    yield read("cubin-dump", "an object, with --extract", "cubin-dump FILE --extract=out", "function.o", "out")
    yield read("cubin-dump", "a wheel, with --extract", "cubin-dump FILE --extract=out", "package.whl", "out")
    yield written("cubin-dump", "--extract", "cubin-dump function.o --extract=FILE", "folder", kind="write folder",
                  waits="")
    yield read("cubin-diff", "the first", "cubin-diff FILE function.cubin", "function.cubin")
    yield read("cubin-diff", "the second", "cubin-diff function.cubin FILE", "function.cubin")
    for what, file in (("an archive", "libfunction.a"), ("a library", "program.so"), ("a wheel", "package.whl")):
        yield read("cubin-diff", what, f"cubin-diff FILE {file}", file)
    for what, file in (("a cubin", "function.cubin"), ("an archive", "libfunction.a"), ("a library", "program.so"),
                       ("a wheel", "package.whl")):
        yield read("cubin-size", what, "cubin-size FILE", file)
    yield read("cubin-size", "what a folder holds", "cubin-size tree", "tree/program.so")
    yield read("cubin-size", "a folder", "cubin-size FILE", "tree", kind="read folder")
    for what, file in (("a cubin", "function.cubin"), ("an archive", "libfunction.a"), ("a library", "program.so"),
                       ("a wheel", "package.whl")):
        yield read("cubin-check", what, "cubin-check --gpu=sm_90 FILE", file)
    yield read("cubin-check", "what a folder holds", "cubin-check --gpu=sm_90 tree", "tree/program.so")
    yield read("cubin-check", "a folder", "cubin-check --gpu=sm_90 FILE", "tree", kind="read folder")
    yield read("cubin-check", "--diff", "cubin-check --resources --diff=FILE linked80.cubin", "linked80.cubin")
    yield read("cubin-check", "--policy", "cubin-check --policy=FILE program.so", "policy.toml")
    yield read("cubin-check", "--sysroot", "cubin-check --sysroot=FILE program.so", "tree", kind="read folder")
    yield read("cubin-check", "--library-path", "cubin-check --library-path=FILE program.so", "tree", kind="read folder")
    yield read("cubin-size", "--diff", "cubin-size --diff=FILE program.so", "program.so")
    prune = "cubin-prune --keep=sm_90"
    yield read("cubin-prune", "an object", f"{prune} FILE -o out", "function.o", "out")
    yield read("cubin-prune", "a library", f"{prune} FILE -o out", "program.so", "out")
    yield read("cubin-prune", "--linked", "cubin-prune --linked=FILE function.o -o out", "linked80.cubin", "out")
    yield read("cubin-prune", "--keep-kernels=@FILE", "cubin-prune --keep-kernels=@FILE kernel.o -o out",
               "patterns.txt", "out")
    yield read("cubin-prune", "--in-place", f"{prune} --in-place FILE", "function.o", kind="in place")
    yield written("cubin-prune", "-o", f"{prune} function.o -o FILE", "out.o")
    yield written("cubin-prune", "--backup", f"{prune} --in-place --backup=.old pruned.o", "pruned.o.old",
                  "pruned.o", kind="backup", waits="")
    yield read("reproducer", "replay", "reproducer replay FILE", "good.tar")
    yield written("reproducer", "replay -o", "reproducer replay good.tar -o FILE", "folder", kind="write folder",
                  waits="")
    yield read("reproducer", "shrink", "reproducer shrink --still true FILE -o small.tar", "bad.tar", "small.tar")
    yield written("reproducer", "shrink -o", "reproducer shrink --still true bad.tar -o FILE", "small.tar")
    yield written("reproducer", "shrink --test", "reproducer shrink --still true bad.tar -o small.tar --test FILE", "case.test",
                  "small.tar")
    yield read("lld-cuda-toolkit", "--cuda-path", "lld-cuda-toolkit --cuda-path=FILE out", "cuda", "out",
               kind="read folder")
    yield read("lld-cuda-toolkit", "--linker", "lld-cuda-toolkit --cuda-path=cuda --linker=FILE out", "command", "out")
    yield written("lld-cuda-toolkit", "the directory", "lld-cuda-toolkit --cuda-path=cuda FILE", "toolkit",
                  kind="write folder", waits="")
    yield read("lld-cuda-lto", "a job", "lld-cuda-lto FILE", "symbols.job", "symbols.out", needs="llvm-as lto")
    yield read("lld-cuda-lto", "a job's data", "lld-cuda-lto symbols.job", "kernel.bc", "symbols.out",
               needs="llvm-as lto")
    yield written("lld-cuda-lto", "a job's output", "lld-cuda-lto symbols.job", "symbols.out", needs="llvm-as lto")
    yield read("lld-cuda --run", "the command", "lld-cuda --run ./FILE", "command")


def rows():
    return [*linker_rows(), *tool_rows()]

