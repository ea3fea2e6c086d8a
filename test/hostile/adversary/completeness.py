# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Does the table have every program, and every option whose value is a file?"""

import os
import re
import subprocess

import page
import programs

#: Not for users.
OTHERS = {"benchmark-limit", "benchmark-measure"}
#: How help texts say that a value is a file or a folder.
FILE = re.compile(  # In "-o FILE", "--map=<file>", "--image[=<file>]".
    r"(--?[\w-]+)(?:\[?[= ]|, )(?:\[=)?<?(file|dir|directory|folder|tar|path|FILE|PATH|DIR|old|image|suffix)\b")
HELP = {"lld-cuda-lto": None, "nvcc": None, "lld-cuda --run": None, "clang-nvlink-wrapper": None}
#: Options that no row names, and why none has to.
WITHOUT = {
    "-L": "a folder in which -l looks", "--library-path": "the same", "--library": "-l", "--output": "-o",
    "--output-file": "-o", "--print-map": "standard output", "--uidx-file": "accepted, not read",
    "--gen-host-linker-script": "it has no file", "--compress-mode": "no file",
    "--nvjitlink-path": "a program of the user's, which is run", "--nvvmpath": "the same", "--lto-nvlink": "the same",
    "--ptxas-path": "the same", "--cuda-path": "the same", "--reproduce": "", "--lto-timeout": "no file",
    "--by": "no file", "--cache-dir": "test/compile-cache has a test for each attack", "-DCMAKE_CUDA_COMPILER": "CMake's", "--arch": "no file", "--error-format": "no file",
}


def programs_of(build):
    """Names of what the build makes."""
    return {name for name in os.listdir(build / "bin") if os.access(build / "bin" / name, os.X_OK)} - OTHERS


def named(row_or_text):
    return re.findall(r"--?[A-Za-z][\w-]*", row_or_text)


def check(build):
    problems = []
    known = {path.removeprefix("bin/") for path in programs.PROGRAMS.values() if path.startswith("bin/")}
    problems += [f"{name}: a program without a row" for name in sorted(programs_of(build) - known)]
    rows = programs.rows()
    for name, path in programs.PROGRAMS.items():
        own = [row for row in rows if row.program == name]
        if not own:
            problems.append(f"{name}: no row")
        if name in HELP or "{" in path:
            continue
        tried = {word for row in own for word in named(row.command) + named(row.argument)}
        # The linker's command lines have most options in common.
        if name == "lld-cuda":
            tried |= {word for row in rows if row.program == "ld.cuda" for word in named(row.command)}
        text = subprocess.run([build / path, "--help"], capture_output=True, text=True, check=False,
                              stdin=subprocess.DEVNULL).stdout
        for option in sorted({match[1] for match in FILE.finditer(text)}):
            if option not in tried and option not in WITHOUT:
                problems.append(f"{name}: {option}: its value is a file, and no row tries it")
    if not page.is_current():
        problems.append(f"{page.PAGE.name} doesn't have the table's rows: adversary write")
    for problem in problems:
        print(problem)
    print(f"{len(programs.PROGRAMS)} programs, {len(rows)} rows, {len(problems)} missing")
    return 1 if problems else 0
