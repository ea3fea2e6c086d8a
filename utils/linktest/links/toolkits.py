# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""CUDA toolkits: where their tools and libraries are, and what can be done with them."""

import os
import re
import shutil
import subprocess
from functools import cached_property
from pathlib import Path

TOOLS = ("nvlink", "ptxas", "fatbinary", "nvcc")


def is_nvidias(path: str) -> bool:
    """Ours may be installed under nvlink's name."""
    return os.path.basename(os.path.realpath(path)) != "lld-cuda"


def version_of(path: str) -> str:
    """What a program says about itself; it names the release. For NVIDIA's: "13.0.88"."""
    done = subprocess.run([path, "--version"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    found = re.search(r"\bV(\d+\.\d+\.\d+)", done.stdout)
    return found[1] if found else done.stdout.strip()


class Toolkit:
    """A toolkit by its root, the directory that has bin/."""

    def __init__(self, root: Path):
        self.root = root

    def __str__(self) -> str:
        return self.name

    def tool(self, name: str) -> str | None:
        path = shutil.which(name, path=str(self.root / "bin"))
        return path if path and is_nvidias(path) else None

    @cached_property
    def versions(self) -> dict[str, str]:
        return {name: version_of(path) for name in TOOLS if (path := self.tool(name))}

    @property
    def name(self) -> str:
        return self.versions.get("nvlink") or self.versions.get("ptxas") or str(self.root)

    @cached_property
    def libraries(self) -> Path | None:
        """The directory of libcudadevrt.a."""
        for folder in ("lib64", "lib", "targets/x86_64-linux/lib"):
            if (self.root / folder / "libcudadevrt.a").exists():
                return self.root / folder
        return None

    def find_library(self, pattern: str) -> Path | None:
        for folder in ("nvvm/lib64", "lib64", "lib", "targets/x86_64-linux/lib"):
            found = sorted((self.root / folder).glob(pattern))
            if found:
                return found[0]
        return None

    def nvvm(self, cache: Path) -> Path:
        """What -nvvmpath wants: a directory with lib64/libnvvm.so."""
        if (self.root / "nvvm/lib64/libnvvm.so").exists():
            return self.root / "nvvm"
        library = self.find_library("libnvvm.so*")
        folder = cache / "nvvm" / re.sub(r"\W+", "_", self.name)
        link = folder / "lib64" / "libnvvm.so"
        if library and not link.exists():
            link.parent.mkdir(parents=True, exist_ok=True)
            try:
                link.symlink_to(library.resolve())
            except FileExistsError:
                pass
        return folder

    @cached_property
    def abilities(self) -> set[str]:
        """What features can need."""
        result = {name for name in TOOLS if self.tool(name)}
        if self.libraries:
            result.add("cudadevrt")
        if self.find_library("libnvJitLink.so*") and self.find_library("libnvvm.so*"):
            result.add("nvjitlink")
        return result

    @cached_property
    def architectures(self) -> set[str]:
        """What ptxas compiles for."""
        path = self.tool("ptxas")
        if not path:
            return set()
        done = subprocess.run([path, "--help"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        return set(re.findall(r"'(sm_\d+[af]?)'", done.stdout))


def find_default() -> Toolkit | None:
    """The toolkit of CUDA_HOME, CUDA_PATH, PATH or /usr/local/cuda that has nvlink."""
    roots = [os.environ[name] for name in ("CUDA_HOME", "CUDA_PATH") if os.environ.get(name)]
    for folder in os.environ.get("PATH", "").split(os.pathsep):
        path = os.path.join(folder, "nvlink")
        if folder and os.access(path, os.X_OK) and is_nvidias(path):
            roots.append(os.path.dirname(os.path.dirname(os.path.realpath(path))))
    roots.append("/usr/local/cuda")
    for root in roots:
        toolkit = Toolkit(Path(root))
        if toolkit.tool("nvlink") and toolkit.tool("ptxas"):
            return toolkit
    return None
