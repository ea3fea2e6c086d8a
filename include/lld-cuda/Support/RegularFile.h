//===- RegularFile.h - Reading files that end -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Reading files that a program, and not its user, may have chosen: an archive
/// names its members, a folder holds anything. A device may never end
/// (/dev/zero), a pipe may never begin, and opening some devices does
/// something. So these are errors here, told before anything is read.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_SUPPORT_REGULARFILE_H
#define LLD_CUDA_SUPPORT_REGULARFILE_H

#include "llvm/Support/ErrorOr.h"
#include "llvm/Support/MemoryBuffer.h"
#include <memory>
#include <string>

namespace lld::cuda {

/// Opens a regular file, or one that a link leads to, for reading. Never waits.
llvm::ErrorOr<int> openRegularFile(const std::string &path);

/// The contents, mapped where they are large. `endsWithNull`: a zero byte
/// stands behind them, as readers of text need it.
llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>>
readRegularFile(llvm::StringRef path, bool endsWithNull = false);

/// Reads a regular file; "-" is standard input, which may be a pipe, too, but
/// neither a terminal nor a device that may never end.
llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>>
readRegularFileOrStdin(llvm::StringRef path);

} // namespace lld::cuda

#endif
