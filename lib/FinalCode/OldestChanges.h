//===- OldestChanges.h - What goes from and into code of CUDA 12 -- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Finds what must change in Mercury code of version 1.0, which compilers of
/// CUDA 12 wrote. CodeEdit.cpp calls it for such functions when it makes the
/// list of edits.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_LIB_FINALCODE_OLDESTCHANGES_H
#define LLD_CUDA_LIB_FINALCODE_OLDESTCHANGES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <vector>

namespace lld::cuda {

/// In code of version 1.0 [mercury12-code]: fences of the CTA with a record of
/// their own, and no predicate, which get a NOP; barriers of a warp with a NOP
/// in their record, which goes. Both lists are in order.
llvm::Error findOldestChanges(llvm::ArrayRef<uint8_t> code, uint32_t used,
                              llvm::ArrayRef<uint8_t> capmerc,
                              std::vector<uint32_t> &fences,
                              std::vector<uint32_t> &syncs);

} // namespace lld::cuda

#endif
