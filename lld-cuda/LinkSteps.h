//===- LinkSteps.h - Steps of a link ----------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The two halves of a link whose inputs arrive one by one: merging one input
/// file, and everything after all files are merged. LinkSession.cpp (the
/// library's links in steps) calls mergeFile() for each file that is added, and
/// linkMerged() at the end. Both are defined in Link.cpp, whose runLink(), the
/// ordinary link, calls mergeFile() too.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_LINKSTEPS_H
#define LLD_CUDA_LINKSTEPS_H

#include "Ctx.h"
#include "Input/InputFiles.h"
#include "Merge/MergeBatch.h"
#include <memory>

namespace lld::cuda {

/// What the merge carries from one file to the next. One object for each link.
struct MergeProgress {
  MergeState state;
  /// An input was compiled as an extensible whole program (rule [whole-program]
  /// of docs/reference).
  bool wholeProgram = false;
  /// Whether a system library with device code was left out because nothing
  /// needed it (other objects after it are an error), and whether an object has
  /// been merged or had LTO IR.
  bool droppedSystemLibrary = false, hasMerged = false;
  /// The number of objects and archive members in all files, of which progress
  /// reports show how many are merged.
  size_t units = 1;
  /// Merges objects of a large link, several at once; null if there is none.
  std::unique_ptr<MergeBatch> batch;
};

/// Merges the objects of one file into the link. A system library is left out
/// unless a function is still undefined by then [device-runtime]. Errors are
/// reported to the link's diagnostics.
void mergeFile(Ctx &ctx, MergeProgress &progress, InputFile &file);
/// Does everything that follows when all files are merged, up to writing the
/// output.
void linkMerged(Ctx &ctx);

} // namespace lld::cuda

#endif
