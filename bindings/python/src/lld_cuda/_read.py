# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""read(): what is in a file with device code."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, Optional, Union

from ._errors import ReadError
from ._inputs import view_of
from ._run import Output, as_told, path_word, private_folder, run, write_file

BYTES = "<bytes>"


@dataclass(frozen=True)
class Size:
    """What a part of a file takes."""

    in_file: int
    """Bytes as stored."""
    unpacked: int
    """Bytes after decompression."""


@dataclass(frozen=True)
class Image:
    """Images of one kind in a file, of one architecture and toolkit."""

    file: str
    """The file, or the member of a wheel or folder."""
    target: str
    """"sm_90a"; of PTX "compute_90", of LTO IR "lto_90"."""
    kind: str
    """"machine code" (linked), "relocatable code", "PTX", "LTO IR", ..."""
    count: int
    toolkit: Optional[str] = None
    """Of the compiler, such as "13.0", as far as it is known."""
    ptx_version: Optional[str] = None


@dataclass(frozen=True)
class KernelResources:
    """What a kernel of a linked image needs, with all that it calls."""

    file: str
    architecture: str
    """"sm_90"."""
    name: str
    """Mangled."""
    demangled: str
    """As C++ has it."""
    registers: int
    """32-bit registers of a thread."""
    barriers: int
    frame: int
    """Local memory of the kernel itself, bytes a thread."""
    stack: Optional[int]
    """The same with all it calls; None: it can't be known."""
    shared: int
    """Statically declared shared memory with what the system reserves, bytes a block."""
    dynamic_shared: bool
    """Whether a launch may ask for more."""
    parameters: int
    """Constant bank 0, with what the system keeps there, bytes."""
    constants: int
    """The compiler's constants (bank 2), bytes."""
    code: int
    """Machine code, bytes."""
    warps: Optional[int] = None
    """That a multiprocessor holds, without dynamic shared memory; None: not known."""
    max_warps: Optional[int] = None


@dataclass(frozen=True)
class Contents:
    """What is in a file."""

    name: str
    size: int
    """Bytes; of a folder, those of files with device code."""
    architectures: list[str]
    """That there is machine code for, relocatable code included: "sm_80", "sm_90a"."""
    images: list[Image] = field(repr=False)
    kernels: list[KernelResources] = field(repr=False)
    """Of linked images. pandas.DataFrame(contents.kernels) makes a table of it."""
    by_kind: dict[str, Size] = field(repr=False)
    """Each byte counts once: "linked code", "relocatable code", "PTX", "host", ..."""
    by_architecture: dict[str, Size] = field(repr=False)
    """The same, by architecture; "-" is all that is of none."""


def read(file: Union[str, os.PathLike[str], bytes, bytearray, memoryview]) -> Contents:
    """Tells what is in a file with device code, or in bytes: a cubin, a fatbin, an object, an archive, an
    executable or shared library of Linux or Windows, a wheel, or a folder. Nothing is run or loaded.

    ReadError: it can't be read, is damaged, or is something else.

    >>> contents = read((EXAMPLE / "kernel.cubin").read_bytes())
    >>> contents.architectures, contents.images[0].kind
    (['sm_90'], 'relocatable code')

    Registers, stack and shared memory are settled when code is linked, so kernels are those of linked images:

    >>> image = link([EXAMPLE / "kernel.cubin", EXAMPLE / "function.cubin"], arch="sm_90").cubin
    >>> [(kernel.name, kernel.architecture, kernel.stack) for kernel in read(image).kernels]
    [('first', 'sm_90', 0), ('second', 'sm_90', 0)]
    """
    if isinstance(file, (str, os.PathLike)):
        return _read_path(path_word(file), os.fsdecode(file))
    view = view_of(file)  # Any buffer, whatever the annotation says.
    with private_folder() as folder:
        path = os.path.join(folder, "file")
        write_file(path, view)
        return _read_path(path, BYTES)


def _read_path(path: str, name: str) -> Contents:
    words = (
        ("cubin-check", ["--json", "--no-libraries", "--all", path]),
        ("cubin-check", ["--json", "--resources", "--no-libraries", path]),
        ("cubin-size", ["--json", "--top=0", "--by=kind", "--by=arch", path]),
    )
    shown = _Names(path, name)
    with ThreadPoolExecutor(len(words)) as pool:
        started = [pool.submit(_json, program, options, shown) for program, options in words]
        coverage, resources, sizes = (each.result() for each in started)
    images = [_image(shown(file["name"]), image) for file in coverage["files"] for image in file["images"]]
    kernels = [_kernel(shown(image["output"]), image["arch"], kernel) for image in resources["images"] for kernel in image["kernels"]]
    tables = {table["by"]: {row["name"]: Size(row["in_file"], row["unpacked"]) for row in table["rows"]} for table in sizes["tables"]}
    return Contents(
        name=name,
        size=sizes["in_file"],
        architectures=_sorted(image.target for image in images if image.target.startswith("sm_")),
        images=images,
        kernels=kernels,
        by_kind=tables.get("kind", {}),
        by_architecture=tables.get("arch", {}),
    )


class _Names:
    """Names as the caller knows them, not as the program was told, or as it wrote them."""

    def __init__(self, path: str, name: str):
        self.spellings, self.name = (path, as_told(path)), name

    def __call__(self, text: str) -> str:
        for path in self.spellings:
            text = text.replace(path, self.name)
        return text


def _json(program: str, words: Sequence[str], shown: _Names) -> Any:
    output = run(program, words)
    # cubin-check: 1 says that some GPU has no code. cubin-size: 1 is any error.
    good = (0, 1) if program == "cubin-check" else (0,)
    told: dict[str, Any] = {}
    try:
        told = json.loads(output.stdout)
        if output.status in good:
            return told
    except ValueError:
        pass
    raise ReadError(shown(_what_is_wrong(program, output, told)), "read", (), shown(output.stderr))


def _what_is_wrong(program: str, output: Output, told: dict[str, Any]) -> str:
    """What the program says, in what it prints or among its findings."""
    for line in output.stderr.split("\n"):
        if "error: " in line:
            return line.split("error: ", 1)[1]
    for finding in told.get("findings", ()):
        if finding["severity"] == "error":
            return f"{finding['file']}: {finding['what'].strip()}"
    return f"{program} ended with status {output.status}"


def _image(file: str, image: dict[str, Any]) -> Image:
    return Image(file, image["target"], image["kind"], image["count"], image.get("toolkit"), image.get("ptx_version"))


def _kernel(file: str, architecture: str, kernel: dict[str, Any]) -> KernelResources:
    shared = kernel.get("shared") or {}
    constants = kernel["constants"]
    occupancy = kernel.get("occupancy") or {}
    return KernelResources(
        file=file, architecture=architecture, name=kernel["symbol"], demangled=kernel.get("name", kernel["symbol"]),
        registers=kernel["registers"]["total"], barriers=kernel["barriers"]["total"], frame=kernel["localBytes"],
        stack=kernel["stackBytes"], shared=shared.get("bytes", 0), dynamic_shared=shared.get("dynamic", False),
        parameters=constants.get("0", 0), constants=constants.get("2", 0), code=kernel["codeBytes"],
        warps=occupancy.get("warps"), max_warps=occupancy.get("maxWarps"))


def _sorted(targets: Any) -> list[str]:
    """By number: sm_90 before sm_100."""
    return sorted(set(targets), key=lambda target: (int("".join(filter(str.isdigit, target)) or 0), target))
