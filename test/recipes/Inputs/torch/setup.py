# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from setuptools import setup
from torch.utils.cpp_extension import BuildExtension, CUDAExtension

setup(name="extension", version="1", cmdclass={"build_ext": BuildExtension},
      ext_modules=[CUDAExtension("extension", ["extension.cu", "solver.cu"], dlink=True, extra_compile_args={"nvcc": ["-rdc=true"]})])
