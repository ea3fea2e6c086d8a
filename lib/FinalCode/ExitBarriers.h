//===- ExitBarriers.h - Error barriers before EXITs -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Functions that find and write error barriers. In code for debugging an EXIT
/// has a barrier of three instructions before it, guarded by the EXIT's
/// predicate: MEMBAR, ERRBAR, CGAERRBAR. CodeEdit.cpp calls them when a final
/// link plans and writes the edit of a function: it inserts what an EXIT lacks
/// in a link for debugging, and removes barriers in other links.
/// The Mercury form (from sm_100 on a cubin holds its code twice: native code,
/// and NVIDIA's "Mercury" form, the capsule from which nvlink makes native code
/// anew; its records are in .nv.capmerc.text) has one instruction for barrier
/// and EXIT (rule [mercury-code-edits] of docs/reference).
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

/// Number of instructions of a whole barrier.
constexpr unsigned ExitBarrierSize = 3;

/// Returns whether the instructions before the EXIT with the index `exit` are a
/// whole barrier.
bool hasExitBarrier(llvm::ArrayRef<uint8_t> code, uint32_t exit);

/// Finds the instructions of all barriers among the first `used` ones that
/// belong to one Mercury instruction with their EXIT, whole barriers or those
/// without their MEMBAR. `capmerc` is the code's .nv.capmerc.text section.
/// Fails as readCapmercText() does.
llvm::Error findExitBarriers(llvm::ArrayRef<uint8_t> code, uint32_t used,
                             llvm::ArrayRef<uint8_t> capmerc,
                             std::vector<uint32_t> &barriers);

/// Writes the last `inserted` instructions of a barrier to `out`, advances
/// `out` past them, and returns the EXIT with the waits that it still needs
/// after them. `early` is the mask of those waits of `exit` that come first,
/// right after the fence; `stall` is the stall of the last instruction in
/// cycles.
sass::Instruction writeExitBarrier(sass::Instruction exit, unsigned inserted,
                                   uint64_t early, unsigned stall,
                                   uint8_t *&out);

/// Sets the stall of an instruction of fixed or of variable latency.
void setStallOf(sass::Instruction &inst, bool isFixed, unsigned stall);

} // namespace lld::cuda

#endif
