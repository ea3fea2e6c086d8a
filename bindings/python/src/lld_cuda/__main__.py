# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""python -m lld_cuda"""

from __future__ import annotations

import argparse
import sys

from . import _native, _nvjitlink, _programs
from ._errors import Error


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m lld_cuda", description="lld-cuda's Python package")
    parser.add_argument("--version", action="store_true", help="print the version of lld-cuda")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    runner = commands.add_parser("run", help="run a program with lld-cuda's libnvJitLink, through LD_PRELOAD")
    runner.add_argument("--major", type=int, choices=_nvjitlink.MAJORS, help="the major version of libnvJitLink (default: that of cuda-bindings, or else 13)")
    runner.add_argument("program", help="a program, or a Python script FILE.py")
    runner.add_argument("arguments", nargs=argparse.REMAINDER)
    where = commands.add_parser("path", help="print the path of a program, such as cubin-size")
    where.add_argument("program")
    commands.add_parser("example", help="print the folder with kernel.cubin and function.cubin, for a first link")
    arguments = parser.parse_args()
    try:
        if arguments.version:
            print(f"lld-cuda {_native.version()}")
        elif arguments.command == "run":
            _nvjitlink.run([arguments.program, *arguments.arguments], arguments.major)
        elif arguments.command == "path":
            print(_programs.program(arguments.program))
        elif arguments.command == "example":
            print(_programs.example())
        else:
            parser.print_help()
    except (Error, OSError) as error:
        print(f"lld_cuda: error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
