//===- AdditionSchedule.h - Sums of two numbers on sm_120 -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// ptxas 13.0 adds two numbers with IADD3, whose third operand is RZ. Later
/// ones have IADD for that on sm_120 and sm_121, which another unit executes,
/// and nvlink since 13.1 makes code of 13.0 the same way. So the stalls around
/// it change, and with them who lets others come first and which operands are
/// kept [code-additions].
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_LIB_RESCHEDULE_ADDITIONSCHEDULE_H
#define LLD_CUDA_LIB_RESCHEDULE_ADDITIONSCHEDULE_H

#include "Scoreboards.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"
#include <optional>

namespace lld::cuda {

/// Whether an instruction is an IADD3 that adds two numbers.
bool isAddition(const sass::Instruction &inst);
/// Whether an addition takes a carry in: IADD3.X and IADD.X.
bool takesCarry(const sass::Instruction &inst);

/// The code of a function of ptxas 13.0 for sm_120 with IADD for all additions,
/// scheduled anew, with the scoreboards `fields`. Nothing if there is an
/// instruction that isn't known.
std::optional<std::vector<sass::Instruction>>
scheduleAdditions(llvm::ArrayRef<sass::Instruction> code,
                  llvm::ArrayRef<ScoreboardFields> fields);

/// The .nv.capmerc.text section of code in which IADD stands for every addition
/// of two numbers; `code` is the old code. Fails as readCapmercText() does.
llvm::Expected<llvm::SmallVector<uint8_t, 0>>
addAdditionRecords(llvm::ArrayRef<uint8_t> code,
                   llvm::ArrayRef<uint8_t> section);

} // namespace lld::cuda

#endif
