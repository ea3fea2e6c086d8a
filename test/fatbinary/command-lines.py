# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random command lines, given to two programs that are fatbinary: both write the same bytes, without compression.

    command-lines.py NVIDIA OURS WORK [SEED [COUNT]]

WORK holds a.cubin (sm_90), b.cubin (sm_100a), a.ptx (sm_90) and a.ltoir. Of other PTX there are random comments, strings and blanks.
"""

import random
import subprocess
import sys
from pathlib import Path

IMAGES = [("elf", "90", "a.cubin"), ("elf", "100a", "b.cubin"), ("elf", "100", "b.cubin"), ("ptx", "90", "a.ptx"),
          ("ptx", "90a", "random0.ptx"), ("ptx", "90", "random1.ptx"), ("nvvm", "90", "a.ltoir")]
PIECES = [" ", "  ", "\t", "\n", "//", "/*", "*/", '"', "\\", "a", "b1;", "/", "*", "\r", "\r\n"]


def words():
    line = ["-64", random.choice(["--compress-mode=none", "--compress=false", "-compress-mode=none"])]
    for _ in range(random.randrange(5)):
        kind, arch, file = random.choice(IMAGES)
        line.append(f"{random.choice(['--image3=', '-image3='])}kind={kind},sm={arch},file={file}")
    for option in (["-g"], ["-c"], ["--device-c"], ["-link"], ["--no-asm"], ["--compress-all"],
                   ["--ident=" + "abcdefghijklmnopq"[:random.randrange(18)]],
                   ["--cmdline", random.choice(["", " -g ", "--compile-only  "])], ["--cicc-cmdline=-ftz=0 "]):
        if random.random() < 0.35:
            line += option
    return line + random.choice([["--create", "out"], ["--embedded-fatbin=out.c"], ["--create=out", "-fatbin=out.c"]])


def run(program, line, work):
    outputs = [work / "out", work / "out.c"]
    for output in outputs:
        output.unlink(missing_ok=True)
    status = subprocess.run([program, *line], cwd=work, stdin=subprocess.DEVNULL, capture_output=True).returncode
    return status, [output.read_bytes() if output.exists() else None for output in outputs]


def main():
    nvidia, ours, work = sys.argv[1], sys.argv[2], Path(sys.argv[3])
    random.seed(int(sys.argv[4]) if len(sys.argv) > 4 else 1)
    count = int(sys.argv[5]) if len(sys.argv) > 5 else 100
    for _ in range(count):
        for number in range(2):
            text = "".join(random.choice(PIECES) for _ in range(random.randrange(60)))
            (work / f"random{number}.ptx").write_text(f".version 8.{random.randrange(8)}\n.target sm_90\n{text}", newline="")
        line = words()
        expected, found = run(nvidia, line, work), run(ours, line, work)
        if expected != found:
            sys.exit(f"different: {' '.join(line)}: status {expected[0]} and {found[0]}")
    print(f"{count} command lines: equal")


if __name__ == "__main__":
    main()
