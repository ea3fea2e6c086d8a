//===- WriteFile.h - Files between programs ---------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Writes a whole file for another program to read. The linker calls it for the
/// inputs of ptxas and lld-cuda-lto, and cubin-dump for the images that it
/// extracts.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_SUPPORT_WRITEFILE_H
#define LLD_CUDA_SUPPORT_WRITEFILE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace lld::cuda {

/// Writes all of a file that another program reads.
llvm::Error writeFile(llvm::StringRef path, llvm::StringRef contents);

} // namespace lld::cuda

#endif
