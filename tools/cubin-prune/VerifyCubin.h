//===- VerifyCubin.h - Check of a pruned cubin ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A comparison of a cubin that was written anew with the original, by names
/// instead of indices. PruneCubin.cpp calls it for each pruned cubin; a
/// difference that the removal doesn't explain is an error, and the file isn't
/// pruned.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_CUBIN_PRUNE_VERIFYCUBIN_H
#define LLD_CUDA_CUBIN_PRUNE_VERIFYCUBIN_H

#include "CubinCopy.h"

namespace lld::cuda {

/// Fails unless `after` is `before` without what `cut` has: the same sections,
/// symbols and records, by name, in the same order, except those that name what
/// was removed; and the same bytes in all other sections.
llvm::Error verifyCubin(const CubinFile &before, const CubinCut &cut,
                        llvm::StringRef after);

} // namespace lld::cuda

#endif
