//===- ExitStalls.h - Stalls around an error barrier ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// An EXIT with a guard and a second condition stalls for both. An error
/// barrier before it needs only the guard: what is missing for the second
/// condition then passes after the barrier.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_LIB_FINALCODE_EXITSTALLS_H
#define LLD_CUDA_LIB_FINALCODE_EXITSTALLS_H

#include "lld-cuda/Sass/Code.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace lld::cuda {

/// What the last instruction of a barrier stalls for at least.
constexpr unsigned ShortestBarrierStall = 6;

struct ExitStalls {
  unsigned before;  ///< The stall of the instruction before the barrier.
  unsigned barrier; ///< The stall of the barrier's last instruction.
};

/// `at` reads the instructions as they are without the barrier. `shortest` is
/// what the instruction before the barrier stalls for at least.
ExitStalls divideExitStall(llvm::function_ref<sass::Instruction(uint32_t)> at,
                           uint32_t exit, unsigned shortest);

/// The other way round: what the instruction before the EXIT stalls for once
/// there is no barrier any more.
unsigned joinExitStall(llvm::function_ref<sass::Instruction(uint32_t)> at,
                       uint32_t exit, unsigned shortest);

} // namespace lld::cuda

#endif
