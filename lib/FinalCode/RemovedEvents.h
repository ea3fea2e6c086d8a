//===- RemovedEvents.h - Events of what an edit removes ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// When the finalizer removes the MEMBARs of a fence, nobody has to wait for
/// their scoreboards any more. CodeEdit.cpp calls it before it schedules a
/// function of sm_100 for sm_103; it writes other functions with all waits that
/// they had.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_LIB_FINALCODE_REMOVEDEVENTS_H
#define LLD_CUDA_LIB_FINALCODE_REMOVEDEVENTS_H

#include "llvm/ADT/ArrayRef.h"
#include <vector>

namespace lld::cuda {

/// The code in which nobody waits for the events of MEMBARs that go: the next
/// instruction did. `removed`: their indices; none is the last instruction.
std::vector<uint8_t> dropRemovedEvents(llvm::ArrayRef<uint8_t> code,
                                       llvm::ArrayRef<uint32_t> removed);

} // namespace lld::cuda

#endif
