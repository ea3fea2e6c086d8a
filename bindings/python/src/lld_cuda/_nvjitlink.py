# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""libnvJitLink's interface: its users in this process, or in another program, link with lld-cuda."""

from __future__ import annotations

import ctypes
import os
import re
import sys
from typing import NoReturn, Optional

from . import _programs
from ._errors import Error

MAJORS = (12, 13)


def library(major: int) -> str:
    """The path of our libnvJitLink.so.MAJOR."""
    if major not in MAJORS:
        raise ValueError(f"libnvJitLink.so.{major}: known versions are {' and '.join(f'.so.{known}' for known in MAJORS)}")
    path = os.path.join(_programs.PREFIX, "lib", "lld-cuda", "nvjitlink", f"libnvJitLink.so.{major}")
    if not os.path.isfile(path):
        raise Error(f"this installation of lld-cuda has no libnvJitLink.so.{major}", "library")
    return path


def default_major() -> int:
    """That of the installed cuda-bindings; the newest one without."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return 12 if version("cuda-bindings").startswith("12.") else MAJORS[-1]
    except PackageNotFoundError:
        return MAJORS[-1]


def _loaded() -> set[str]:
    """Of this process: the files of all libraries with libnvJitLink's name."""
    found = set()
    try:
        with open("/proc/self/maps", encoding="utf-8", errors="surrogateescape") as maps:
            for line in maps:
                path = line.rstrip("\n").split(None, 5)[-1]
                if re.search(r"/libnvJitLink[^/]*\.so\.\d+", path):
                    found.add(path)
    except OSError:
        pass
    return found


def replace_nvjitlink(major: Optional[int] = None) -> str:
    """Loads lld-cuda's libnvJitLink into this process, so that who asks for NVIDIA's later (cuda.core,
    cuda-python, numba-cuda, cuSPARSE) gets this one. Returns its path.

    major  12 or 13; None: that of the installed cuda-bindings, or else 13

    Error: NVIDIA's is loaded already (call this before anything has linked), or this installation has none.
    Calling it twice does no harm.

        import lld_cuda
        lld_cuda.replace_nvjitlink()
        from cuda.core import Linker
    """
    path = library(default_major() if major is None else major)
    for other in _loaded():
        if not _same(other, path) and os.path.dirname(other) != os.path.dirname(path):
            raise Error(f"{other} is loaded already; call replace_nvjitlink() before it is used for the first time", "loaded")
    try:
        _kept.append(ctypes.CDLL(path))  # By the SONAME, later dlopen() calls find this one.
    except OSError as error:
        raise Error(f"can't load {path}: {error}", "library") from error
    return path


_kept: list[ctypes.CDLL] = []


def _same(a: str, b: str) -> bool:
    try:
        return os.path.samefile(a, b)
    except OSError:
        return False


def run(words: list[str], major: Optional[int] = None) -> NoReturn:
    """Becomes a program that has our library loaded. OSError: it can't be run."""
    path = library(default_major() if major is None else major)
    if re.search(r"[\s:]", path):
        raise Error(f"LD_PRELOAD can't name {path}, since it contains a blank or a colon", "library")
    others = os.environ.get("LD_PRELOAD")
    environment = {**os.environ, "LD_PRELOAD": f"{path}:{others}" if others else path}
    if words[0].endswith(".py") and not os.access(words[0], os.X_OK):
        words = [sys.executable, *words]
    os.execvpe(words[0], words, environment)
