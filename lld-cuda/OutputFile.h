//===- OutputFile.h - Writing files atomically -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Writes a file that is given as spans. A regular or absent target is written
/// as a preallocated temporary in the same directory and renamed, so that
/// nobody ever sees half of the contents, a link that fails or is killed leaves
/// the old file, and whoever has that open keeps it; devices, pipes and files
/// with several links are written in place (spec: addendum, section 3.4).
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_OUTPUTFILE_H
#define LLD_CUDA_OUTPUTFILE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>

namespace lld::cuda {

struct Ctx;

/// Bytes at an offset of the file. Spans are sorted and don't overlap; the gaps
/// between them are zero.
struct OutputSpan {
  uint64_t offset;
  llvm::ArrayRef<uint8_t> bytes;
};

/// Errors are distinguished: a file that can't be opened or created gives
/// std::errc::permission_denied and the like as ECError from `open`; failing
/// writes give an Error whose message starts with "writing".
llvm::Error writeOutputFile(llvm::StringRef path, uint64_t size,
                            llvm::ArrayRef<OutputSpan> spans);

/// The same, with the error reported as nvlink would. Does nothing when the
/// link writes no files.
void saveFile(Ctx &ctx, llvm::StringRef path, uint64_t size,
              llvm::ArrayRef<OutputSpan> spans);
void saveFile(Ctx &ctx, llvm::StringRef path, llvm::StringRef contents);

} // namespace lld::cuda

#endif
