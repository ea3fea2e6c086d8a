# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from torch.utils.cpp_extension import load

extension = load("extension", ["extension.cu", "solver.cu"], extra_cuda_cflags=["-rdc=true"], verbose=True)
print("launched:", extension.launch())
