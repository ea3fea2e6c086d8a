//===- Replacement.h - A piece of a change to a file ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// One piece of a change to a file: a range of bytes and what replaces it.
/// cubin-prune describes by lists of them how archives (ArchiveEdit.h) and
/// Windows programs (PeFile.h) change, before it writes the new file.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_SUPPORT_REPLACEMENT_H
#define LLD_CUDA_SUPPORT_REPLACEMENT_H

#include "llvm/ADT/SmallVector.h"
#include <cstdint>

namespace lld::cuda {

/// A range of a file's bytes, and the bytes that replace it.
struct Replacement {
  uint64_t offset, size; ///< The range in the old file, in bytes.
  llvm::SmallVector<char, 0> bytes;
  uint64_t zeros = 0; ///< How many zero bytes follow `bytes`.
};

} // namespace lld::cuda

#endif
