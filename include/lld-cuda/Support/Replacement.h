//===- Replacement.h - Other bytes for a part of a file ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A change of a file's bytes, as a list of such pieces describes it.
/// cubin-prune makes them for what it shortens in archives and Windows
/// programs.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_SUPPORT_REPLACEMENT_H
#define LLD_CUDA_SUPPORT_REPLACEMENT_H

#include "llvm/ADT/SmallVector.h"
#include <cstdint>

namespace lld::cuda {

/// Bytes of a file, and what takes their place.
struct Replacement {
  uint64_t offset, size; ///< Where it is in the old bytes.
  llvm::SmallVector<char, 0> bytes;
  uint64_t zeros = 0; ///< Behind `bytes`.
};

} // namespace lld::cuda

#endif
