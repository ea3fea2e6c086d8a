//===- NoReschedule.cpp - A build without rescheduling --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Takes the place of all other sources of this library in a build with
/// -DLLDCUDA_RESCHEDULE=OFF. getRescheduler() returns null there. The linker's
/// Driver.cpp asks it when --reschedule is given, which is then an error, and
/// Finalizer.cpp when functions are finalized at the end of a link: they keep
/// the schedules of their compilers.
///
//===----------------------------------------------------------------------===//

#include "lld-cuda/Reschedule/Reschedule.h"

namespace lld::cuda {

const Rescheduler *getRescheduler() { return nullptr; }

} // namespace lld::cuda
