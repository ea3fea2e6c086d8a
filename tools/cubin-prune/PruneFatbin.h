//===- PruneFatbin.h - Prunes a fatbin --------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The pruning of one fatbin: drops entries, and writes anew those whose cubins
/// lose kernels or whose compression changes. PruneFile.cpp calls pruneFatbin()
/// for each fatbin that it finds in a file.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_CUBIN_PRUNE_PRUNEFATBIN_H
#define LLD_CUDA_CUBIN_PRUNE_PRUNEFATBIN_H

#include "Selection.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace lld::cuda {

/// An image that was written anew, for PruneFile.cpp, which lists the images
/// that the output must have.
struct RewrittenEntry {
  const char *oldPayload;     ///< The entry's payload in the input.
  uint64_t oldOffset;         ///< The image's offset in the decompressed
                              ///< payload.
  uint64_t flags, size, hash; ///< Those of the new image, as in ImageMark.
};

struct PrunedFatbin {
  /// The header and the remaining entries, each unchanged or with a new
  /// payload. If no entry remains, the header alone, as nvprune leaves it.
  llvm::SmallVector<char, 0> bytes;
  unsigned kept = 0, dropped = 0; ///< Numbers of images.
  unsigned kernelsDropped = 0;
  std::vector<RewrittenEntry> rewritten;

  bool isChanged() const { return dropped || !rewritten.empty(); }
};

/// Prunes the fatbin `data`. `keep` says which images remain, `selection` what
/// is done with those. Uses at most `threads` threads.
llvm::Expected<PrunedFatbin>
pruneFatbin(llvm::StringRef data, const Selection &selection,
            llvm::function_ref<bool(const FatbinEntry &)> keep,
            unsigned threads);

} // namespace lld::cuda

#endif
