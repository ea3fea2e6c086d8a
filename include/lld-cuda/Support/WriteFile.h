//===- WriteFile.h - Writes a file for another program ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Writes a file for another program to read. The linker calls it for the
/// inputs of ptxas and lld-cuda-lto (Compilers.cpp, LtoJob.cpp), in a temporary
/// folder, and cubin-dump for each image that it extracts (Extract.cpp). Unlike
/// OutputFile.h it writes to the path directly.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_SUPPORT_WRITEFILE_H
#define LLD_CUDA_SUPPORT_WRITEFILE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace lld::cuda {

/// Writes the whole file. The error names the path and says why it failed.
llvm::Error writeFile(llvm::StringRef path, llvm::StringRef contents);

} // namespace lld::cuda

#endif
