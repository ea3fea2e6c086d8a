//===- RemovedEvents.h - Drops waits for removed instructions ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A function that drops waits for instructions which a link removes. When it
/// removes the MEMBARs of a fence, no instruction has to wait for their
/// scoreboards any more. CodeEdit.cpp calls it before it schedules a function
/// of sm_100 for sm_103, because the scheduler reads the waits. Functions for
/// other targets keep all waits that they had.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_LIB_FINALCODE_REMOVEDEVENTS_H
#define LLD_CUDA_LIB_FINALCODE_REMOVEDEVENTS_H

#include "llvm/ADT/ArrayRef.h"
#include <vector>

namespace lld::cuda {

/// Returns a copy of `code` in which the instructions after removed MEMBARs
/// don't wait for them. `removed` are the MEMBARs' indices; none is that of the
/// last instruction. A wait that may be for something else is kept.
std::vector<uint8_t> dropRemovedEvents(llvm::ArrayRef<uint8_t> code,
                                       llvm::ArrayRef<uint32_t> removed);

} // namespace lld::cuda

#endif
