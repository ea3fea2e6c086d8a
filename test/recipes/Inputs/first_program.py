# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""first_program.py PAGE INPUTS ARCHIVE: types each row of the page's table into a new folder, and looks at who linked the program.
Status 1 if one isn't linked by lld-cuda."""

import importlib.util
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

page, inputs, archive = Path(sys.argv[1]), Path(sys.argv[2]), Path(sys.argv[3]).resolve()
# What a build system needs beside its name, and where the program is.
NEEDS = {"nvcc": ["nvcc"], "make": ["make"], "CMake with Ninja": ["cmake", "ninja"], "CMake with make": ["cmake", "make"],
         "Meson": ["meson"], "setuptools": ["pip"], "PyTorch's cpp_extension": ["pip", "ninja"], "Bazel": ["bazel"]}
MODULES = {"setuptools": "setuptools.command.bdist_wheel", "PyTorch's cpp_extension": "torch"}
PROGRAMS = {"nvcc": "program", "make": "program", "setuptools": "out/extension*.so", "PyTorch's cpp_extension": "out/extension*.so",
            "Bazel": "bazel-bin/example"}


def has(name):
    def module(name):  # Folders of that name, such as the one beside this file, have no origin.
        try:
            return getattr(importlib.util.find_spec(name), "origin", None) is not None
        except ImportError:
            return False
    return all(map(shutil.which, NEEDS[name])) and (name not in MODULES or module(MODULES[name]))


def prepare(name):
    folder = Path(re.sub(r"\W", "-", name))
    shutil.copytree(inputs / "project", folder)
    if name.startswith("PyTorch"):
        shutil.copy(inputs / "torch/setup.py", folder)
    if name == "Bazel":
        shutil.copy(inputs / "nvcc.BUILD", folder / "BUILD")
        (folder / "WORKSPACE").touch()
    shutil.copy(archive, folder)
    return folder


def linker_of(name, commands):
    folder = prepare(name)
    before = {path: path.read_bytes() for path in folder.iterdir()}
    # pip may not look for packages elsewhere, and leaves the system as it is. Build servers are of this folder.
    environment = {**os.environ, "HOME": str(folder.resolve()), "PIP_NO_INDEX": "1", "PIP_NO_BUILD_ISOLATION": "0", "PIP_NO_DEPS": "1",
                   "PIP_TARGET": str(folder.resolve() / "out"), "PIP_BREAK_SYSTEM_PACKAGES": "1", "TORCH_CUDA_ARCH_LIST": "9.0"}
    for command in commands:
        result = subprocess.run(["bash", "-c", command], cwd=folder, env=environment, stdin=subprocess.DEVNULL, text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        if result.returncode or "nothing was replaced" in result.stdout:
            return f"wrong: {command}\n{result.stdout}"
    if name == "Bazel":
        subprocess.run(["bazel", "shutdown"], cwd=folder, env=environment, capture_output=True, check=False)
        for path, folders, _ in os.walk(folder / ".cache"):
            os.chmod(path, 0o755)
    if any(path.read_bytes() != text for path, text in before.items()):
        return "wrong: a file of the project is another one"
    (program,) = folder.glob(PROGRAMS.get(name, "build/program"))
    notes = subprocess.run(["cubin-dump", "--notes", program], stdout=subprocess.PIPE, text=True, check=True).stdout
    linkers = set(re.findall(r'tool="(nvlink|lld-cuda)"', notes))
    return "linked by lld-cuda" if linkers == {"lld-cuda"} else f"wrong: linked by {linkers}"


text = page.read_text()
first = re.search(r"^    (tar .*)$", text, re.M)[1]
rows = re.findall(r"   \* - (.+)\n     - ``(.+)``\n     - (\d+)\n     - (\d+)\n", text)
wrong = [name for name, _, commands, edits in rows if int(commands) > 2 or int(edits)]
print(f"wrong: {wrong}" if wrong else f"{len(rows)} build systems, at most 2 commands and 0 edits each")
found = {}
for name, second, _, _ in rows:
    if has(name):
        found[name] = linker_of(name, [first, second])
        print(f"{name}: {found[name]}", flush=True)
print(len(found), "tried")
sys.exit(bool(wrong) or any(text != "linked by lld-cuda" for text in found.values()))
