//===- LiveRegisters.h - What is read after a block -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Which registers are read after each block of a function before they are
/// written.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_LIB_RESCHEDULE_LIVEREGISTERS_H
#define LLD_CUDA_LIB_RESCHEDULE_LIVEREGISTERS_H

#include "IssueDistances.h"
#include "lld-cuda/Sass/ControlFlow.h"
#include "llvm/ADT/ArrayRef.h"
#include <vector>

namespace lld::cuda::scoreboards {

/// By block. Whoever calls, is called, or is jumped to through a table may read
/// all.
std::vector<RegisterSet> findLiveOut(const ControlFlow &flow,
                                     llvm::ArrayRef<TimedInstruction> insts);

} // namespace lld::cuda::scoreboards

#endif
