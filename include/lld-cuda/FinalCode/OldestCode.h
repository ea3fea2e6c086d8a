//===- OldestCode.h - Changes in native code of CUDA 12 ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The changes that nvlink of CUDA 13 makes to code of CUDA 12.9, whose
/// "Mercury" form (a second form of the code that cubins hold from sm_100 on,
/// see docs/reference/mercury.md) has version 1.0: nvlink makes of it the
/// native code that the compiler of its own release would write (rule
/// [mercury12-code] of docs/reference). finalizeFunction() (FinalCode.cpp)
/// calls this at the end of a link for each such function, after CodeEdit has
/// inserted and removed instructions; here instructions are changed in place.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_FINALCODE_OLDESTCODE_H
#define LLD_CUDA_FINALCODE_OLDESTCODE_H

#include "llvm/ADT/ArrayRef.h"
#include <cstdint>

namespace lld::cuda {

/// Changes the native code of a function after its edit. `shortened`: indices
/// in `code` of the instructions before which the edit has removed one.
void renewOldestCode(llvm::MutableArrayRef<uint8_t> code,
                     llvm::ArrayRef<uint32_t> shortened);

} // namespace lld::cuda

#endif
