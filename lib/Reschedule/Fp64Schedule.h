//===- Fp64Schedule.h - Optimized code of sm_100 on sm_103 ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The schedule of optimized code for sm_100 that is linked for sm_103, whose
/// FP64 unit is slower. Reschedule.cpp calls it, through the Rescheduler
/// interface, when CodeEdit.cpp plans the edit of such a function;
/// SerialCode.cpp schedules unoptimized code. The result is what ptxas makes of
/// the code for sm_103 (docs/reference/scoreboards.md, "FP64 on sm_103"; by
/// later releases, rule [scoreboards-fp64-order] there):
/// * FP64 arithmetic gets scoreboards for its results and sources.
/// * Up to 13.3, instructions for the FP64 unit, with conversions of 64 bits,
///   that are in one block issue 64 cycles after each other: the one before the
///   second stalls for 15 cycles, then NOPs for the rest.
/// * An instruction that stalled until an FP64 result was there doesn't stall
///   any more.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_LIB_RESCHEDULE_FP64SCHEDULE_H
#define LLD_CUDA_LIB_RESCHEDULE_FP64SCHEDULE_H

#include "lld-cuda/FinalCode/Fp64Schedule.h"

namespace lld::cuda {

/// Schedules the code of a function of sm_100 for sm_103, as nvlink does.
/// Returns nullopt if it isn't known what nvlink does with such code.
std::optional<Fp64Schedule> scheduleFp64Code(llvm::ArrayRef<uint8_t> code,
                                             const Fp64Rules &rules);

} // namespace lld::cuda

#endif
