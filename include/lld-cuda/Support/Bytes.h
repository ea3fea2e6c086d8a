//===- Bytes.h - What is being written --------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The buffer that writers of fatbins, host objects and shortened files append
/// to and return: llvm::raw_svector_ostream and llvm::SmallVectorMemoryBuffer
/// take it as it is, without a copy.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_SUPPORT_BYTES_H
#define LLD_CUDA_SUPPORT_BYTES_H

#include "llvm/ADT/SmallVector.h"

namespace lld::cuda {

using Bytes = llvm::SmallVector<char, 0>;

} // namespace lld::cuda

#endif
