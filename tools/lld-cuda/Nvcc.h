//===- Nvcc.h - The program in nvcc's place ---------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_TOOLS_NVCC_H
#define LLD_CUDA_TOOLS_NVCC_H

#include "llvm/ADT/ArrayRef.h"

/// lld-cuda -flavor nvcc --nvcc=FILE [--called-as=FILE] [--nvcc-release=13.0]
/// [--link-option=WORD]... [--print-step] -- WORDS: the words after `nvcc`.
/// Returns the exit status, or doesn't.
int runAsNvcc(llvm::ArrayRef<const char *> args);

#endif
