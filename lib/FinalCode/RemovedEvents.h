//===- RemovedEvents.h - Events of what an edit removes ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// One edit of the finalizer's: when the place holders of a fence are removed,
/// nobody waits for their scoreboards any more. CodeEdit.cpp calls it when it
/// writes a function's code without them.
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
