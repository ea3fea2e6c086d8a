//===- UnnamedFile.h - Room on the disk -------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A temporary file without a name, for contents that are too large for memory:
/// members of wheels that are decompressed (Zip.cpp).
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_SUPPORT_UNNAMEDFILE_H
#define LLD_CUDA_SUPPORT_UNNAMEDFILE_H

#include "llvm/ADT/StringRef.h"
#include <system_error>

namespace lld::cuda {

/// Opens a new file in that directory. It has no name: whatever ends the
/// program, nothing is left behind.
std::error_code openUnnamedFile(llvm::StringRef directory, int &fd);

} // namespace lld::cuda

#endif
