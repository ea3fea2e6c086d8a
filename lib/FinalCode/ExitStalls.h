//===- ExitStalls.h - Stalls before an EXIT with a barrier ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Functions that divide the stall before an EXIT in two, and join the parts
/// again. An EXIT with a guard and a second condition stalls until both are
/// there. An error barrier before the EXIT (ExitBarriers.h) needs only the
/// guard, so the rest of the stall moves to the barrier's last instruction.
/// CodeEdit.cpp calls them when the edit of a function inserts or removes such
/// a barrier (rule [scoreboards-exit-stalls] of docs/reference). Stalls are in
/// cycles.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_LIB_FINALCODE_EXITSTALLS_H
#define LLD_CUDA_LIB_FINALCODE_EXITSTALLS_H

#include "lld-cuda/Sass/Code.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace lld::cuda {

/// The least stall of a barrier's last instruction.
constexpr unsigned ShortestBarrierStall = 6;

/// The two parts of a stall that was divided.
struct ExitStalls {
  unsigned before;  ///< The stall of the instruction before the barrier.
  unsigned barrier; ///< The stall of the barrier's last instruction.
};

/// Divides the stall. `at` returns an instruction of the code without the
/// barrier; `exit` is the EXIT's index there; `shortest` is the least stall of
/// the instruction before the barrier.
ExitStalls divideExitStall(llvm::function_ref<sass::Instruction(uint32_t)> at,
                           uint32_t exit, unsigned shortest);

/// The reverse of divideExitStall(): returns the stall of the instruction
/// before the EXIT when the barrier is removed.
unsigned joinExitStall(llvm::function_ref<sass::Instruction(uint32_t)> at,
                       uint32_t exit, unsigned shortest);

} // namespace lld::cuda

#endif
