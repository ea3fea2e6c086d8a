# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""linked.py FILE...: which linkers made the device code in each file, by the notes of its images."""

import re
import subprocess
import sys

for path in sys.argv[1:]:
    notes = subprocess.run(["cubin-dump", "--notes", path], capture_output=True, text=True, check=True).stdout
    print(" ".join(sorted(set(re.findall(r'tool="(nvlink|lld-cuda)"', notes)))) or "nobody")
