//===- NoReschedule.cpp - A build without rescheduling --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// All there is of this library with -DLLDCUDA_RESCHEDULE=OFF.
///
//===----------------------------------------------------------------------===//

#include "lld-cuda/Reschedule/Reschedule.h"

namespace lld::cuda {

const Rescheduler *getRescheduler() { return nullptr; }

} // namespace lld::cuda
