//===- ExitBarriers.h - Error barriers before EXITs -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// An EXIT of code for debugging has an error barrier in front, guarded by the
/// EXIT's predicate: MEMBAR, ERRBAR, CGAERRBAR. The Mercury form has one
/// instruction for all four [mercury-code-edits].
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_LIB_FINALCODE_EXITBARRIERS_H
#define LLD_CUDA_LIB_FINALCODE_EXITBARRIERS_H

#include "lld-cuda/Sass/Code.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <vector>

namespace lld::cuda {

/// How many instructions a whole barrier has.
constexpr unsigned ExitBarrierSize = 3;

/// Whether the instructions before the EXIT are a whole barrier.
bool hasExitBarrier(llvm::ArrayRef<uint8_t> code, uint32_t exit);

/// Finds the instructions of all barriers among the first `used` ones, whole
/// or without their MEMBAR, that are one with their EXIT. Fails as
/// readCapmercText() does.
llvm::Error findExitBarriers(llvm::ArrayRef<uint8_t> code, uint32_t used,
                             llvm::ArrayRef<uint8_t> capmerc,
                             std::vector<uint32_t> &barriers);

/// Writes the last `inserted` instructions of a barrier to `out`, which then is
/// behind them, and returns `exit` as it has to be after them. `early` are
/// those of its waits that come first, right after the fence; `stall` is for
/// the last instruction.
sass::Instruction writeExitBarrier(sass::Instruction exit, unsigned inserted,
                                   uint64_t early, unsigned stall,
                                   uint8_t *&out);

/// Of what takes a variable time, or of an instruction of fixed latency.
void setStallOf(sass::Instruction &inst, bool isFixed, unsigned stall);

} // namespace lld::cuda

#endif
