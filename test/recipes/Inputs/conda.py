# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""conda.py TOOLKIT ENV: the toolkit as an environment of conda has it."""

import shutil
import sys
from pathlib import Path

PROFILE = """
TOP              = $(_HERE_)/../$(_TARGET_DIR_)

CICC_PATH        = $(TOP)/nvvm/bin
CICC_NEXT_PATH   = $(TOP)/nvvm-next/bin
NVVMIR_LIBRARY_DIR = $(TOP)/nvvm/libdevice

LD_LIBRARY_PATH += $(TOP)/lib:
PATH            += $(TOP)/bin:$(CICC_PATH):$(TOP)/../../bin:

INCLUDES        +=  "-I$(TOP)/include" "-I$(TOP)/include/cccl" $(_SPACE_)
SYSTEM_INCLUDES +=  $(_SPACE_)

LIBRARIES        =+ $(_SPACE_) "-L$(TOP)/lib" "-L$(TOP)/lib/stubs"

CUDAFE_FLAGS    +=
PTXAS_FLAGS     +=
"""

toolkit, env = Path(sys.argv[1]).resolve(), Path(sys.argv[2])
target = env / "targets/x86_64-linux"
(env / "conda-meta").mkdir(parents=True)
(env / "conda-meta/history").write_text("")
(env / "bin").mkdir()
(target / "bin").mkdir(parents=True)
for path in (toolkit / "bin").iterdir():
    if path.name == "nvcc":
        shutil.copy2(path, env / "bin" / path.name)
    elif path.name != "nvcc.profile":
        (env / "bin" / path.name).symlink_to(path)
(env / "bin/nvcc.profile").write_text(PROFILE)
(env / "nvvm").symlink_to(toolkit / "nvvm")
(target / "nvvm").symlink_to("../../nvvm")
(target / "include").symlink_to((toolkit / "include").resolve())
(target / "lib").symlink_to((toolkit / "lib64").resolve())
