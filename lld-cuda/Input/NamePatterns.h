//===- NamePatterns.h - Patterns of symbol names ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Matching of symbol names against patterns: those in the lists of what host
/// code refers to, and those of --kernels-used. When a link selects what it
/// keeps, Analysis/MarkReachable.cpp and Input/LazyMembers.cpp and others ask
/// whether a name is listed.
///
/// In both lists '*' stands for any run of characters, and nothing else is
/// special. A pattern of --kernels-used may match anywhere in a kernel's name;
/// one of host code must match the whole name.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_INPUT_NAMEPATTERNS_H
#define LLD_CUDA_INPUT_NAMEPATTERNS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/CachedHashString.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <set>
#include <string>

namespace lld::cuda {

/// A set of patterns that must match whole names (rule [host-references] of
/// docs/reference). Refers to the lists, which must outlive it.
///
/// nvcc names a kernel by its mangled name up to the parameters and a '*', so
/// there are as many patterns as kernels. They are found by the text before
/// the first '*'; few different lengths of it occur.
class NamePatterns {
public:
  /// Adds a list of patterns that are separated by NULs.
  void add(llvm::StringRef list);
  bool matches(llvm::StringRef name) const;
  bool empty() const { return exact.empty() && globsByPrefix.empty(); }

private:
  llvm::DenseSet<llvm::CachedHashStringRef> exact;
  llvm::MapVector<llvm::CachedHashStringRef,
                  llvm::SmallVector<llvm::StringRef, 1>>
      globsByPrefix;
  std::set<size_t> prefixLengths;
};

/// Returns whether one of the patterns matches a part of the name
/// [kernels-used].
bool matchesKernelFilter(llvm::StringRef name,
                         llvm::ArrayRef<std::string> patterns);

} // namespace lld::cuda

#endif
