//===- LiveRegisters.h - Liveness analysis of registers ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Liveness analysis: which registers are live at the end of each basic block
/// of a function. AdditionSchedule.cpp and Fp64Schedule.cpp ask when they set a
/// block's stalls anew, since results that later blocks read must be there when
/// the block ends.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_LIB_RESCHEDULE_LIVEREGISTERS_H
#define LLD_CUDA_LIB_RESCHEDULE_LIVEREGISTERS_H

#include "IssueDistances.h"
#include "lld-cuda/Sass/ControlFlow.h"
#include "llvm/ADT/ArrayRef.h"
#include <vector>

namespace lld::cuda::scoreboards {

/// Returns the registers that are live at the end of each block, indexed by
/// block. `insts` are all instructions of the function. Callers, callees and
/// targets of jumps through tables are assumed to read all registers.
std::vector<RegisterSet> findLiveOut(const ControlFlow &flow,
                                     llvm::ArrayRef<TimedInstruction> insts);

} // namespace lld::cuda::scoreboards

#endif
