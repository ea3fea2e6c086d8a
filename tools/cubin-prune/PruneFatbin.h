//===- PruneFatbin.h - A fatbin with fewer entries --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_CUBIN_PRUNE_PRUNEFATBIN_H
#define LLD_CUDA_CUBIN_PRUNE_PRUNEFATBIN_H

#include "lld-cuda/Object/Fatbin.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace lld::cuda {

struct PrunedFatbin {
  /// The header and the entries that stay, each as it was. Without any the
  /// header alone stands, as nvprune leaves it.
  llvm::SmallVector<char, 0> bytes;
  unsigned kept = 0, dropped = 0; ///< Entries.
};

/// Of several images in one entry all stay if one does.
llvm::Expected<PrunedFatbin>
pruneFatbin(llvm::StringRef data,
            llvm::function_ref<bool(const FatbinEntry &)> keep);

} // namespace lld::cuda

#endif
