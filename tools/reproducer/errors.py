# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is told to the user."""


class UserError(Exception):
    pass


def one_line(text):
    """The same of a text with names in it: no name makes a line of its own."""
    return printable(text).replace("\n", "\\x0a")


def printable(text):
    """The text without what a terminal would act on."""
    return "".join(c if c in "\n\t" or c.isprintable() else f"\\x{ord(c):02x}" for c in text)
