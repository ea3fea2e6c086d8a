# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""jit.py LIBRARY OUT WORD...: links by libnvJitLink; words are options and files, whose suffix is their type."""

import sys
from pathlib import Path

from nvjitlink import ANY, TYPES, Library


def main():
    library, out, *words = sys.argv[1:]
    options = [word for word in words if word.startswith("-")]
    inputs = [(TYPES.get(Path(word).suffix[1:], ANY), word, Path(word).read_bytes())
              for word in words if not word.startswith("-")]
    result, cubin, errors, infos = Library(library).link(options, inputs)
    sys.stderr.write(errors)
    sys.stdout.write(infos)
    if cubin:
        Path(out).write_bytes(cubin)
    print("result", result)
    sys.exit(1 if result else 0)


if __name__ == "__main__":
    main()
