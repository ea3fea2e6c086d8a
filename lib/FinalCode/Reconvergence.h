//===- Reconvergence.h - NOPs where threads reconverge ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Functions that find the NOPs which code has or lacks where threads of a warp
/// meet again. CodeEdit.cpp calls one of them when a final link plans a
/// function's edit, as the rules of the release ask for it.
/// Since 13.2.86 ptxas writes a NOP before each BSYNC at which threads meet
/// again (rule [code-nop-before-bsync] of docs/reference), and one after each
/// BREAK.RELIABLE that ends its block [code-nop-after-break]:
///      BREAK.RELIABLE B1      // Leaves B1, and goes on with the next block,
///      NOP                    // to which others branch.
///   L: NOP
///      BSYNC.RECONVERGENT B0
/// nvlink inserts them in code of an older ptxas. That hardware needs them is a
/// guess, so they aren't left out.
/// nvlink up to 13.2.78 doesn't know these NOPs, and removes those that belong
/// to one instruction of the Mercury form with the BSYNC or BREAK. (From sm_100
/// on a cubin holds its code twice: native code, and this form, from which
/// nvlink makes native code anew.)
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_LIB_FINALCODE_RECONVERGENCE_H
#define LLD_CUDA_LIB_FINALCODE_RECONVERGENCE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <vector>

namespace lld::cuda {

struct FinalizerOptions;

/// Indices of the instructions that lack a NOP before or after them, in
/// ascending order.
struct MissingNops {
  std::vector<uint32_t> before, after;

  bool any() const { return !before.empty() || !after.empty(); }
};

/// Finds those of the first `used` instructions that lack their NOP. `capmerc`
/// is the code's .nv.capmerc.text section; fails as readCapmercText() does.
llvm::Error findMissingNops(llvm::ArrayRef<uint8_t> code, uint32_t used,
                            llvm::ArrayRef<uint8_t> capmerc,
                            const FinalizerOptions &options,
                            MissingNops &missing);

/// Finds the indices of the NOPs among the first `used` instructions that
/// belong to one Mercury instruction with their BSYNC or BREAK. Fails as
/// readCapmercText() does.
llvm::Error findJoinedNops(llvm::ArrayRef<uint8_t> code, uint32_t used,
                           llvm::ArrayRef<uint8_t> capmerc,
                           std::vector<uint32_t> &nops);

} // namespace lld::cuda

#endif
