# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import os
import subprocess

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext


class Build(build_ext):
    """nvcc compiles and links the module."""

    def build_extension(self, extension):
        path = self.get_ext_fullpath(extension.name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        folders = [f"-I{folder}" for folder in self.include_dirs]
        subprocess.run(["nvcc", "-rdc=true", "-arch=sm_90", "-shared", "-Xcompiler=-fPIC", *folders, *extension.sources, "-o", path],
                       check=True)


setup(name="extension", version="1", cmdclass={"build_ext": Build},
      ext_modules=[Extension("extension", ["extension.cu", "solver.cu"])])
