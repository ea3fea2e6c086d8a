//===- UnnamedFile.h - Unnamed temporary files ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Opens an unnamed temporary file (O_TMPFILE), for contents that are too large
/// for memory. Zip.cpp calls it for the members of Python wheels that it
/// decompresses when a tool reads a wheel.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_SUPPORT_UNNAMEDFILE_H
#define LLD_CUDA_SUPPORT_UNNAMEDFILE_H

#include "llvm/ADT/StringRef.h"
#include <system_error>

namespace lld::cuda {

/// Opens a new unnamed file in `directory` for reading and writing. However the
/// program ends, nothing is left; where the file system has no unnamed files,
/// the file is created and its name removed at once. The caller owns `fd`,
/// which is valid only if no error is returned.
std::error_code openUnnamedFile(llvm::StringRef directory, int &fd);

} // namespace lld::cuda

#endif
