//===- PruneCubin.h - A cubin with less in it -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Kernels and debug information are taken out of cubins.
///
/// A kernel goes with its code, constants, shared memory, attributes,
/// relocations, edges, symbols, and the Mercury twins of these. One that code
/// which stays refers to (it launches it) stays.
///
/// In a linked cubin, functions go that nothing else refers to. In an object
/// all functions stay, since other objects may call them; the device link
/// leaves out what nobody calls. Variables stay.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_CUBIN_PRUNE_PRUNECUBIN_H
#define LLD_CUDA_CUBIN_PRUNE_PRUNECUBIN_H

#include "KernelFilter.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>

namespace lld::cuda {

struct CubinSelection {
  KernelFilter kernels;
  bool dropsDebug = false;
  bool empty() const { return kernels.empty() && !dropsDebug; }
};

struct PrunedCubin {
  llvm::SmallVector<char, 0> bytes;
  unsigned kernelsDropped = 0;
};

/// None if all of it stays. What comes back has been read again and compared,
/// name by name, with what should stay.
llvm::Expected<std::optional<PrunedCubin>>
pruneCubin(llvm::StringRef data, const CubinSelection &selection);

} // namespace lld::cuda

#endif
