//===- RegularFile.h - Opens and reads regular files ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Opens and reads regular files, and refuses all others before anything is
/// read. The linker (OpenFile.cpp), the tools and the cache read files with it
/// that the program, not its user, may have chosen, such as the members that a
/// thin archive names or all files of a folder: a device may never end
/// (/dev/zero), a pipe may never begin, and opening some devices has an effect.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_SUPPORT_REGULARFILE_H
#define LLD_CUDA_SUPPORT_REGULARFILE_H

#include "llvm/Support/ErrorOr.h"
#include "llvm/Support/MemoryBuffer.h"
#include <memory>
#include <string>

namespace lld::cuda {

/// Opens a regular file for reading, following symbolic links. Never waits. The
/// descriptor is the caller's to close.
llvm::ErrorOr<int> openRegularFile(const std::string &path);

/// Reads a regular file; a large one is mapped. With `endsWithNull` a zero byte
/// follows the contents, as parsers of text need it.
llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>>
readRegularFile(llvm::StringRef path, bool endsWithNull = false);

/// Like readRegularFile(), but "-" is standard input, which may also be a pipe,
/// a socket or /dev/null, but not a terminal or another device.
llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>>
readRegularFileOrStdin(llvm::StringRef path);

} // namespace lld::cuda

#endif
