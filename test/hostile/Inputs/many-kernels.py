# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""many-kernels.py CUBIN NAME COUNT FOLDER: copies of a cubin, whose kernel NAME has
another name in each, and a file "all" that lists them."""

import sys
from pathlib import Path

cubin, name, count, folder = sys.argv[1:]
contents = Path(cubin).read_bytes()
names = []
for number in range(int(count)):
    other = f"k{number:0{len(name) - 1}}"
    file = f"{other}.o"
    Path(folder, file).write_bytes(contents.replace(name.encode(), other.encode()))
    names.append(file)
Path(folder, "all").write_text(" ".join(names) + "\n")
