# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""device_link(): the whole device link, as nvcc does it, in one process."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Sequence
from typing import Any, Optional, Union

from ._errors import Diagnostic, Error, InputFileError, LinkError, UndefinedError, message_of
from ._inputs import Input, InputLike, Prepared, as_input, is_path, view_of
from ._link import number_of
from ._run import as_told, path_word, private_folder, run, write_file


def device_link(
    objects: Iterable[InputLike],
    archs: Union[str, Sequence[str]],
    *,
    release: Optional[str] = None,
    debug: bool = False,
    compat: bool = False,
    libraries: Iterable[Union[str, os.PathLike[str]]] = (),
    ptxas: Union[str, os.PathLike[str], None] = None,
    max_registers: Optional[int] = None,
) -> bytes:
    """Links the device code of host objects for one architecture or several, and returns the host object
    that the program's own link takes beside them: what nvcc -dlink makes.

    objects    of nvcc -dc: paths, bytes, objects with .code, Input; what they hold tells their kind,
               whatever Input says
    archs      "sm_90", or ["sm_80", "sm_90"]
    libraries  archives behind the objects, such as libcudadevrt.a
    ptxas      compiles PTX; None: the one that ld.cuda finds
    The others are those of link(). The program ld.cuda does it, which reads its environment.

    LinkError is raised, or UndefinedError; `diagnostics` has all messages.

    >>> made = device_link([(EXAMPLE / "kernel.cubin"), (EXAMPLE / "function.cubin")], ["sm_90"])
    >>> made[:4]
    b'\\x7fELF'
    """
    if isinstance(objects, (str, bytes, bytearray, memoryview, os.PathLike)):
        raise TypeError("objects must be a list of inputs, not one input")
    archs = [archs] if isinstance(archs, str) else list(archs)
    if not archs:
        raise ValueError("archs names no architecture")
    words = ["--error-format=json", *(f"-arch={arch}" for arch in archs)]
    words += [f"--nvlink-release={release}"] if release else []
    words += ["-g"] if debug else []
    words += ["--nvlink-compat"] if compat else []
    words += [f"--ptxas-path={path_word(ptxas)}"] if ptxas is not None else []
    registers = number_of("max_registers", max_registers, 31)
    words += [f"-maxrregcount={registers}"] if registers else []
    with private_folder() as folder:
        inputs = [as_input(value) for value in [*objects, *libraries]]
        paths = [_file(value, folder, i) for i, value in enumerate(inputs)]
        names = [value.name or f"<input {i + 1}>" for i, value in enumerate(inputs)]
        made = os.path.join(folder, "device.o")
        output = run("ld.cuda", [*words, *paths, f"--host-object={made}"])
        # Files of ours are called what the caller calls the input.
        shown = {path: name for path, name in zip(paths, names) if os.path.dirname(path) == folder}
        diagnostics, log = _diagnostics(output.stderr, paths, shown)
        if output.status != 0 or not os.path.exists(made):
            raise _error(diagnostics, output.status, log)
        with open(made, "rb") as file:
            return file.read()


def _file(taken: Input, folder: str, i: int) -> str:
    """The input as a file; what it holds tells what it is."""
    if isinstance(taken.data, Prepared):
        raise TypeError("device_link() can't use a prepared input")
    if is_path(taken.data):
        path = path_word(taken.data)
        # The program would wait for what a pipe has.
        if os.path.exists(path) and not os.path.isfile(path):
            raise InputFileError(f"{path!r} is not a regular file", "file")
        return path
    path = os.path.join(folder, f"input-{i + 1}.")  # None is the beginning of another.
    write_file(path, view_of(taken.data))
    return path


def _renamed(value: Any, shown: dict[str, str]) -> Any:
    """A message with other names for files."""
    if isinstance(value, str):
        for path, name in shown.items():
            value = value.replace(path, name)
    elif isinstance(value, list):
        value = [_renamed(each, shown) for each in value]
    return value


def _diagnostics(text: str, paths: Sequence[str], shown: dict[str, str]) -> tuple[tuple[Diagnostic, ...], str]:
    """Messages; and all that was printed, in a form to be read."""
    known = [as_told(path) for path in paths]
    found, lines = [], []
    for line in text.rstrip("\n").split("\n"):  # Names may have what splitlines() takes for the end of a line.
        try:
            told: Any = json.loads(line)
            index = next((known.index(path) for path in told.get("files", []) if path in known), None)
            message = {key: _renamed(value, shown) for key, value in told.items()}
            severity = str(message["severity"])
            diagnostic = Diagnostic(
                severity={"fatal": "error", "output": "verbatim"}.get(severity, severity),
                id=message["id"], text=message["message"],
                input=index,
                symbols=tuple(message.get("symbols", ())), files=tuple(message.get("files", ())),
                sections=tuple(message.get("sections", ())), offset=next(iter(message.get("offsets", ())), None),
                notes=tuple(message.get("notes", ())))
            found.append(diagnostic)
            lines.append(str(diagnostic))
        except (ValueError, TypeError, KeyError, AttributeError):
            lines.append(_renamed(line, shown))
    return tuple(found), "\n".join(lines)


def _error(diagnostics: tuple[Diagnostic, ...], status: int, log: str) -> Error:
    ids = {diagnostic.id for diagnostic in diagnostics if diagnostic.severity == "error"}
    if "undefined-reference" in ids:
        return UndefinedError(message_of(diagnostics, "undefined"), "undefined", diagnostics, log)
    return LinkError(message_of(diagnostics, f"ld.cuda ended with status {status}"), "link", diagnostics, log)
