//===- NamePatterns.h - Names with '*' in lists -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Two lists of names have patterns in them: what host code refers to, and
/// --kernels-used. In both '*' is any run of characters and nothing else is
/// special, but a name of --kernels-used may stand anywhere in a kernel's.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_INPUT_NAMEPATTERNS_H
#define LLD_CUDA_INPUT_NAMEPATTERNS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/CachedHashString.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <set>
#include <string>

namespace lld::cuda {

/// Patterns in which '*' is any run of characters, anchored at both ends
/// [host-references].
///
/// nvcc names a kernel by its mangled name up to the parameters and a '*', so
/// there are as many patterns as kernels. They are found by the text before
/// the first '*'; few different lengths of it occur.
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

/// Whether one of the patterns occurs in the name [kernels-used].
bool matchesKernelFilter(llvm::StringRef name,
                         llvm::ArrayRef<std::string> patterns);

} // namespace lld::cuda

#endif
