//===- PruneFile.h - Any file with less device code -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Cubins, fatbins and objects become shorter, and archives of these (or
/// longer, if images are decompressed). In a linked file, of Linux or Windows,
/// whose addresses are fixed, and where several fatbins share a section, a
/// fatbin's entries move to its start and zeros take the rest.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_CUBIN_PRUNE_PRUNEFILE_H
#define LLD_CUDA_CUBIN_PRUNE_PRUNEFILE_H

#include "OutputChunks.h"
#include "Selection.h"
#include "Verify.h"

namespace lld::cuda {

struct PruneCounts {
  unsigned kept = 0, dropped = 0; ///< Images.
  unsigned rewritten = 0;         ///< The images' that are kept.
  unsigned kernelsDropped = 0;
  int64_t bytesDropped = 0; ///< As stored; negative if they are more now.

  bool isChanged() const { return dropped || rewritten; }
};

struct PruneResult {
  OutputChunks output;
  std::vector<ImageMark> expected; ///< What the output has to have.
  PruneCounts counts;
};

/// Fails if anything in the file can't be read: nothing is dropped unseen.
llvm::Expected<PruneResult> pruneFile(llvm::MemoryBufferRef file,
                                      const Selection &selection);

/// Architectures of which a file has code that is linked: "sm_90".
llvm::Expected<llvm::StringSet<>> listLinkedTargets(llvm::MemoryBufferRef file);

} // namespace lld::cuda

#endif
