//===- OutputChunks.h - A pruned file as chunks -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A pruned file as a list of chunks, most of them slices of the mapped input.
/// PruneFile.cpp fills it from the beginning of a file to its end; main() then
/// writes its spans() without assembling the file in memory.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_CUBIN_PRUNE_OUTPUTCHUNKS_H
#define LLD_CUDA_CUBIN_PRUNE_OUTPUTCHUNKS_H

#include "lld-cuda/Support/OutputFile.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <deque>
#include <string>
#include <vector>

namespace lld::cuda {

/// Chunks of bytes that others own (the mapped input, which must outlive this),
/// chunks that this object owns, and zeros.
class OutputChunks {
public:
  void add(llvm::StringRef bytes);
  void own(llvm::SmallVector<char, 0> bytes);
  void zeros(uint64_t count);
  uint64_t size() const { return bytesInAll; }
  /// Returns the contents as one string.
  std::string flatten() const;

  /// Returns what is to be written; zeros are gaps. The spans refer to this
  /// object and to the input.
  std::vector<OutputSpan> spans() const;
  /// Returns how many bytes the file takes on a disk with blocks of 4 KiB if
  /// blocks of zeros take none.
  uint64_t bytesOnDisk() const;

private:
  struct Chunk {
    llvm::StringRef bytes;
    uint64_t zeros;
  };

  std::vector<Chunk> chunks;
  std::deque<llvm::SmallVector<char, 0>> owned;
  uint64_t bytesInAll = 0;
};

} // namespace lld::cuda

#endif
