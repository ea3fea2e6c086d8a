//===- SelfMoves.h - Moves of a register to itself --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A function that finds moves of a register to itself. Where two registers are
/// joined into a pair and one of them is in its place already, compilers up to
/// 13.2 move it to itself. Later ones don't, and nvlink since 13.3 drops such
/// moves of older code (rule [code-self-moves] of docs/reference). CodeEdit.cpp
/// calls it when a final link plans a function's edit.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_LIB_FINALCODE_SELFMOVES_H
#define LLD_CUDA_LIB_FINALCODE_SELFMOVES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <vector>

namespace lld::cuda {

/// Finds the indices of these moves among the first `used` instructions, in
/// ascending order. `capmerc` is the code's .nv.capmerc.text section. Fails as
/// readCapmercText() does.
llvm::Error findSelfMoves(llvm::ArrayRef<uint8_t> code, uint32_t used,
                          llvm::ArrayRef<uint8_t> capmerc,
                          std::vector<uint32_t> &moves);

} // namespace lld::cuda

#endif
