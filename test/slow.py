# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints what test/slow.txt names as a regular expression for lit's --filter-out.

    slow.py                   names that don't exist are an error
    slow.py --update TIMES    finds the slow tests anew

TIMES is the file .lit_test_times.txt that lit writes into build/test. Update the list
after a run of all tests on a machine that does nothing else.
"""

import argparse
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent
#: A test that takes longer, in seconds, is slow.
LIMIT = 1.5
#: A test that takes less was skipped, since a tool is missing that it needs.
LEAST = 0.005


def find(name):
    found = [path for path in ROOT.glob(name + ".*") if path.suffix in (".test", ".cu", ".yaml", ".ptx", ".s")]
    return found or ([ROOT / name] if (ROOT / name).is_file() else [])


def read(text):
    """The first lines, which are comments; the slow folders, with the test of each that stays; and the slow tests."""
    lines = text.splitlines()
    comments = [line for line in lines if line.startswith("#")]
    names = [line for line in lines if line and not line.startswith("#")]
    folders = [tuple(line.split(" but ")) for line in names if " but " in line]
    return comments, folders, [line for line in names if " but " not in line]


def choose(times, folders):
    """The tests that are slow. If all tests of a folder are, the fastest one isn't chosen."""
    by_folder = {}
    for name, seconds in times.items():
        if seconds >= LEAST and not any(name.startswith(folder) for folder, _ in folders):
            by_folder.setdefault(Path(name).parent, []).append((seconds, name))
    slow = []
    for tests in by_folder.values():
        slow += [name for seconds, name in sorted(tests)[1:] if seconds > LIMIT]
    return sorted(slow)


def update(text, times):
    """The text of slow.txt, with the slow tests of these times."""
    comments, folders, _ = read(text)
    measured = (line.split(" ", 1) for line in times.splitlines())
    slow = choose({name: float(seconds) for seconds, name in measured if find(name)}, folders)
    return "".join(f"{line}\n" for line in [*comments, *(f"{folder} but {kept}" for folder, kept in folders), *slow])


def make_filter(text):
    _, folders, tests = read(text)
    missing = [name for name in [folder + kept for folder, kept in folders] + tests if not find(name)]
    if missing:
        sys.exit("test/slow.txt: there is no " + ", ".join(missing))
    patterns = [f"{folder}(?!{re.escape(kept)}[.])" for folder, kept in folders] + [re.escape(test) + "$" for test in tests]
    return f"^lld-cuda :: ({'|'.join(patterns)})"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--update", metavar="TIMES", type=Path)
    parser.add_argument("--list", metavar="FILE", type=Path, default=ROOT / "slow.txt", help="instead of test/slow.txt")
    options = parser.parse_args()
    text = options.list.read_text()
    if options.update:
        options.list.write_text(update(text, options.update.read_text()))
    else:
        print(make_filter(text))


if __name__ == "__main__":
    main()
