# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Exceptions, and the messages of a link that they carry."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional


@dataclass(frozen=True)
class Diagnostic:
    """A message of a link."""

    severity: str
    """"error", "warning", "info", or "verbatim": what a compiler printed."""
    id: str
    """What it is, such as "undefined-reference"; stays the same from release to release."""
    text: str
    """In nvlink's words."""
    input: Optional[int] = None
    """Position in the inputs, from 0 on, of the one that it is about; None: none, or not known."""
    symbols: tuple[str, ...] = ()
    """What the text names, in its order; mangled."""
    files: tuple[str, ...] = ()
    sections: tuple[str, ...] = ()
    offset: Optional[str] = None
    """"0x1c", in the section, or else in the file."""
    notes: tuple[str, ...] = ()
    """Explanations, a line each."""

    def __str__(self) -> str:
        return "\n".join([f"{self.severity}: {self.text}", *(f">>> {note}" for note in self.notes)])


class Error(Exception):
    """Any error of this package.

    status       a word that says which one, such as "damaged-input"
    diagnostics  all messages until then, warnings included
    log          the same as the program prints them
    """

    def __init__(self, message: str, status: str = "error", diagnostics: tuple[Diagnostic, ...] = (), log: str = ""):
        super().__init__(message, status, diagnostics, log)  # So it can be pickled.
        self.message = message
        self.status = status
        self.diagnostics = diagnostics
        self.log = log

    def __str__(self) -> str:
        return self.message

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.message!r}, {self.status!r})"


class LinkError(Error):
    """A link that has failed. Those below say why."""


class OptionError(LinkError, ValueError):
    """An option is unknown, contradicts another one, or the architecture isn't known."""


class InputError(LinkError):
    """Something is wrong with an input: it is of no known kind, too new for the release, ..."""


class InputFileError(InputError):
    """A file can't be opened or read."""


class DamagedInputError(InputError):
    """An input is damaged."""


class ArchMismatchError(InputError):
    """An input is for another architecture."""


class DuplicateError(InputError):
    """An input defines what one before it has defined."""


class UndefinedError(LinkError):
    """Nobody defines what an input needs."""


class CompileError(LinkError):
    """PTX or LTO IR can't be compiled, or there is no compiler for it."""


class OutOfMemoryError(LinkError, MemoryError):
    """There is no more memory."""


class ReadError(Error):
    """A file can't be read or is damaged."""


#: The C library's statuses; LinkError for the others.
BY_STATUS: dict[int, type[LinkError]] = {
    3: OutOfMemoryError,
    10: OptionError,
    11: OptionError,
    12: OptionError,
    13: OptionError,
    20: InputFileError,
    21: InputError,
    22: DamagedInputError,
    23: ArchMismatchError,
    24: InputError,
    25: InputError,
    26: DuplicateError,
    30: UndefinedError,
    31: CompileError,
    32: CompileError,
}


def message_of(diagnostics: tuple[Diagnostic, ...], status: str) -> str:
    """The first error, and how many more there are."""
    errors = [diagnostic for diagnostic in diagnostics if diagnostic.severity == "error"]
    if not errors:
        return f"the link failed: {status}"
    more = len(errors) - 1
    return errors[0].text + (f" (and {more} more error{'s' if more > 1 else ''})" if more else "")
