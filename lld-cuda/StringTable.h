//===- StringTable.h - String tables of the output -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_STRINGTABLE_H
#define LLD_CUDA_STRINGTABLE_H

#include "llvm/ADT/CachedHashString.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

namespace lld::cuda {

/// Each string once, in order of first appearance, without sharing of suffixes
/// (spec: ELF output, section 5).
class StringTable {
public:
  explicit StringTable(size_t expected) { offsets.reserve(expected); }

  uint32_t add(llvm::StringRef s) {
    auto [it, inserted] =
        offsets.try_emplace(llvm::CachedHashStringRef(s), bytes.size());
    if (inserted) {
      bytes.append(s.begin(), s.end());
      bytes.push_back('\0');
    }
    return it->second;
  }
  /// Adds the string even if it is in the table already.
  uint32_t addAgain(llvm::StringRef s) {
    uint32_t offset = bytes.size();
    bytes.append(s.begin(), s.end());
    bytes.push_back('\0');
    return offset;
  }
  void addPadding(size_t count) { bytes.append(count, '\0'); }
  llvm::ArrayRef<char> contents() const { return bytes; }

private:
  llvm::DenseMap<llvm::CachedHashStringRef, uint32_t> offsets;
  llvm::SmallVector<char, 0> bytes = llvm::SmallVector<char, 0>(1, '\0');
};

} // namespace lld::cuda

#endif
