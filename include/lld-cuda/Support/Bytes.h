//===- Bytes.h - Buffer for files that are written --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The type of the buffers in which files are put together and returned.
/// lib/Object uses it when it writes fatbins and host objects
/// (FatbinWriter.cpp, HostObjectWriter.cpp), cubin-prune when it writes
/// shortened files. llvm::raw_svector_ostream writes into such a buffer, and
/// llvm::SmallVectorMemoryBuffer takes one over without a copy.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_SUPPORT_BYTES_H
#define LLD_CUDA_SUPPORT_BYTES_H

#include "llvm/ADT/SmallVector.h"

namespace lld::cuda {

using Bytes = llvm::SmallVector<char, 0>;

} // namespace lld::cuda

#endif
