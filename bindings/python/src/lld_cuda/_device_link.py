# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""device_link(): the whole device link, as nvcc does it, in one process."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Sequence
from typing import Any, Optional, Union

from ._errors import Diagnostic, Error, LinkError, UndefinedError, message_of
from ._inputs import InputLike, Prepared, as_input, buffer_of, is_path
from ._run import path_word, private_folder, run, write_file


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

    objects    of nvcc -dc: paths, bytes, objects with .code, Input; kinds are those of link()
    archs      "sm_90", or ["sm_80", "sm_90"]
    libraries  archives behind the objects, such as libcudadevrt.a
    The others are those of link().

    LinkError is raised, or UndefinedError; `diagnostics` has all messages.

    >>> made = device_link([(EXAMPLE / "kernel.cubin"), (EXAMPLE / "function.cubin")], ["sm_90"])
    >>> made[:4]
    b'\\x7fELF'
    """
    if isinstance(objects, (str, bytes, bytearray, memoryview, os.PathLike)):
        raise TypeError("objects is a list of inputs, not one input")
    archs = [archs] if isinstance(archs, str) else list(archs)
    if not archs:
        raise ValueError("no architecture")
    words = ["--error-format=json", *(f"-arch={arch}" for arch in archs)]
    words += [f"--nvlink-release={release}"] if release else []
    words += ["-g"] if debug else []
    words += ["--nvlink-compat"] if compat else []
    words += [f"--ptxas-path={path_word(ptxas)}"] if ptxas is not None else []
    words += [f"-maxrregcount={max_registers}"] if max_registers is not None else []
    with private_folder() as folder:
        names = [_file(value, folder, i) for i, value in enumerate([*objects, *libraries])]
        made = os.path.join(folder, "device.o")
        output = run("ld.cuda", [*words, *names, f"--host-object={made}"])
        diagnostics, log = _diagnostics(output.stderr, folder, names)
        if output.status != 0 or not os.path.exists(made):
            raise _error(diagnostics, output.status, log)
        with open(made, "rb") as file:
            return file.read()


def _file(value: InputLike, folder: str, i: int) -> str:
    """The input as a file; what it holds tells what it is."""
    taken = as_input(value)
    if isinstance(taken.data, Prepared):
        raise TypeError("a device link takes no prepared input")
    if is_path(taken.data):
        return path_word(taken.data)
    buffer_of(taken.data)  # TypeError
    path = os.path.join(folder, f"input-{i + 1}")
    write_file(path, memoryview(taken.data).tobytes())
    return path


def _diagnostics(text: str, folder: str, names: Sequence[str]) -> tuple[tuple[Diagnostic, ...], str]:
    """Messages; and all that was printed, in a form to be read."""
    found, lines = [], []
    for line in text.splitlines():
        try:
            message: Any = json.loads(line)
            diagnostic = Diagnostic(
                severity={"fatal": "error", "output": "verbatim"}.get(message["severity"], message["severity"]),
                id=message["id"], text=message["message"],
                input=next((names.index(name) for name in message.get("files", []) if name in names), None),
                symbols=tuple(message.get("symbols", ())), files=tuple(message.get("files", ())),
                sections=tuple(message.get("sections", ())), offset=next(iter(message.get("offsets", ())), None),
                notes=tuple(message.get("notes", ())))
            found.append(diagnostic)
            lines.append(str(diagnostic))
        except (ValueError, TypeError, KeyError):
            lines.append(line)
    return tuple(found), "\n".join(lines).replace(folder + os.sep, "")


def _error(diagnostics: tuple[Diagnostic, ...], status: int, log: str) -> Error:
    ids = {diagnostic.id for diagnostic in diagnostics if diagnostic.severity == "error"}
    if "undefined-reference" in ids:
        return UndefinedError(message_of(diagnostics, "undefined"), "undefined", diagnostics, log)
    return LinkError(message_of(diagnostics, f"ld.cuda ended with status {status}"), "link", diagnostics, log)
