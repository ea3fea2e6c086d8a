# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What can be linked: paths, bytes, buffers, prepared inputs, objects that hold code."""

from __future__ import annotations

import ctypes
import os
from dataclasses import dataclass
from typing import Any, Optional, Protocol, Union

from . import _native
from ._errors import BY_STATUS, LinkError

KINDS = {
    None: _native.INPUT_ANY,
    "cubin": _native.INPUT_CUBIN,
    "ptx": _native.INPUT_PTX,
    "ltoir": _native.INPUT_LTOIR,
    "fatbin": _native.INPUT_FATBIN,
    "object": _native.INPUT_OBJECT,
    "archive": _native.INPUT_ARCHIVE,
}

#: What cuda.core calls them, where that is another word.
CUDA_CORE_KINDS = {"library": "archive"}


class HasCode(Protocol):
    """Such as cuda.core's ObjectCode: bytes, or the path of a file."""

    @property
    def code(self) -> Union[bytes, bytearray, str]: ...


@dataclass(frozen=True)
class Input:
    """An input with what can be said about it.

    data       a path, bytes or another buffer, a Prepared, or an object with .code
    name       for messages only; without one the path, or "<input 3>"
    kind       "cubin", "ptx", "ltoir", "fatbin", "object", "archive"; None: its contents tell
    if_needed  takes part only if something is undefined by then, as libcudadevrt on a command line

    >>> linked = link([Input(EXAMPLE / "kernel.cubin", kind="cubin"),
    ...                Input((EXAMPLE / "function.cubin").read_bytes(), name="function")], arch="sm_90")
    """

    data: Any
    name: Optional[str] = None
    kind: Optional[str] = None
    if_needed: bool = False


class _Handle:
    """A prepared input of the C library, which goes with the last reference to this object."""

    def __init__(self, pointer: int):
        self.pointer = pointer
        self._destroy = _native.functions()["prepared_destroy"]

    def __del__(self) -> None:
        self._destroy(self.pointer)


class Prepared:
    """An input that was read once for many links, in any threads. Made by prepare().

    close() lets go of it; links that use it then go on. Works as a context manager, too.
    """

    def __init__(self, handle: _Handle):
        self._handle: Optional[_Handle] = handle

    def close(self) -> None:
        """Frees the memory once no link uses it any more."""
        self._handle = None

    @property
    def closed(self) -> bool:
        return self._handle is None

    def _open(self) -> _Handle:
        handle = self._handle
        if handle is None:
            raise ValueError("the prepared input is closed")
        return handle

    def __enter__(self) -> Prepared:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


#: What link() and device_link() take. Buffers are bytes, bytearray, memoryview, arrays, mmap, ...
InputLike = Union[str, "os.PathLike[str]", bytes, bytearray, memoryview, Prepared, Input, HasCode, Any]


def as_input(value: InputLike) -> Input:
    """With .data a path, a buffer or a Prepared. TypeError: it is nothing of that."""
    if isinstance(value, tuple) and 1 <= len(value) <= 3:
        value = Input(*value)
    if not isinstance(value, Input):
        value = Input(value)
    data = value.data
    if not isinstance(data, (str, os.PathLike, bytes, bytearray, memoryview, Prepared)) and hasattr(data, "code"):
        value = _of_code(value)
    if value.kind not in KINDS:
        raise ValueError(f"unknown kind of input: {value.kind!r}; known are {', '.join(str(kind) for kind in KINDS if kind)}")
    return value


def _of_code(value: Input) -> Input:
    held = value.data
    kind = value.kind
    if kind is None:
        word = getattr(held, "code_type", None)
        word = CUDA_CORE_KINDS.get(word, word) if isinstance(word, str) else None
        kind = word if word in KINDS else None
    name = value.name
    if name is None and isinstance(getattr(held, "name", None), str):
        name = held.name or None
    return Input(held.code, name, kind, value.if_needed)


def is_path(data: Any) -> bool:
    return isinstance(data, (str, os.PathLike))


def text_bytes(value: Any, what: str) -> bytes:
    """Of a str; those of file names may come from os.fsdecode(). TypeError, ValueError: it is none."""
    if not isinstance(value, str):
        raise TypeError(f"{what} must be a str, not {type(value).__name__!r}")
    return value.encode("utf-8", "surrogateescape")


def path_bytes(path: Any) -> bytes:
    """TypeError, ValueError: no path."""
    name = os.fsencode(path)
    if not name or b"\0" in name:
        raise ValueError(f"not a path: {path!r}")
    return name


def view_of(data: Any) -> memoryview:
    """TypeError: no buffer."""
    try:
        return memoryview(data)
    except TypeError:
        raise TypeError(f"not an input: {type(data).__name__!r}; expected a path, a buffer, a Prepared or an object with .code") from None


def buffer_of(data: Any) -> tuple[Any, int, int]:
    """What holds the bytes, their address and number; no copy where ctypes can do without. (No ctypes.cast():
    it makes a cycle, and the buffer would be in use until the garbage collector has come.)"""
    if not isinstance(data, bytes):
        view = view_of(data)
        if not view.readonly and view.c_contiguous and view.nbytes:
            array = (ctypes.c_char * view.nbytes).from_buffer(view.cast("B"))
            return array, ctypes.addressof(array), view.nbytes
        data = view.tobytes()
    pointer = ctypes.c_char_p(data)
    return pointer, ctypes.c_void_p.from_buffer(pointer).value or 0, len(data)


def native_input(value: Input, keeper: _native.Keeper) -> _native.Input:
    native = _native.Input()
    native.struct_size = ctypes.sizeof(native)
    native.kind = KINDS[value.kind]
    native.flags = _native.INPUT_IF_NEEDED if value.if_needed else 0
    if value.name:
        native.name = keeper.string(text_bytes(value.name, "an input's name"))
    if isinstance(value.data, Prepared):
        handle = value.data._open()
        keeper.keep(handle)
        native.prepared = handle.pointer
    elif is_path(value.data):
        native.path = keeper.string(path_bytes(value.data))
    else:
        buffer, native.data, native.size = buffer_of(value.data)
        keeper.keep(buffer)
    return native


def prepare(input: InputLike) -> Prepared:
    """Reads an input once for many links: bytes are copied, a file is read now.

    What links find out about it (members of archives, decompressed code) is kept for the next ones.
    Whether it is device code, damaged, or fits the architecture is said when a link uses it.

    InputFileError: the file can't be read, or is not a regular file.

    >>> with prepare(EXAMPLE / "function.cubin") as function:
    ...     images = [link([EXAMPLE / "kernel.cubin", function], arch="sm_90").cubin for _ in range(3)]
    >>> len(set(images))
    1
    """
    value = as_input(input)
    if value.if_needed:
        raise ValueError("a prepared input takes if_needed in the link that uses it: Input(prepared, if_needed=True)")
    if isinstance(value.data, Prepared):
        return Prepared(value.data._open())
    keeper = _native.Keeper()
    pointer = ctypes.c_void_p()
    status = _native.functions()["prepare"](native_input(value, keeper), ctypes.byref(pointer))
    if status != _native.OK or pointer.value is None:
        word = _native.status_name(status)
        name = value.name or (os.fsdecode(value.data) if is_path(value.data) else "the input")
        what = "it is not a readable regular file" if status == _native.ERROR_FILE else word
        raise BY_STATUS.get(status, LinkError)(f"can't prepare {name!r}: {what}", word)
    return Prepared(_Handle(pointer.value))
