# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes a folder that is laid out as a CUDA toolkit.

    forge.py installer|wheels|debian|conda ROOT RELEASE

ROOT is what users name: /usr/local/cuda, a virtual environment, /usr, a conda
environment.  nvlink and ptxas tell the release; nvcc reads its profile as the
real one does and then calls nvlink.
"""

import shutil
import sys
from pathlib import Path

TOOL = """#!/bin/sh
echo "Cuda compilation tools, release {line}, V{release}"
echo "{name} of $0"
"""
PLAIN_PROFILE = """
TOP              = $(_HERE_)/..
CICC_PATH        = $(TOP)/nvvm/bin
NVVMIR_LIBRARY_DIR = $(TOP)/nvvm/libdevice
PATH            += $(CICC_PATH):$(_HERE_):
LIBRARIES        =+ $(_SPACE_) "-L$(TOP)/$(_TARGET_DIR_)/lib"
"""
# Conda's: the root is a target's folder.
CONDA_PROFILE = """
TOP              = $(_HERE_)/../$(_TARGET_DIR_)
CICC_PATH        = $(TOP)/nvvm/bin
NVVMIR_LIBRARY_DIR = $(TOP)/nvvm/libdevice
PATH            += $(TOP)/bin:$(CICC_PATH):$(TOP)/../../bin:
LIBRARIES        =+ $(_SPACE_) "-L$(TOP)/lib"
"""
# Debian's has no root.
DEBIAN_PROFILE = """
NVVMIR_LIBRARY_DIR = {root}/lib/nvidia-cuda-toolkit/libdevice
PATH            += {root}/lib/nvidia-cuda-toolkit/bin:
LIBRARIES        =+ $(_SPACE_) -L{root}/lib/x86_64-linux-gnu
"""
TARGET = "targets/x86_64-linux"


class Forge:
    def __init__(self, root, release):
        self.root, self.release = Path(root).resolve(), release

    def file(self, name, text=""):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def tools(self, folder, names):
        for name in names.split():
            line = self.release.rsplit(".", 1)[0]
            self.file(f"{folder}/{name}", TOOL.format(name=name, line=line, release=self.release)).chmod(0o755)

    def compiler(self, folder, profile):
        path = self.root / folder / "nvcc"
        path.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(Path(__file__).with_name("nvcc.py"), path)
        path.chmod(0o755)
        self.file(f"{folder}/nvcc.profile", profile)
        self.file(f"{folder}/crt/link.stub")

    def link(self, name, target):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.symlink_to(target)

    def libraries(self, folder):
        for name in ("libcudadevrt.a", "libnvJitLink.so.13"):
            self.file(f"{folder}/{name}")

    def installer(self):
        self.tools("bin", "nvlink ptxas fatbinary")
        self.compiler("bin", PLAIN_PROFILE)
        self.tools("nvvm/bin", "cicc")
        self.file("nvvm/libdevice/libdevice.10.bc")
        self.file(f"{TARGET}/include/cuda.h")
        self.libraries(f"{TARGET}/lib")
        self.link("include", f"{TARGET}/include")
        self.link("lib64", f"{TARGET}/lib")

    def wheels(self):
        environment = self.root
        self.root = environment / "lib/python3.11/site-packages/nvidia/cu13"
        self.tools("bin", "nvlink ptxas fatbinary")
        self.compiler("bin", PLAIN_PROFILE)
        self.tools("nvvm/bin", "cicc")
        self.file("nvvm/libdevice/libdevice.10.bc")
        self.file("include/cuda.h")
        self.libraries("lib")

    def debian(self):
        own = "lib/nvidia-cuda-toolkit"
        self.tools("bin", "nvlink ptxas fatbinary ls")
        self.compiler(f"{own}/bin", DEBIAN_PROFILE.format(root=self.root))
        self.tools(f"{own}/bin", "cicc")
        self.file("bin/nvcc", f'#!/bin/sh\nexec {self.root}/{own}/bin/nvcc "$@"\n').chmod(0o755)
        self.file(f"{own}/libdevice/libdevice.10.bc")
        self.file("include/cuda.h")
        self.file("include/stdio.h")
        self.link("lib/cuda/include/cuda.h", "../../../include/cuda.h")
        self.link("lib/cuda/nvvm/libdevice", f"../../../{own}/libdevice")
        self.libraries("lib/x86_64-linux-gnu")

    def conda(self):
        self.file("conda-meta/history")
        self.tools("bin", "nvlink ptxas fatbinary ls")
        self.compiler("bin", CONDA_PROFILE)
        self.tools("nvvm/bin", "cicc")
        self.file("nvvm/libdevice/libdevice.10.bc")
        self.file("include/stdio.h")
        self.file(f"{TARGET}/include/cuda.h")
        self.libraries(f"{TARGET}/lib")
        self.link(f"{TARGET}/lib64", self.root / TARGET / "lib")
        self.link(f"{TARGET}/nvvm", self.root / "nvvm")
        self.link(f"{TARGET}/bin/nvcc", self.root / "bin/nvcc")


if __name__ == "__main__":
    getattr(Forge(*sys.argv[2:4]), sys.argv[1])()
