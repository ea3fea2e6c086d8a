//===- PruneFile.h - Prunes a file of any kind ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The pruning of a whole file of any kind: a cubin, a fatbin, a host object, a
/// linked program or library, or an archive of such files. cubin-prune's main
/// function calls pruneFile() for each input, and then writes the result.
/// Cubins, fatbins, objects and archives become shorter (or longer, if images
/// are decompressed). In a linked file of Linux or Windows, whose addresses are
/// fixed, and where several fatbins share a section, a fatbin's entries move to
/// its start and zeros fill the rest.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_CUBIN_PRUNE_PRUNEFILE_H
#define LLD_CUDA_CUBIN_PRUNE_PRUNEFILE_H

#include "OutputChunks.h"
#include "Selection.h"
#include "Verify.h"

namespace lld::cuda {

/// What was removed from a file, for the summary.
struct PruneCounts {
  unsigned kept = 0, dropped = 0; ///< Numbers of images.
  unsigned rewritten = 0;         ///< Images that are kept, but written anew.
  unsigned kernelsDropped = 0;
  int64_t bytesDropped = 0; ///< Stored bytes; negative if the file grew.

  bool isChanged() const { return dropped || rewritten; }
};

struct PruneResult {
  OutputChunks output;
  std::vector<ImageMark> expected; ///< What checkImages() must find.
  PruneCounts counts;
};

/// Prunes `file`, which must outlive the result: its output refers to it. Fails
/// if anything in the file can't be read, so that nothing is dropped unseen.
llvm::Expected<PruneResult> pruneFile(llvm::MemoryBufferRef file,
                                      const Selection &selection);

/// Returns the architectures, such as "sm_90", of the linked code in a file.
llvm::Expected<llvm::StringSet<>> listLinkedTargets(llvm::MemoryBufferRef file);

} // namespace lld::cuda

#endif
