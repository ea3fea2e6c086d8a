//===- PruneCubin.h - Removes kernels from a cubin --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The removal of kernels and debug information from a cubin. PruneFatbin.cpp
/// and PruneFile.cpp call pruneCubin() for each cubin that they find in a file.
/// With a kernel are removed its code, constants, shared memory, attributes,
/// relocations, edges, symbols, and the Mercury twins of these. (From sm_100 on
/// a cubin holds its code twice: native code, and NVIDIA's "Mercury" form.) A
/// kernel that remaining code refers to (it launches it) is kept.
/// In a linked cubin, functions that nothing else refers to are removed. In an
/// object all functions are kept, since other objects may call them; the device
/// link leaves out what is never called. Variables are kept.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_CUBIN_PRUNE_PRUNECUBIN_H
#define LLD_CUDA_CUBIN_PRUNE_PRUNECUBIN_H

#include "KernelFilter.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>

namespace lld::cuda {

/// What is removed from each cubin.
struct CubinSelection {
  KernelFilter kernels;
  bool dropsDebug = false;
  bool empty() const { return kernels.empty() && !dropsDebug; }
};

struct PrunedCubin {
  llvm::SmallVector<char, 0> bytes;
  unsigned kernelsDropped = 0;
};

/// Returns the smaller cubin, or nullopt if nothing is removed. The result has
/// been read again and compared, name by name, with what should remain; a
/// difference is an error.
llvm::Expected<std::optional<PrunedCubin>>
pruneCubin(llvm::StringRef data, const CubinSelection &selection);

} // namespace lld::cuda

#endif
