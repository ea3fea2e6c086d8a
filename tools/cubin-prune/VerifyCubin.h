//===- VerifyCubin.h - What became of a cubin -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Compares a cubin that was written anew with the original, by names instead
/// of numbers. PruneCubin.cpp calls it for each one; if anything differs that
/// shouldn't, the file isn't pruned.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_CUBIN_PRUNE_VERIFYCUBIN_H
#define LLD_CUDA_CUBIN_PRUNE_VERIFYCUBIN_H

#include "CubinCopy.h"

namespace lld::cuda {

/// Fails unless `after` is `before` without what the cut says: the same
/// sections, symbols and records, by name, in the same order, but for those
/// that name what is gone; the same bytes in all other sections.
llvm::Error verifyCubin(const CubinFile &before, const CubinCut &cut,
                        llvm::StringRef after);

} // namespace lld::cuda

#endif
