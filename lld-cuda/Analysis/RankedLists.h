//===- RankedLists.h - Lists that kernels inherit ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The union of lists along the call graph, as Resources.cpp makes it for
/// attributes that are lists: of external functions, of languages. Where a
/// value is in several lists, the one that was read first determines its place.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_ANALYSIS_RANKEDLISTS_H
#define LLD_CUDA_ANALYSIS_RANKEDLISTS_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include <algorithm>
#include <cstdint>
#include <iterator>
#include <utility>

namespace lld::cuda {

/// Lists of values with the reading positions that order them; in a list each
/// value stands once, with its smallest position. Values have numbers, so that
/// lists are united without a search.
template <typename T> class RankedLists {
public:
  /// Positions and numbers of values.
  using List = llvm::SmallVector<std::pair<uint64_t, uint32_t>, 1>;

  uint32_t numberOf(T value) {
    // Wider than a value, as a DenseMap needs two keys for itself.
    auto [it, isNew] = numbers.try_emplace(uint64_t(value), values.size());
    if (isNew) {
      values.push_back(value);
      seenIn.push_back(0);
    }
    return it->second;
  }
  T valueOf(uint32_t number) const { return values[number]; }

  /// Begins a list. Then take() returns true once for each number.
  void begin() { ++round; }
  bool take(uint32_t number) {
    return std::exchange(seenIn[number], round) != round;
  }

  void normalize(List &list) {
    if (list.size() < 2)
      return;
    llvm::sort(list);
    begin();
    llvm::erase_if(list, [&](const auto &item) { return !take(item.second); });
  }
  void merge(List &into, const List &from) {
    if (from.empty() || from == into)
      return;
    both.clear();
    std::merge(into.begin(), into.end(), from.begin(), from.end(),
               std::back_inserter(both));
    begin();
    llvm::erase_if(both, [&](const auto &item) { return !take(item.second); });
    into.assign(both.begin(), both.end());
  }

private:
  llvm::DenseMap<uint64_t, uint32_t> numbers;
  llvm::SmallVector<T, 0> values;
  /// The last list with the value, by the value's number.
  llvm::SmallVector<uint64_t, 0> seenIn;
  uint64_t round = 0;
  List both;
};

} // namespace lld::cuda

#endif
