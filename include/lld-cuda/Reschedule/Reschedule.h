//===- Reschedule.h - The door to lib/Reschedule ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The door to lib/Reschedule, all that others see of it. The driver asks for
/// the rescheduler to know whether this build has --reschedule, the finalizer's
/// pass when a link asks for it.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_RESCHEDULE_RESCHEDULE_H
#define LLD_CUDA_RESCHEDULE_RESCHEDULE_H

#include "lld-cuda/FinalCode/Rescheduler.h"

namespace lld::cuda {

/// What schedules functions as nvlink does. Null in a build with
/// -DLLDCUDA_RESCHEDULE=OFF.
const Rescheduler *getRescheduler();

} // namespace lld::cuda

#endif
