# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes a case of each feature, and some of many features: make-all.py LINKTEST DIR"""

import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1])
from programs.architectures import Architecture  # noqa: E402
from programs.features import FEATURES, content_features  # noqa: E402
from programs.generate import make_case, usable  # noqa: E402

folder = Path(sys.argv[2])
for arch in ("sm_75", "sm_90", "sm_100a", "sm_121"):
    for name in usable(list(FEATURES), Architecture(arch), {"nvcc", "cudadevrt", "nvjitlink"}):
        make_case(arch, 0, [name]).write(folder / f"{arch}-{name}")
    for seed, last in enumerate(("lineinfo", "nested", "host_info", "register", "options_file", "kernels_used")):
        names = usable([*content_features(), last], Architecture(arch), set())
        make_case(arch, seed, names).write(folder / f"{arch}-all-{last}")
