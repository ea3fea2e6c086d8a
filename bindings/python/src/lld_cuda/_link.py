# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""link(): device code of several inputs becomes one image, in this process."""

from __future__ import annotations

import ctypes
import os
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Callable, Optional, Union

from . import _native
from ._errors import BY_STATUS, Diagnostic, Error, LinkError, message_of
from ._inputs import InputLike, as_input, buffer_of, native_input, path_bytes, text_bytes

NOTES = {"own": _native.NOTE_OWN, "nvlink": _native.NOTE_NVLINK, "nvjitlink": _native.NOTE_NVJITLINK}


@dataclass(frozen=True)
class Kernel:
    """What a kernel of an image needs."""

    name: str
    """As in the image: mangled."""
    registers: int
    """32-bit registers of a thread, with all it calls."""
    barriers: int
    """Of a block, with all it calls."""
    frame: int
    """Local memory of the kernel itself, bytes a thread."""
    stack: Optional[int]
    """The same with all it calls; None: it can't be known, since a function may call itself."""
    shared: int
    """Statically declared shared memory, bytes a block."""
    dynamic_shared: bool
    """Whether it uses shared memory whose size the launch tells."""
    parameters: int
    """Bytes."""
    constants: int
    """The compiler's constants (bank 2), bytes."""


@dataclass(frozen=True)
class Linked:
    """What a link has made."""

    cubin: bytes
    """The image, for cuModuleLoadData() and its like."""
    kernels: list[Kernel] = field(repr=False)
    """By name; none in a relocatable image. pandas.DataFrame(linked.kernels) makes a table of it."""
    diagnostics: tuple[Diagnostic, ...] = ()
    """Warnings and the like."""
    log: str = field(default="", repr=False)
    """The same as the program prints them."""

    def __repr__(self) -> str:
        return f"<Linked: {len(self.cubin)} bytes, {len(self.kernels)} kernels, {len(self.diagnostics)} diagnostics>"


@dataclass(frozen=True)
class CompileRequest:
    """PTX that a link wants compiled to a relocatable cubin, as `ptxas -c` does."""

    source: bytes
    arch: str
    """"sm_90"."""
    name: str
    """As messages name the input."""
    options: list[str]
    """What ptxas would be called with beside -arch, such as "-c" and "-maxrregcount=32"."""


@dataclass(frozen=True)
class Compiled:
    """A cubin, and what the compiler says about it."""

    cubin: Union[bytes, bytearray, memoryview]
    log: str = ""


Compile = Callable[[CompileRequest], Union[bytes, bytearray, memoryview, Compiled]]


class _Callback:
    """A compiler as the C library calls it. What it raises goes through the library to link()."""

    def __init__(self, compile: Compile):
        self.compile = compile
        self.raised: Optional[BaseException] = None
        self.function = _native.CompileFunction(self._call)

    def _call(self, _: Any, request: Any, result: Any) -> int:
        functions = _native.functions()
        try:
            made = self.compile(_asked(request.contents))
            if not isinstance(made, Compiled):
                made = Compiled(made)
            _kept, address, size = buffer_of(made.cubin)
            self._set_log(result, made.log)
            return int(functions["compile_set_output"](result, address, size))
        except BaseException as error:  # Nothing may go through the C code.
            if self.raised is None or not isinstance(error, Exception):
                self.raised = error
            try:
                self._set_log(result, f"{type(error).__name__}: {error}")
            except Exception:
                self._set_log(result, type(error).__name__)
            return 1

    @staticmethod
    def _set_log(result: Any, text: str) -> None:
        if text:
            keeper = _native.Keeper()
            _native.functions()["compile_set_log"](result, keeper.string(text.encode("utf-8", "replace")))


def _asked(request: _native.CompileRequest) -> CompileRequest:
    return CompileRequest(
        source=request.source.get_bytes(),
        arch=request.arch.get(),
        name=request.name.get(),
        options=[request.options[i].get() for i in range(request.option_count)],
    )


def _words(value: Optional[Iterable[str]], option: str) -> list[bytes]:
    if isinstance(value, (str, bytes)):
        raise TypeError(f"{option} must be a list of words, not one word")
    return [text_bytes(word, f"a word of {option}") for word in value or ()]


def link(
    inputs: Iterable[InputLike],
    arch: str,
    *,
    release: Optional[str] = None,
    relocatable: bool = False,
    debug: bool = False,
    lto: bool = False,
    compat: bool = False,
    note: Optional[str] = None,
    kernels_used: Optional[Iterable[str]] = None,
    variables_used: Optional[Iterable[str]] = None,
    ptxas: Union[str, os.PathLike[str], None] = None,
    compile: Optional[Compile] = None,
    ptxas_options: Optional[Sequence[str]] = None,
    max_registers: Optional[int] = None,
    nvjitlink: Union[str, os.PathLike[str], None] = None,
    threads: Optional[int] = None,
    cache_dir: Union[str, os.PathLike[str], None] = None,
) -> Linked:
    """Links device code to one image.

    inputs          paths, bytes and other buffers, prepared inputs, objects with .code (cuda.core's
                    ObjectCode), Input; also tuples (data, name, kind). Their order is that of a
                    command line and has an effect on the output. [] makes an image without a kernel
    arch            "sm_90", "sm_90a", ...
    release         whose nvlink's rules apply: "13.5.37", "13.5", "newest"; None: the inputs choose
    relocatable     make an image that can be linked again (nvlink's -r)
    debug           nvlink's -g: debug information of PTX, and no dead code is dropped
    lto             inputs may be LTO IR, which NVIDIA's library at `nvjitlink` compiles
    compat          nvlink's very bytes, with its note and its mistakes
    note            whom the image names as its linker: "own", "nvlink", "nvjitlink"
    kernels_used    keep the kernels whose names contain one of these; None: all
    variables_used  the same for variables; if only they are given, no kernel is kept
    ptxas           the program that compiles PTX; none is searched for
    compile         in its place: takes a CompileRequest and returns a cubin or Compiled. Several
                    threads may call it at once; what it raises becomes the cause of CompileError
    ptxas_options   further ones for the compiler
    max_registers   ptxas's -maxrregcount
    threads         how many a link of many or large inputs may use; None: one for each processor
    cache_dir       a folder in which what ptxas and NVIDIA's library make is kept, and taken over in
                    later links; yours alone, or a warning says that it isn't used. None: nowhere

    The GIL is released while inputs are read and linked. LinkError is raised, or one of those that
    are made from it: OptionError, InputError, UndefinedError, CompileError, OutOfMemoryError;
    TypeError and ValueError for arguments that can't be right. All wrong inputs are told at once, in
    the error's `diagnostics`.

    >>> linked = link([EXAMPLE / "kernel.cubin", EXAMPLE / "function.cubin"], arch="sm_90")
    >>> first, second = linked.kernels
    >>> first.name, first.stack, first.shared
    ('first', 0, 0)
    """
    if isinstance(inputs, (str, bytes, bytearray, memoryview, os.PathLike)):
        raise TypeError("inputs must be a list of inputs, not one input")
    keeper = _native.Keeper()
    options = _native.Options()
    options.struct_size = ctypes.sizeof(options)
    options.arch = keeper.string(text_bytes(arch, "arch"))
    if release:
        options.release = keeper.string(text_bytes(release, "release"))
    flags = ((relocatable, _native.FLAG_RELOCATABLE), (debug, _native.FLAG_DEBUG), (lto, _native.FLAG_LTO),
             (compat, _native.FLAG_EXACT))
    options.flags = sum(flag for is_on, flag in flags if is_on)
    note = note or ("nvlink" if compat else "own")
    if note not in NOTES:
        raise ValueError(f"unknown note: {note!r}; known are {', '.join(NOTES)}")
    options.note = NOTES[note]
    if kernels_used is not None:
        options.kernels_used, options.kernels_used_count = keeper.strings(_words(kernels_used, "kernels_used"))
    if variables_used is not None:
        options.variables_used, options.variables_used_count = keeper.strings(_words(variables_used, "variables_used"))
    options.ptxas_options, options.ptxas_options_count = keeper.strings(_words(ptxas_options, "ptxas_options"))
    for name, path in (("ptxas_path", ptxas), ("nvjitlink_path", nvjitlink), ("cache_directory", cache_dir)):
        if path is not None:
            setattr(options, name, keeper.string(path_bytes(path)))
    options.temporary_directory = keeper.string(os.fsencode(tempfile.gettempdir()) if ptxas or nvjitlink else b"")
    options.max_registers = number_of("max_registers", max_registers, 31)
    options.threads = number_of("threads", threads, 32)
    if compile is not None and not callable(compile):
        raise TypeError(f"compile must be a function, not {type(compile).__name__!r}")
    callback = _Callback(compile) if compile is not None else None
    if callback:
        options.compile = callback.function
    link = _Link(options)
    try:
        return link.run(inputs, callback)
    finally:
        link.destroy()


def number_of(name: str, value: Optional[int], bits: int) -> int:
    """0: None was given."""
    if value is None:
        return 0
    if not isinstance(value, int):
        raise TypeError(f"{name} must be an int, not {type(value).__name__!r}")
    if not 0 < value < 1 << bits:
        raise ValueError(f"{name}={value} is out of range")
    return value


class _Link:
    """A lldcuda_link, used by one thread."""

    def __init__(self, options: _native.Options):
        self.functions = _native.functions()
        self.pointer = ctypes.c_void_p()
        self.is_relocatable = bool(options.flags & _native.FLAG_RELOCATABLE)
        self.status = self.functions["link_create"](ctypes.byref(options), ctypes.byref(self.pointer))
        if not self.pointer:
            self._fail(self.status, ())

    def destroy(self) -> None:
        self.functions["link_destroy"](self.pointer)

    def run(self, inputs: Iterable[InputLike], callback: Optional[_Callback]) -> Linked:
        status = self.status
        for value in inputs if status == _native.OK else ():
            added = self._add(value)
            status = status or added
            if added == _native.ERROR_OUT_OF_MEMORY:
                break
        if status == _native.OK:
            status = self.functions["link_run"](self.pointer)
        raised = callback.raised if callback else None
        if raised is not None and not isinstance(raised, Exception):
            raise raised  # KeyboardInterrupt
        diagnostics = tuple(self._diagnostics())
        log = self.functions["link_log"](self.pointer).get("backslashreplace")
        if status != _native.OK:
            self._fail(status, diagnostics, log, raised)
        image = self.functions["link_output"](self.pointer, _native.OUTPUT_IMAGE)
        cubin = ctypes.string_at(image.data, image.size) if image.data else b""
        return Linked(cubin, [] if self.is_relocatable else list(self._kernels()), diagnostics, log)

    def _add(self, value: InputLike) -> int:
        keeper = _native.Keeper()
        native = native_input(as_input(value), keeper)
        status: int = self.functions["link_add"](self.pointer, ctypes.byref(native), None)
        return status

    def _fail(self, status: int, diagnostics: tuple[Diagnostic, ...], log: str = "", cause: Optional[BaseException] = None) -> None:
        word = _native.status_name(status)
        error: Error = BY_STATUS.get(status, LinkError)(message_of(diagnostics, word), word, diagnostics, log)
        raise error from cause

    def _kernels(self) -> Iterable[Kernel]:
        for i in range(self.functions["link_kernel_count"](self.pointer)):
            native = _native.Kernel()
            native.struct_size = ctypes.sizeof(native)
            self.functions["link_kernel"](self.pointer, i, ctypes.byref(native))
            yield Kernel(
                name=native.name.get(), registers=native.registers, barriers=native.barriers, frame=native.frame,
                stack=native.stack if native.stack >= 0 else None, shared=native.shared,
                dynamic_shared=bool(native.has_dynamic_shared), parameters=native.parameters, constants=native.constants)

    def _diagnostics(self) -> Iterable[Diagnostic]:
        for i in range(self.functions["link_diagnostic_count"](self.pointer)):
            native = _native.Diagnostic()
            native.struct_size = ctypes.sizeof(native)
            self.functions["link_diagnostic"](self.pointer, i, ctypes.byref(native))
            notes = (self.functions["link_note"](self.pointer, i, k) for k in range(native.note_count))
            yield Diagnostic(
                severity=_severity(native.severity), id=native.id.get(), text=native.text.get("backslashreplace"),
                input=native.input - 1 if native.input else None, symbols=self._names(i, _native.NAME_SYMBOL),
                files=self._names(i, _native.NAME_FILE), sections=self._names(i, _native.NAME_SECTION),
                offset=native.offset.get() or None, notes=tuple(note.get("backslashreplace") for note in notes))

    def _names(self, diagnostic: int, sort: int) -> tuple[str, ...]:
        names: list[str] = []
        while name := self.functions["link_name"](self.pointer, diagnostic, sort, len(names)).get():
            names.append(name)
        return tuple(names)


def _severity(value: int) -> str:
    if value >= _native.SEVERITY_ERROR:
        return "error"
    if value >= _native.SEVERITY_WARNING:
        return "warning"
    return "info" if value >= _native.SEVERITY_INFO else "verbatim"
