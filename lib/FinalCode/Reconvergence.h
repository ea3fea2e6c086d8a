//===- Reconvergence.h - NOPs where threads meet again ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Since 13.2.86 ptxas writes a NOP before each BSYNC at which threads meet
/// again [code-nop-before-bsync], and one after each BREAK.RELIABLE that ends
/// its block [code-nop-after-break]:
///
///      BREAK.RELIABLE B1      // Leaves B1, and goes on with the next block,
///      NOP                    // to which others branch.
///   L: NOP
///      BSYNC.RECONVERGENT B0
///
/// nvlink gives them to code of an older ptxas. That hardware needs them is a
/// guess, so they aren't left out.
///
/// nvlink up to 13.2.78 doesn't know these NOPs, and takes out those that the
/// Mercury form has as one with their instruction.
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

/// Indices of instructions, in order.
struct MissingNops {
  std::vector<uint32_t> before, after;

  bool any() const { return !before.empty() || !after.empty(); }
};

/// Finds out which of the first `used` instructions lack their NOP. `capmerc`
/// is the code's .nv.capmerc.text section; fails as readCapmercText() does.
llvm::Error findMissingNops(llvm::ArrayRef<uint8_t> code, uint32_t used,
                            llvm::ArrayRef<uint8_t> capmerc,
                            const FinalizerOptions &options,
                            MissingNops &missing);

/// Finds the NOPs among the first `used` instructions that are one with their
/// BSYNC or BREAK. Fails as readCapmercText() does.
llvm::Error findJoinedNops(llvm::ArrayRef<uint8_t> code, uint32_t used,
                           llvm::ArrayRef<uint8_t> capmerc,
                           std::vector<uint32_t> &nops);

} // namespace lld::cuda

#endif
