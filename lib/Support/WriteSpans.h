//===- WriteSpans.h - A file's contents from pieces of memory ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Writes an output that is a list of pieces of memory with gaps between them,
/// without putting it together first. For both ways to write a file,
/// InPlaceFile and OutputFile.cpp.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_SUPPORT_WRITESPANS_H
#define LLD_CUDA_SUPPORT_WRITESPANS_H

#include "lld-cuda/Support/OutputFile.h"

namespace lld::cuda {

/// Writes all at the descriptor's position, gaps as zeros. Returns 0 or errno.
int writeSpans(int fd, uint64_t size, llvm::ArrayRef<OutputSpan> spans);

/// Fills a new file, in which gaps take no space. Returns 0 or errno.
int writeSpansAndHoles(int fd, uint64_t size, llvm::ArrayRef<OutputSpan> spans);

/// Takes the space for a file of that size. Some file systems can't; only what
/// would fail later, too, is an error: a full disk, a quota, a limit. `mode` is
/// that of fallocate(). Returns 0 or errno.
int preallocate(int fd, uint64_t size, int mode = 0);

} // namespace lld::cuda

#endif
