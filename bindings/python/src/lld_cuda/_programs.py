# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The programs that come with the package, and the commands that start them."""

from __future__ import annotations

import os
import shutil
import sys

#: The tree that `cmake --install` makes: bin, lib, share. A distribution's package has none of
#: its own; there the programs are on PATH and the library is where the system's are.
PREFIX = os.path.join(os.path.dirname(os.path.abspath(__file__)), "_prefix")


def program(name: str) -> str:
    """The path of a program: lld-cuda, ld.cuda, cubin-size, cubin-prune, cubin-dump, cubin-diff,
    cubin-check, lld-cuda-toolkit, reproducer.

    The commands of these names are launchers that cost some milliseconds; what starts a program
    often may take its path. FileNotFoundError: there is no such program.

    >>> import subprocess
    >>> subprocess.run([program("cubin-diff"), EXAMPLE / "kernel.cubin", EXAMPLE / "kernel.cubin"],
    ...                capture_output=True, text=True).stdout.split()[0]
    'IDENTICAL'
    """
    if os.path.basename(name) != name or name in ("", ".", ".."):
        raise FileNotFoundError(f"lld-cuda has no program {name!r}")
    if os.path.isdir(PREFIX):
        path = os.path.join(PREFIX, "bin", name)
        if os.path.isfile(path):
            return path
    else:
        found = shutil.which(name)
        if found:
            return found
    raise FileNotFoundError(f"lld-cuda has no program {name!r}")


def example() -> str:
    """The folder with kernel.cubin, which calls a function of function.cubin."""
    path = os.path.join(PREFIX, "share", "doc", "lld-cuda", "example")
    if not os.path.isdir(path):
        raise FileNotFoundError("this installation of lld-cuda has no example")
    return path


def _start(name: str) -> int:
    try:
        path = program(name)
        words = [path]
        tools = os.path.join(PREFIX, "libexec", "lld-cuda", "cubin-tools")
        if name == "reproducer" and sys.executable:
            # It is a script of this Python, whatever else is on PATH.
            path, words = sys.executable, [sys.executable, path]
        elif name.startswith("cubin-") and os.path.isfile(tools):
            # Without the script of that name in between; the program is told by it.
            path, words = tools, [name]
        sys.stdout.flush()
        os.execv(path, [*words, *sys.argv[1:]])
    except OSError as error:
        print(f"{name}: {error}", file=sys.stderr)
    return 127


def lld_cuda() -> int:
    return _start("lld-cuda")


def ld_cuda() -> int:
    return _start("ld.cuda")


def lld_cuda_toolkit() -> int:
    return _start("lld-cuda-toolkit")


def cubin_size() -> int:
    return _start("cubin-size")


def cubin_prune() -> int:
    return _start("cubin-prune")


def cubin_dump() -> int:
    return _start("cubin-dump")


def cubin_diff() -> int:
    return _start("cubin-diff")


def cubin_check() -> int:
    return _start("cubin-check")


def reproducer() -> int:
    return _start("reproducer")
