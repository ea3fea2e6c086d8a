# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests of programs that were built for another processor (cmake --preset aarch64).

wrap() makes a folder of scripts, one with the name of each program: it has the emulator run that program. All that
tests start by name or by a substitution goes through them. Everything else that tests start, ptxas and LLVM's
programs among it, is this machine's. What a program starts itself is
started by the kernel, which can't start programs for another processor.

emulated.txt names what can't be tested in this way: those tests are unsupported, each with the reason.

    emulated.py            names in emulated.txt that don't exist are an error
"""

import os
import shlex
import shutil
import sys
from pathlib import Path

try:
    import lit.Test
    from lit.formats import ShTest
except ImportError:  # It is run as a program.
    ShTest = object

ROOT = Path(__file__).resolve().parent


def is_elf(path):
    with open(path, "rb") as file:
        return file.read(4) == b"\x7fELF"


def find(machine):
    """The emulator for that processor. Programs that aren't static take the C library of Debian's cross compiler."""
    for name in (f"qemu-{machine}", f"qemu-{machine}-static"):
        if path := shutil.which(name):
            return [path, "-L", f"/usr/{machine}-linux-gnu"]
    sys.exit(f"qemu-{machine} is missing. On Debian: apt-get install qemu-user")


def wrap(programs, emulator, folder):
    """Scripts in `folder` for `programs`, a folder. The name that a program was called by decides what it does, so it gets
    the script's."""
    os.makedirs(folder, exist_ok=True)
    for program in Path(programs).iterdir():
        script = Path(folder, program.name)
        start = f'{shlex.join(emulator)} -0 "$0" ' if is_elf(program) else ""
        text = f'#!/bin/sh\nexec {start}{shlex.quote(str(program))} "$@"\n'
        if script.exists() and script.read_text() == text:
            continue
        new = script.with_name(f".{program.name}.{os.getpid()}")  # Somebody may be running the old one.
        new.write_text(text)
        new.chmod(0o755)
        new.replace(script)
    return folder


def left_out():
    """Pairs (folder with a slash or test, why)."""
    pairs = []
    for line in (ROOT / "emulated.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            name, _, why = line.partition(": ")
            pairs.append((name, why))
    return pairs


class EmulatedTest(ShTest):
    """A test, unless it is one of emulated.txt."""

    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        self.left_out = left_out()

    def execute(self, test, lit_config):
        path = "/".join(test.path_in_suite)
        for name, why in self.left_out:
            if path == name or (name.endswith("/") and path.startswith(name)):
                return lit.Test.Result(lit.Test.UNSUPPORTED, f"programs for another processor: {why}")
        return super().execute(test, lit_config)


def main():
    pairs = left_out()
    wrong = [name for name, why in pairs if not why or not (ROOT / name).exists()]
    if wrong:
        sys.exit("test/emulated.txt: no such test, or no reason: " + ", ".join(wrong))
    print(f"{len(pairs)} folders and tests are left out")


if __name__ == "__main__":
    main()
