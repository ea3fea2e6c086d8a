# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Links with -lto by nvlink and by ours, for the scripts beside this one."""

import argparse
import os
import subprocess


def parse_arguments(count=None):
    """The command line of these scripts; `count`: how many programs to make."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--linker", required=True)
    parser.add_argument("--reference", required=True)
    parser.add_argument("--toolkit", required=True, help="the directory with libnvvm in lib")
    parser.add_argument("--dir", required=True)
    if count:
        parser.add_argument("--count", type=int, default=count)
        parser.add_argument("--first", type=int, default=0)
    args = parser.parse_args()
    make_nvvm(args.dir, args.toolkit)
    return args


def make_nvvm(directory, toolkit):
    """nvlink wants libnvvm in lib64 of the directory that -nvvmpath names."""
    folder = os.path.join(directory, "nvvm", "lib64")
    os.makedirs(folder, exist_ok=True)
    if not os.path.exists(os.path.join(folder, "libnvvm.so")):
        # The Python wheels have the library under its versioned name only.
        names = [os.path.join(toolkit, "lib", name) for name in ("libnvvm.so", "libnvvm.so.4")]
        found = next((name for name in names if os.path.exists(name)), names[0])
        os.symlink(found, os.path.join(folder, "libnvvm.so"))


def run(words, cwd):
    return subprocess.run(
        words, cwd=cwd, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )


def link(linker, options, directory, keep):
    """Status, messages and the output, or None without one. The output has one
    name in all links, and is then kept with `keep` behind it."""
    name = "linked.cubin"
    path = os.path.join(directory, name)
    result = run([linker, "-o", name] + options, directory)
    output = None
    if os.path.exists(path):
        with open(path, "rb") as f:
            output = f.read()
        os.replace(path, f"{path}.{keep}")
    return result.returncode, result.stdout, output


def varies(args, options, directory, first):
    return any(link(args.reference, options, directory, "again")[2] != first for _ in range(9))


def differ_by_schedule(args, directory):
    """By cubin-diff, if there is one beside the linker."""
    program = os.path.join(os.path.dirname(os.path.realpath(args.linker)), "cubin-diff")
    if not os.path.exists(program):
        return False
    return run([program, "linked.cubin.nvlink", "linked.cubin.ours"], directory).stdout.startswith("SCHEDULING")


def compare(args, options, directory, extra=(), text=lambda messages: messages):
    """Links with both. Returns in what the links differ; `text` is what counts of
    the messages. A difference is printed. If nvlink's outputs vary from run to run,
    and from sm_100 on with another scheduling, the outputs are equal."""
    theirs = link(args.reference, options, directory, "nvlink")
    ours = link(args.linker, options + ["--nvlink-compat", "--no-explain", *extra], directory, "ours")
    theirs, ours = ((status, text(messages), output) for status, messages, output in (theirs, ours))
    if theirs[0] and ours[0] and ours[2] is None:
        theirs = theirs[:2] + (None,)  # nvlink may fail behind its output.
    problems = [what for what, a, b in zip(("status", "messages", "output"), theirs, ours) if a != b]
    if problems == ["output"] and None not in (theirs[2], ours[2]):
        if differ_by_schedule(args, directory) or varies(args, options, directory, theirs[2]):
            return []
    if problems:
        print(f"{directory}: {', '.join(problems)} of {' '.join(options)}")
        print(f"  nvlink ({theirs[0]}): {theirs[1]}\n  ours ({ours[0]}): {ours[1]}")
    return problems
