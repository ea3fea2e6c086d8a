# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""options.py SOURCE LD.CUDA [NVLINK]: is every option in the manual's table?"""

import re
import subprocess
import sys
from pathlib import Path

source, ld_cuda, *nvlink = sys.argv[1:]
table = Path(source, "docs/manual/options.rst").read_text()
manual = Path(source, "docs/manual/ld.cuda.rst").read_text()
listed = set(re.findall(r"``(--?[\w-]+)``", table))
described = set(re.findall(r"(--?[\w-]+)", manual))


def words(command):
    text = subprocess.run([command, "--help"], capture_output=True, text=True).stdout
    return text.splitlines()


wanted = set()
for match in re.finditer(r'OPTION\(\w+,\s*"([\w-]+)",\s*"([\w-]*)"',
                         Path(source, "lld-cuda/Driver/Options.def").read_text()):
    wanted |= {"--" + match[1]} | ({"-" + match[2]} if match[2] else set())
for path in nvlink:
    for line in words(path):
        if match := re.match(r"--([\w-]+)", line):
            wanted.add("--" + match[1])
lld = set()
for line in words(ld_cuda):
    if match := re.match(r"  (--?[\w-]+)", line):
        lld.add(match[1])

# A listed short name stands for its long one, and one dash for two.
listed |= {"--" + name.lstrip("-") for name in listed}
missing = sorted(wanted - listed - {"--" + name[1:] for name in wanted & listed})
missing = [m for m in missing if m not in listed]
missing += sorted(name for name in lld if "--" + name.lstrip("-") not in listed)
undescribed = sorted(name for name in lld
                     if name not in described and "-" + name.lstrip("-") not in described
                     and "--" + name.lstrip("-") not in described)
print("not in the table:", *missing)
print("not in ld.cuda.rst:", *undescribed)
print(f"{len(wanted)} and {len(lld)} options")
sys.exit(bool(missing or undescribed) or len(wanted) < 50 or len(lld) < 60)
