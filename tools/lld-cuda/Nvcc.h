//===- Nvcc.h - The program in nvcc's place ---------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// lld-cuda in nvcc's place: makes the device link itself if the command line
/// is only that, and runs nvcc for all else. Toolkit directories and --run call
/// it for a build's nvcc.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_TOOLS_NVCC_H
#define LLD_CUDA_TOOLS_NVCC_H

#include "llvm/ADT/ArrayRef.h"

/// lld-cuda -flavor nvcc --nvcc=FILE [--called-as=FILE] [--nvcc-release=13.0]
/// [--link-option=WORD]... [--print-step] -- WORDS: the words after `nvcc`.
/// Returns the exit status, or doesn't.
int runAsNvcc(llvm::ArrayRef<const char *> args);

#endif
