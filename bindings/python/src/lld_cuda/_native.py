# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""lldcuda.h for ctypes. tests/test_header.py compares all of it with the header."""

from __future__ import annotations

import ctypes
import os
from ctypes import POINTER, c_char_p, c_int32, c_int64, c_size_t, c_uint32, c_uint64, c_void_p
from typing import Any, Optional

from . import _programs
from ._errors import Error

LIBRARY = "liblld-cuda.so.0"
INTERFACE_VERSION = 0

OK = 0
ERROR_OUT_OF_MEMORY = 3
ERROR_FILE = 20

NOTE_OWN, NOTE_NVLINK, NOTE_NVJITLINK = 0, 1, 2
FLAG_RELOCATABLE, FLAG_DEBUG, FLAG_LTO, FLAG_EXACT = 1, 2, 4, 8

INPUT_ANY, INPUT_CUBIN, INPUT_PTX, INPUT_LTOIR, INPUT_FATBIN, INPUT_OBJECT, INPUT_ARCHIVE = range(7)
INPUT_IF_NEEDED = 1

OUTPUT_IMAGE = 0
SEVERITY_VERBATIM, SEVERITY_INFO, SEVERITY_WARNING, SEVERITY_ERROR = 0, 10, 20, 30
NAME_SYMBOL, NAME_FILE, NAME_SECTION, NAME_OFFSET = 1, 2, 3, 4


class String(ctypes.Structure):
    # Not c_char_p: its bytes end at the size, not at a NUL.
    _fields_ = [("data", c_void_p), ("size", c_size_t)]

    def get(self, errors: str = "surrogateescape") -> str:
        return self.get_bytes().decode("utf-8", errors)

    def get_bytes(self) -> bytes:
        return ctypes.string_at(self.data, self.size) if self.data and self.size else b""


class CompileRequest(ctypes.Structure):
    _fields_ = [
        ("struct_size", c_size_t), ("kind", c_int32), ("input", c_uint32), ("source", String), ("arch", String),
        ("name", String), ("options", POINTER(String)), ("option_count", c_size_t),
    ]


#: Called with the GIL, from any thread.
CompileFunction = ctypes.CFUNCTYPE(c_int32, c_void_p, POINTER(CompileRequest), c_void_p)


class Options(ctypes.Structure):
    _fields_ = [
        ("struct_size", c_size_t), ("arch", String), ("release", String), ("flags", c_uint32), ("note", c_int32),
        ("kernels_used", POINTER(String)), ("kernels_used_count", c_size_t),
        ("variables_used", POINTER(String)), ("variables_used_count", c_size_t),
        ("compile", CompileFunction), ("compile_user", c_void_p), ("ptxas_path", String),
        ("ptxas_options", POINTER(String)), ("ptxas_options_count", c_size_t), ("max_registers", c_int32),
        ("threads", c_uint32), ("nvjitlink_path", String), ("temporary_directory", String),
        ("memory_limit", c_uint64), ("cache_directory", String),
    ]


class Input(ctypes.Structure):
    _fields_ = [
        ("struct_size", c_size_t), ("kind", c_int32), ("flags", c_uint32), ("data", c_void_p), ("size", c_size_t),
        ("path", String), ("prepared", c_void_p), ("name", String),
    ]


class Bytes(ctypes.Structure):
    _fields_ = [("data", c_void_p), ("size", c_size_t)]


class Kernel(ctypes.Structure):
    _fields_ = [
        ("struct_size", c_size_t), ("name", String), ("registers", c_uint32), ("barriers", c_uint32),
        ("frame", c_uint32), ("has_dynamic_shared", c_int32), ("stack", c_int64), ("shared", c_uint64),
        ("parameters", c_uint64), ("constants", c_uint64),
    ]


class Diagnostic(ctypes.Structure):
    _fields_ = [
        ("struct_size", c_size_t), ("severity", c_int32), ("input", c_uint32), ("id", String), ("text", String),
        ("symbol", String), ("file", String), ("section", String), ("offset", String), ("note_count", c_size_t),
    ]


class CacheKey(ctypes.Structure):
    _fields_ = [
        ("struct_size", c_size_t), ("texts", POINTER(String)), ("text_count", c_size_t),
        ("compilers", POINTER(String)), ("compiler_count", c_size_t),
    ]


#: The structs by the header's names.
STRUCTS: dict[str, type[ctypes.Structure]] = {
    "string": String, "compile_request": CompileRequest, "options": Options, "input": Input, "bytes": Bytes,
    "kernel": Kernel, "diagnostic": Diagnostic, "cache_key": CacheKey,
}

#: What functions take and return.
FUNCTIONS: dict[str, tuple[Any, list[Any]]] = {
    "status_name": (c_char_p, [c_int32]),
    "version": (c_char_p, []),
    "interface_version": (c_int32, []),
    "compile_set_output": (c_int32, [c_void_p, c_void_p, c_size_t]),
    "compile_set_log": (c_int32, [c_void_p, String]),
    "prepare": (c_int32, [POINTER(Input), POINTER(c_void_p)]),
    "prepared_destroy": (None, [c_void_p]),
    "link_create": (c_int32, [POINTER(Options), POINTER(c_void_p)]),
    "link_add": (c_int32, [c_void_p, POINTER(Input), POINTER(c_uint32)]),
    "link_run": (c_int32, [c_void_p]),
    "link_destroy": (None, [c_void_p]),
    "link_output": (Bytes, [c_void_p, c_int32]),
    "link_kernel_count": (c_size_t, [c_void_p]),
    "link_kernel": (c_int32, [c_void_p, c_size_t, POINTER(Kernel)]),
    "link_diagnostic_count": (c_size_t, [c_void_p]),
    "link_diagnostic": (c_int32, [c_void_p, c_size_t, POINTER(Diagnostic)]),
    "link_note": (String, [c_void_p, c_size_t, c_size_t]),
    "link_name": (String, [c_void_p, c_size_t, c_int32, c_size_t]),
    "link_log": (String, [c_void_p]),
    "link_cache_find": (c_int32, [c_void_p, POINTER(CacheKey), POINTER(Bytes)]),
    "link_cache_keep": (c_int32, [c_void_p, POINTER(CacheKey), c_void_p, c_size_t]),
}

_functions: Optional[dict[str, Any]] = None


def functions() -> dict[str, Any]:
    """The library's functions, without "lldcuda_". It is loaded at the first call. Two threads may do
    so at once: they get the same library, and there is no lock that a fork could leave locked."""
    global _functions
    if _functions is None:
        _functions = _load()
    return _functions


def _load() -> dict[str, Any]:
    path = os.path.join(_programs.PREFIX, "lib", LIBRARY) if os.path.isdir(_programs.PREFIX) else LIBRARY
    try:
        library = ctypes.CDLL(path)
    except OSError as error:
        raise Error(f"can't load {LIBRARY}: {error}", "library") from error
    loaded = {}
    for name, (result, arguments) in FUNCTIONS.items():
        try:
            function = getattr(library, "lldcuda_" + name)
        except AttributeError:
            raise Error(f"{path} has no lldcuda_{name}(): it belongs to another version", "library") from None
        function.restype, function.argtypes = result, arguments
        loaded[name] = function
    interface = loaded["interface_version"]()
    if interface != INTERFACE_VERSION:
        raise Error(f"{path} has version {interface} of the interface, not {INTERFACE_VERSION}", "library")
    return loaded


def version() -> str:
    """Of lld-cuda, such as "0.1.0"."""
    text: bytes = functions()["version"]()
    return text.decode()


def status_name(status: int) -> str:
    text: bytes = functions()["status_name"](status)
    return text.decode()


class Keeper:
    """Makes strings for a call, and keeps their bytes until it has returned."""

    def __init__(self) -> None:
        self._kept: list[Any] = []

    def string(self, value: bytes) -> String:
        buffer = ctypes.create_string_buffer(value, len(value) + 1)
        self._kept.append(buffer)
        return String(ctypes.addressof(buffer), len(value))

    def strings(self, values: list[bytes]) -> Any:
        """An array for a field that is a pointer, and its length."""
        return (String * max(len(values), 1))(*(self.string(value) for value in values)), len(values)

    def keep(self, value: Any) -> None:
        self._kept.append(value)
