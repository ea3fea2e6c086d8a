//===- NameTable.h - Numbers names ------------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Gives names that come again and again (symbols, source files, libraries) a
/// number each, so that a tool's rows hold numbers instead of strings.
/// cubin-size fills one while it measures, cubin-check while it gathers facts.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_FINISHED_NAMETABLE_H
#define LLD_CUDA_FINISHED_NAMETABLE_H

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include <vector>

namespace lld::cuda {

/// Numbers strings in the order in which they are added, from 1 on.
class NameTable {
public:
  NameTable() { add(""); } ///< The empty name is number 0.
  uint32_t add(llvm::StringRef name) {
    auto [it, isNew] = indices.try_emplace(name, uint32_t(names.size()));
    if (isNew)
      names.push_back(it->first());
    return it->second;
  }
  llvm::StringRef operator[](uint32_t index) const { return names[index]; }
  size_t size() const { return names.size(); }

private:
  llvm::StringMap<uint32_t> indices;
  std::vector<llvm::StringRef> names; ///< The map's keys.
};

} // namespace lld::cuda

#endif
