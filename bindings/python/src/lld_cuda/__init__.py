# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Links CUDA device code, and tells what is in it.

    link(inputs, arch="sm_90")     links cubins, fatbins, objects, archives, PTX
    prepare(input)                 reads an input once for many links
    read(file_or_bytes)            architectures, kernels, sizes of any file with device code
    device_link(objects, archs)    the host object that nvcc's device link makes
    replace_nvjitlink()            libnvJitLink's users link with lld-cuda
    program(name)                  where a program such as "cubin-dump" is

A link releases the GIL. Links share nothing, so any number of threads may link at once; the same
holds after os.fork() in the child, but for Prepared inputs that another thread's link was using.
link() reads nothing from the environment, but for the folder of compilers' temporary files.

>>> import lld_cuda
>>> linked = lld_cuda.link([EXAMPLE / "kernel.cubin", EXAMPLE / "function.cubin"], arch="sm_90")
>>> linked.cubin[:4]
b'\\x7fELF'
>>> [(kernel.name, kernel.barriers) for kernel in linked.kernels]
[('first', 0), ('second', 0)]

What is wrong is an exception, with all messages of the link:

>>> try:
...     lld_cuda.link([EXAMPLE / "kernel.cubin"], arch="sm_90")
... except lld_cuda.UndefinedError as error:
...     [(message.id, message.symbols) for message in error.diagnostics]
[('undefined-reference', ('scale',))]
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ._device_link import device_link as device_link
    from ._errors import (
        ArchMismatchError as ArchMismatchError,
        CompileError as CompileError,
        DamagedInputError as DamagedInputError,
        Diagnostic as Diagnostic,
        DuplicateError as DuplicateError,
        Error as Error,
        InputError as InputError,
        InputFileError as InputFileError,
        LinkError as LinkError,
        OptionError as OptionError,
        OutOfMemoryError as OutOfMemoryError,
        ReadError as ReadError,
        UndefinedError as UndefinedError,
    )
    from ._inputs import Input as Input, InputLike as InputLike, Prepared as Prepared, prepare as prepare
    from ._link import (
        Compiled as Compiled,
        CompileRequest as CompileRequest,
        Kernel as Kernel,
        Linked as Linked,
        link as link,
    )
    from ._nvjitlink import replace_nvjitlink as replace_nvjitlink
    from ._programs import program as program
    from ._read import Contents as Contents, Image as Image, KernelResources as KernelResources, read as read

    __version__: str

# Where each name is. They are loaded when they are first used, since the programs' launchers
# import this package, too, and ought to start at once.
_MODULES = {
    "_device_link": ("device_link",),
    "_errors": (
        "ArchMismatchError", "CompileError", "DamagedInputError", "Diagnostic", "DuplicateError", "Error",
        "InputError", "InputFileError", "LinkError", "OptionError", "OutOfMemoryError", "ReadError",
        "UndefinedError",
    ),
    "_inputs": ("Input", "InputLike", "Prepared", "prepare"),
    "_link": ("Compiled", "CompileRequest", "Kernel", "Linked", "link"),
    "_nvjitlink": ("replace_nvjitlink",),
    "_programs": ("program",),
    "_read": ("Contents", "Image", "KernelResources", "read"),
}
_MODULE_OF = {name: module for module, names in _MODULES.items() for name in names}

__all__ = [  # noqa: F822 - defined by __getattr__
    "ArchMismatchError", "CompileError", "CompileRequest", "Compiled", "Contents", "DamagedInputError",
    "Diagnostic", "DuplicateError", "Error", "Image", "Input", "InputError", "InputFileError", "InputLike",
    "Kernel", "KernelResources", "LinkError", "Linked", "OptionError", "OutOfMemoryError", "Prepared",
    "ReadError", "UndefinedError", "__version__", "device_link", "link", "prepare", "program", "read",
    "replace_nvjitlink",
]


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from ._native import version

        value: Any = version()
    elif name in _MODULE_OF:
        value = getattr(importlib.import_module("." + _MODULE_OF[name], __name__), name)
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(set(__all__) | set(globals()))
