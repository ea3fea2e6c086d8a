# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the package's programs: no shell, no input, paths that can't be options."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Iterator

from ._inputs import path_bytes
from ._programs import program


@dataclass(frozen=True)
class Output:
    status: int
    stdout: bytes
    stderr: str


def run(name: str, words: Sequence[str]) -> Output:
    """Runs a program until it ends; FileNotFoundError: the installation has none of that name."""
    done = subprocess.run([program(name), *words], stdin=subprocess.DEVNULL, capture_output=True, check=False)
    return Output(done.returncode, done.stdout, done.stderr.decode("utf-8", "backslashreplace"))


def path_word(path: Any) -> str:
    """A path as a word of a command line: absolute, so never an option or @FILE."""
    return os.path.abspath(os.fsdecode(path_bytes(path)))


def as_told(path: str) -> str:
    """A path as programs write it in JSON, which has UTF-8 only."""
    return os.fsencode(path).decode("utf-8", "replace")


@contextmanager
def private_folder() -> Iterator[str]:
    """A folder of the user's own, gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="lld-cuda-") as folder:
        yield folder


def write_file(path: str, data: memoryview) -> None:
    with open(path, "wb") as file:
        file.write(data.tobytes())
