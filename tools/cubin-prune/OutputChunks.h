//===- OutputChunks.h - A file made of pieces -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A pruned file as a list of pieces, most of them slices of the input.
/// PruneFile fills it from beginning to end; it is then written as it is,
/// without being put together in memory.
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

/// Pieces of the input, which is mapped, pieces of one's own, and zeros.
class OutputChunks {
public:
  void add(llvm::StringRef bytes);
  void own(llvm::SmallVector<char, 0> bytes);
  void zeros(uint64_t count);
  uint64_t size() const { return bytesInAll; }
  /// All chunks one after another as one string.
  std::string flatten() const;

  /// What is to be written; zeros are gaps.
  std::vector<OutputSpan> spans() const;
  /// What a file of it takes on a disk whose blocks have 4 KiB, without the
  /// blocks that are zero.
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
