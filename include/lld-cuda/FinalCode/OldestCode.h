//===- OldestCode.h - Code of CUDA 12 as CUDA 13 writes it ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// nvlink of CUDA 13 makes Mercury code of version 1.0, that of CUDA 12.9, anew
/// as its own compiler would write it [mercury12-code]. CodeEdit inserts and
/// removes instructions; here is what changes in place.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_FINALCODE_OLDESTCODE_H
#define LLD_CUDA_FINALCODE_OLDESTCODE_H

#include "llvm/ADT/ArrayRef.h"
#include <cstdint>

namespace lld::cuda {

/// Changes the code of a function after its edit. `shortened`: indices of the
/// instructions before which an edit has removed one.
void renewOldestCode(llvm::MutableArrayRef<uint8_t> code,
                     llvm::ArrayRef<uint32_t> shortened);

} // namespace lld::cuda

#endif
