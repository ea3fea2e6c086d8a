//===- AdditionSchedule.h - IADD for IADD3 on sm_120 ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Functions that replace additions of two numbers in code of ptxas 13.0 for
/// sm_120 and sm_121, and schedule the code anew. ptxas 13.0 adds two numbers
/// with IADD3, whose third operand is RZ; later ones have IADD for that, which
/// another unit executes, and nvlink since 13.1 also replaces IADD3 by IADD in
/// code of 13.0. OlderCode.cpp calls them for each such function of a final
/// link, before the function's code edit (rule [code-additions] of
/// docs/reference).
/// The stalls around an IADD change, and with them the bits that let other
/// warps issue first and those that keep operands.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_LIB_RESCHEDULE_ADDITIONSCHEDULE_H
#define LLD_CUDA_LIB_RESCHEDULE_ADDITIONSCHEDULE_H

#include "Scoreboards.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"
#include <optional>

namespace lld::cuda {

/// Returns whether an instruction is an IADD3 that adds two numbers.
bool isAddition(const sass::Instruction &inst);
/// Returns whether an addition takes a carry in: IADD3.X and IADD.X.
bool takesCarry(const sass::Instruction &inst);

/// Returns the code of a function of ptxas 13.0 for sm_120 with IADD for all
/// additions, scheduled anew, with the scoreboards `fields`, one for each
/// instruction. Returns nullopt if `code` has an instruction that isn't known.
std::optional<std::vector<sass::Instruction>>
scheduleAdditions(llvm::ArrayRef<sass::Instruction> code,
                  llvm::ArrayRef<ScoreboardFields> fields);

/// Returns the .nv.capmerc.text section (one record for each instruction that
/// needs one) of code in which IADD replaces every addition of two numbers.
/// `code` is the old code and `section` its section. Fails as
/// readCapmercText() does.
llvm::Expected<llvm::SmallVector<uint8_t, 0>>
addAdditionRecords(llvm::ArrayRef<uint8_t> code,
                   llvm::ArrayRef<uint8_t> section);

} // namespace lld::cuda

#endif
