# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""same.py ONE OTHER: two cubins are the same but for the note that tells who linked."""

import sys
from pathlib import Path

from nvjitlink import differences

if found := differences(*(Path(path).read_bytes() for path in sys.argv[1:])):
    sys.exit(f"{sys.argv[1]} and {sys.argv[2]} differ in {', '.join(found)}")
