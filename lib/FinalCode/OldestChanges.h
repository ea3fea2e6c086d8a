//===- OldestChanges.h - Changes in Mercury code of CUDA 12 -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A function that finds what must change in Mercury code of version 1.0, which
/// compilers of CUDA 12 wrote (rule [mercury12-code] of docs/reference). From
/// sm_100 on a cubin holds its code twice: native code, and NVIDIA's "Mercury"
/// form, the capsule from which nvlink makes native code anew. CodeEdit.cpp
/// calls it for functions of that version when a final link plans a function's
/// edit.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_LIB_FINALCODE_OLDESTCHANGES_H
#define LLD_CUDA_LIB_FINALCODE_OLDESTCHANGES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <vector>

namespace lld::cuda {

/// Finds, among the first `used` instructions of `code`, the `fences` of a CTA
/// that have a record of their own and no predicate, which get a NOP; and the
/// barriers of a warp (`syncs`) whose record includes a NOP, which is removed.
/// `capmerc` is the code's .nv.capmerc.text section. Both lists are indices in
/// ascending order. Fails as readCapmercText() does.
llvm::Error findOldestChanges(llvm::ArrayRef<uint8_t> code, uint32_t used,
                              llvm::ArrayRef<uint8_t> capmerc,
                              std::vector<uint32_t> &fences,
                              std::vector<uint32_t> &syncs);

} // namespace lld::cuda

#endif
