//===- NamePatterns.h - Lists of names that host code refers to -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_NAMEPATTERNS_H
#define LLD_CUDA_NAMEPATTERNS_H

#include "llvm/ADT/CachedHashString.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <set>

namespace lld::cuda {

/// Patterns in which '*' is any run of characters, anchored at both ends (spec:
/// inputs, section 7.1).
///
/// nvcc names a kernel by its mangled name up to the parameters and a '*', so
/// there are as many patterns as kernels. They are found by the text in front
/// of the first '*'; few different lengths of it occur.
class NamePatterns {
public:
  /// A list with NULs between its names.
  void add(llvm::StringRef list);
  bool matches(llvm::StringRef name) const;
  bool empty() const { return exact.empty() && globsByPrefix.empty(); }

private:
  llvm::DenseSet<llvm::CachedHashStringRef> exact;
  llvm::DenseMap<llvm::CachedHashStringRef,
                 llvm::SmallVector<llvm::StringRef, 1>>
      globsByPrefix;
  std::set<size_t> prefixLengths;
};

} // namespace lld::cuda

#endif
