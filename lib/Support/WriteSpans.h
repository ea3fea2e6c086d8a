//===- WriteSpans.h - Writes pieces of memory to a file ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Functions that write an output, given as a list of pieces of memory with
/// gaps between them, to a file without assembling it in memory first.
/// OutputFile.cpp (for new files and standard output) and InPlaceFile.cpp (for
/// files that are overwritten) call them when a program writes its outputs.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_SUPPORT_WRITESPANS_H
#define LLD_CUDA_SUPPORT_WRITESPANS_H

#include "lld-cuda/Support/OutputFile.h"

namespace lld::cuda {

/// Writes `size` bytes at the descriptor's position, with zeros in the gaps.
/// Returns 0 or an errno value.
int writeSpans(int fd, uint64_t size, llvm::ArrayRef<OutputSpan> spans);

/// Writes a new, empty file like writeSpans(), but copies small spans together
/// to blocks first, which `loop` does on as many threads as it likes. For spans
/// that are smaller than LargeSpan on average, in a file of more than a few
/// blocks of 256 KB; larger ones aren't copied. Returns 0 or an errno value.
int writeSmallSpans(int fd, uint64_t size, llvm::ArrayRef<OutputSpan> spans,
                    const OutputLoop &loop);
constexpr uint64_t LargeSpan = 4 << 10;

/// Writes a new, empty file, in which gaps become holes that take no space on
/// the disk. Returns 0 or an errno value.
int writeSpansAndHoles(int fd, uint64_t size, llvm::ArrayRef<OutputSpan> spans);

/// Reserves the space for a file of `size` bytes. `mode` is that of
/// fallocate(). Returns 0, also if the file system doesn't support it, or the
/// errno value of a failure that writing would run into, too: a full disk, a
/// quota, a size limit.
int preallocate(int fd, uint64_t size, int mode = 0);

} // namespace lld::cuda

#endif
