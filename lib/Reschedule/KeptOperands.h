//===- KeptOperands.h - Scheduling bits for yield and reuse -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Functions that set the scheduling bits which follow from stalls: bit 109 of
/// an instruction, which is clear if other warps may issue first, and bits 122
/// to 124, which say which of its source registers are kept in the reuse
/// cache for an instruction that reads the same register as the same operand.
/// The cache has one place for each operand and each of the two banks of
/// registers, the even and the odd ones; a warp that issues in between takes
/// all places.
/// The schedulers of this folder (AdditionSchedule.cpp, Fp64Schedule.cpp,
/// Fp64Delays.cpp) call them when they have changed a block's stalls.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_LIB_RESCHEDULE_KEPTOPERANDS_H
#define LLD_CUDA_LIB_RESCHEDULE_KEPTOPERANDS_H

#include "lld-cuda/Sass/Code.h"
#include "llvm/ADT/ArrayRef.h"

namespace lld::cuda::scoreboards {

/// Sets the stall of an instruction in cycles, and with it whether other warps
/// may issue first: an instruction of variable latency lets them if it stalls
/// for long.
void setStall(sass::Instruction &inst, unsigned stall);

/// Sets bit 109 of instructions of fixed latency in a block whose stalls have
/// changed: they let other warps issue first if they stall for more than 2
/// cycles, or for 2 when none has done so for 10 cycles. `old` is the block
/// before the change.
void setYields(llvm::ArrayRef<sass::Instruction> old,
               llvm::MutableArrayRef<sass::Instruction> code);

/// Sets bits 122 to 124 in a block of sm_120 whose schedule has changed. `old`
/// is the block before the change. A bit of `old` that the rules don't explain
/// is kept.
void keepOperands(llvm::ArrayRef<sass::Instruction> old,
                  llvm::MutableArrayRef<sass::Instruction> code);

} // namespace lld::cuda::scoreboards

#endif
