# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is told to the user."""


class UserError(Exception):
    pass


def printable(text):
    """The text without what a terminal would act on."""
    return "".join(c if c in "\n\t" or c.isprintable() else f"\\x{ord(c):02x}" for c in text)
