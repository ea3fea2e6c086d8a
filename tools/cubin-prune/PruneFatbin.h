//===- PruneFatbin.h - A fatbin with less in it -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Prunes one fatbin: drops entries, and writes those anew whose cubins lose
/// kernels or are compressed otherwise. PruneFile.cpp calls it for each fatbin
/// that it finds in a file.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_CUBIN_PRUNE_PRUNEFATBIN_H
#define LLD_CUDA_CUBIN_PRUNE_PRUNEFATBIN_H

#include "Selection.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace lld::cuda {

/// An image that was written anew.
struct RewrittenEntry {
  const char *oldPayload;     ///< The entry's place in the input,
  uint64_t oldOffset;         ///< and the image's in what is decompressed.
  uint64_t flags, size, hash; ///< The new one's, as ImageMark has them.
};

struct PrunedFatbin {
  /// The header and the entries that stay, each as it was or with a new
  /// payload. Without any the header alone stands, as nvprune leaves it.
  llvm::SmallVector<char, 0> bytes;
  unsigned kept = 0, dropped = 0; ///< Images.
  unsigned kernelsDropped = 0;
  std::vector<RewrittenEntry> rewritten;

  bool isChanged() const { return dropped || !rewritten.empty(); }
};

/// `selection` says what becomes of images that stay. On so many threads at
/// most.
llvm::Expected<PrunedFatbin>
pruneFatbin(llvm::StringRef data, const Selection &selection,
            llvm::function_ref<bool(const FatbinEntry &)> keep,
            unsigned threads);

} // namespace lld::cuda

#endif
