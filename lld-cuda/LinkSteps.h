//===- LinkSteps.h - A link that is done in parts ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// For LinkSession: runLink() of Passes.h, taken apart where inputs are merged.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_LINKSTEPS_H
#define LLD_CUDA_LINKSTEPS_H

#include "Ctx.h"
#include "Input/InputFiles.h"
#include "Merge/Merge.h"

namespace lld::cuda {

/// What the merge of one file leaves for the next.
struct MergeProgress {
  MergeState state;
  bool wholeProgram = false; ///< An input is of that kind [whole-program].
  bool droppedSystemLibrary = false, hasMerged = false;
  size_t units = 1; ///< Of all files, for the clock.
};

/// A system library takes part only if something is undefined by then
/// [device-runtime].
void mergeFile(Ctx &ctx, MergeProgress &progress, InputFile &file);
/// All that follows when each file is merged.
void linkMerged(Ctx &ctx);

} // namespace lld::cuda

#endif
