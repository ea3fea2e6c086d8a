//===- Reschedule.h - Entry point of lib/Reschedule -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The only entry point of the optional component lib/Reschedule, which
/// schedules functions as nvlink does. The linker's driver calls
/// getRescheduler() to know whether this build supports --reschedule; the
/// linker's Finalizer.cpp calls it when a link requests rescheduling and
/// functions are finalized.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_RESCHEDULE_RESCHEDULE_H
#define LLD_CUDA_RESCHEDULE_RESCHEDULE_H

#include "lld-cuda/FinalCode/Rescheduler.h"

namespace lld::cuda {

/// Returns the rescheduler, which lives until the program ends; null in a build
/// with -DLLDCUDA_RESCHEDULE=OFF.
const Rescheduler *getRescheduler();

} // namespace lld::cuda

#endif
