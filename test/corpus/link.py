# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the links of the corpus and compares with what nvlink made of them.

A test of the corpus says in words what it is about and has lines

    LINK calls [sm_75 sm_90]: -arch=%a one.%a.cubin two.%a.cubin -o out.cubin

Each stands for one link an architecture. The files are those of Inputs/, the
link runs in a folder of its own beside them, and Expected/calls.sm_75/ holds
what nvlink left there, its messages (`stderr`, if any) and exit status
(`status`, unless 0).

    link.py LINKER WORK TEST...     run and compare
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
INPUTS = HERE / "Inputs"
EXPECTED = HERE / "Expected"

LINE = re.compile(r"^LINK (\S+) \[([^]]+)\]: (.*)$", re.M)


class Link:
    """One link: its name and its arguments, a word each."""

    def __init__(self, name, arguments):
        self.name = name
        self.arguments = arguments
        self.expected = EXPECTED / name

    def inputs(self):
        """The files of Inputs/ that the arguments name."""
        names = [a for a in self.arguments if re.search(r"\.(cubin|fatbin|o|a|ptx)$", a)]
        names += [f"lib{a[2:]}.a" for a in self.arguments if re.match(r"-l\w", a)]
        outputs = [b for a, b in zip(self.arguments, self.arguments[1:]) if a == "-o"]
        return [name for name in names if name not in outputs]

    def run(self, linker, work):
        """Returns what the link leaves: {file: bytes}, stderr and status in it."""
        folder = Path(work) / self.name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        given = set(self.inputs())
        for name in given:
            if (INPUTS / name).exists():
                (folder / name).symlink_to(INPUTS / name)
        environment = {k: v for k, v in os.environ.items() if k != "LIBRARY_PATH"}
        done = subprocess.run(linker + self.arguments, cwd=folder, env=environment,
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=60)
        left = {path.name: path.read_bytes() for path in folder.iterdir()
                if path.name not in given}
        if done.stderr:
            left["stderr"] = done.stderr
        if done.returncode:
            left["status"] = b"%d\n" % done.returncode
        return left

    def recorded(self):
        if not self.expected.is_dir():
            return None
        return {path.name: path.read_bytes() for path in self.expected.iterdir()}


def links_of(test):
    """The links that a test file names."""
    links = []
    for name, architectures, words in LINE.findall(Path(test).read_text()):
        for architecture in architectures.split():
            links.append(Link(f"{name}.{architecture}",
                              words.replace("%a", architecture).split()))
    return links


def differences(expected, got):
    """Yields a line for each file that is not as it should be."""
    for name in sorted(expected.keys() | got.keys()):
        want, have = expected.get(name), got.get(name)
        if want == have:
            continue
        if name in ("stderr", "status"):
            yield f"{name}: expected {(want or b'').decode()!r}, got {(have or b'').decode()!r}"
        elif have is None:
            yield f"{name}: not written"
        elif want is None:
            yield f"{name}: written, but nvlink writes none"
        else:
            at = next((i for i, (a, b) in enumerate(zip(want, have)) if a != b),
                      min(len(want), len(have)))
            yield (f"{name}: differs from offset 0x{at:x} on "
                   f"(sizes {len(want)} and {len(have)})")


def main():
    linker, work, tests = sys.argv[1].split(), sys.argv[2], sys.argv[3:]
    links = [link for test in tests for link in links_of(test)]
    failed = 0
    for link in links:
        expected = link.recorded()
        if expected is None:
            lines = ["no expectation is recorded"]
        else:
            lines = list(differences(expected, link.run(linker, work)))
        if lines:
            failed += 1
            print(f"{link.name}: {' '.join(linker + link.arguments)}")
            print(*(f"    {line}" for line in lines), sep="\n")
    print(f"{len(links) - failed} of {len(links)} links are as nvlink makes them")
    return 1 if failed or not links else 0


if __name__ == "__main__":
    sys.exit(main())
