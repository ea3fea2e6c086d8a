# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Command lines for damaged inputs, and which files a link may write."""

ARCHITECTURES = ["sm_75", "sm_80", "sm_86", "sm_87", "sm_88", "sm_89", "sm_90", "sm_90a", "sm_100",
                 "sm_100a", "sm_100f", "sm_103", "sm_110", "sm_120", "sm_120a", "sm_121", "compute_80"]

# Each is a set that is used as a whole.
NVLINK = [
    [], [], [], ["-r"], ["-g"], ["-r", "-g"], ["-preserve-relocs"], ["--kernels-used=k"],
    ["--kernels-used=use_globals,kernel,a", "-v"], ["--nvlink-compat"], ["-r", "--nvlink-compat"],
    ["-g", "--nvlink-compat", "-preserve-relocs"], ["-v", "-extrawarn"], ["--explain"],
    ["--no-explain", "-v"], ["-dump-callgraph"], ["-dump-callgraph-no-demangle", "-r"],
    ["-Werror"], ["-Werror", "-extrawarn", "-g"], ["-w"], ["-force-rela"], ["-force-rela", "-r"],
    ["--reschedule"], ["--reschedule", "-g"], ["-g", "-suppress-debug-info"],
    ["-keep-system-libraries"], ["-ignore-host-info"], ["-use-host-info", "-v"], ["--stats"],
    ["-enable-extended-smem=true"], ["-disable-smem-reservation=true"], ["-reserve-null-pointer"],
    ["-reserve-null-pointer", "-r"], ["-shared"], ["-uumn"], ["-verbose-tkinfo=true"],
    ["-nvlink-note", "-g"], ["-report-arch", "-extrawarn"], ["--threads=4"], ["--threads=1", "-g"],
    ["-decompress-limit=1"], ["-maxrregcount=32"], ["-variables-used=a,b"], ["-suppress-stack-size-warning"],
    ["-syscall-const-offset=16"], ["-lto"], ["-dlto", "-nvvmpath=.", "-r"], ["-lto", "-nvvmpath=.", "-g"], ["-no-demangle"],
]
# Reports about a link are written about one that failed, too: nvlink's register file and call graph
# with status 255, its table of times; what tells why it failed.
NVLINK_FILES = ["--register-link-binaries={}", "--dot-file={}", "-time={}", "--time-trace={}"]

LLD = [
    [], [], ["-r"], ["-g"], ["--gc-sections"], ["--no-gc-sections"], ["--gc-sections", "--print-gc-sections"],
    ["--gc-sections", "--strip-debug"], ["--gc-sections", "-e", "k"], ["--cref"], ["-M"],
    ["--unresolved-symbols=ignore-all"], ["--unresolved-symbols=ignore-all", "-g"],
    ["--allow-multiple-definition"], ["--whole-archive"], ["--print-memory-usage"],
    ["--print-memory-usage=json"], ["--fatal-warnings"], ["--nvlink-compat"], ["--preserve-relocs"],
    ["--kernels-used=k"], ["-r", "--preserve-relocs"], ["--reschedule"], ["-t", "-y", "k"],
    ["-u", "k", "--require-defined=k"], ["--warn-unresolved-symbols"], ["-v"], ["-lto"], ["--strip-debug", "-r"],
    ["--no-demangle", "--explain"], ["--dump-callgraph"], ["--stats"], ["--color-diagnostics=always"],
]
LLD_FILES = ["-Map={}", "--dependency-file={}", "--reproduce={}", "--why-extract={}", "--time-trace={}",
             "--register-link-binaries={}"]


def command(choose, inputs, architecture, extra=()):
    """Program, arguments and {output: may it be there after a failure}."""
    outputs = {"out.cubin": False}
    is_lld = choose.random() < 0.3
    if choose.random() < 0.06:
        architecture = choose.choice(ARCHITECTURES)
    arguments = [f"-arch={architecture}"]
    sets, files = (LLD, LLD_FILES) if is_lld else (NVLINK, NVLINK_FILES)
    for _ in range(choose.choice([1, 1, 1, 2])):
        arguments += choose.choice(sets)
    if choose.random() < 0.25:
        for option in choose.sample(files, choose.choice([1, 1, 2])):
            name = choose.choice(["report", "map", "repro"]) + f"{len(outputs)}.txt"
            arguments.append(option.format(name))
            outputs[name] = not option.startswith("-Map")
    arguments += list(extra) + list(inputs)
    if choose.random() < 0.1 and not is_lld:
        arguments = arguments[1:] + arguments[:1]
    return ("ld.cuda" if is_lld else "nvlink"), arguments + ["-o", "out.cubin"], outputs
