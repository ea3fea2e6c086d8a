//===- Nvcc.h - lld-cuda in nvcc's place ------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// lld-cuda in nvcc's place: makes the device link itself if that is all the
/// command line asks for, and runs nvcc for everything else. main() (main.cpp)
/// calls it for `-flavor nvcc`, which the nvcc of toolkit directories uses, and
/// RunReplaced.cpp when a build under `lld-cuda --run` starts nvcc.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_TOOLS_NVCC_H
#define LLD_CUDA_TOOLS_NVCC_H

#include "llvm/ADT/ArrayRef.h"

/// Runs `lld-cuda -flavor nvcc --nvcc=FILE [--called-as=FILE]
/// [--nvcc-release=13.0] [--link-option=WORD]... [--print-step] -- WORDS`,
/// where WORDS are the command-line arguments of `nvcc`. `args` are the
/// arguments after `-flavor nvcc`. Returns the exit status, unless nvcc
/// replaces the process.
int runAsNvcc(llvm::ArrayRef<const char *> args);

#endif
