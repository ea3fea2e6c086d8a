//===- KeptOperands.h - Operands kept for a later instruction ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What follows from stalls: bit 109, which is clear if others may come first,
/// and bits 122 to 124 of an instruction: which of its source registers are
/// kept for one that reads the same register as the same operand. There is one
/// place for each operand and each of the two banks of registers, that of the
/// even and that of the odd ones, and a warp that comes in between takes all.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_LIB_RESCHEDULE_KEPTOPERANDS_H
#define LLD_CUDA_LIB_RESCHEDULE_KEPTOPERANDS_H

#include "lld-cuda/Sass/Code.h"
#include "llvm/ADT/ArrayRef.h"

namespace lld::cuda::scoreboards {

/// Sets the stall of an instruction, and whether others may come first: those
/// of variable latency let them if they stall for long.
void setStall(sass::Instruction &inst, unsigned stall);

/// Lets instructions of fixed latency yield, in a block whose stalls have
/// changed: if they stall for more than 2 cycles, or for 2 when nobody has for
/// 10.
void setYields(llvm::ArrayRef<sass::Instruction> old,
               llvm::MutableArrayRef<sass::Instruction> code);

/// Sets the bits in a block of sm_120 whose schedule has changed. `old` is the
/// block before. A bit of it that the rules don't explain stays as it is.
void keepOperands(llvm::ArrayRef<sass::Instruction> old,
                  llvm::MutableArrayRef<sass::Instruction> code);

} // namespace lld::cuda::scoreboards

#endif
