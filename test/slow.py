# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints what test/slow.txt names as a regular expression for lit's --filter-out.

    slow.py            names that don't exist are an error
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent


def find(name):
    found = [path for path in ROOT.glob(name + ".*") if path.suffix in (".test", ".cu", ".yaml", ".ptx", ".s")]
    return found or ([ROOT / name] if (ROOT / name).is_file() else [])


def main():
    patterns, missing = [], []
    for line in (ROOT / "slow.txt").read_text().splitlines():
        if not line or line.startswith("#"):
            continue
        folder, but, kept = line.partition(" but ")
        if but:
            patterns.append(f"{folder}(?!{re.escape(kept)}[.])")
            names = [folder + kept]
        else:
            patterns.append(re.escape(folder) + "$")
            names = [folder]
        missing += [name for name in names if not find(name)]
    if missing:
        sys.exit("test/slow.txt: there is no " + ", ".join(missing))
    print(f"^lld-cuda :: ({'|'.join(patterns)})")


if __name__ == "__main__":
    main()
