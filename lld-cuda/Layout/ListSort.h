//===- ListSort.h - nvlink's sort of lists ----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The sort function for variables and texture slots that get their addresses
/// in sorted order. LayoutShared.cpp, LayoutTextures.cpp and
/// LayoutUserConstants.cpp call it when they lay out memory. It is nvlink's
/// algorithm: a merge sort that splits a list into the elements at even and
/// those at odd positions, and reverses both halves. It is not stable, so the
/// order of equal elements, and thereby their addresses, depends on the
/// algorithm (rule [list-sort] of docs/reference).
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_LAYOUT_LISTSORT_H
#define LLD_CUDA_LAYOUT_LISTSORT_H

#include <cstddef>
#include <vector>

namespace lld::cuda {

/// Sorts `list` as nvlink does. takeFirst(a, b) returns whether `a`, from the
/// even half, comes before `b`, from the odd half. Takes O(n log n) time, with
/// a recursion depth of log2(n).
template <typename T, typename TakeFirst>
void sortLikeNvlink(std::vector<T> &list, TakeFirst takeFirst) {
  const size_t n = list.size();
  if (n <= 1)
    return;
  std::vector<T> even, odd;
  even.reserve((n + 1) / 2);
  odd.reserve(n / 2);
  for (size_t i = n; i-- != 0;)
    (i & 1 ? odd : even).push_back(list[i]);
  sortLikeNvlink(even, takeFirst);
  sortLikeNvlink(odd, takeFirst);
  size_t a = 0, b = 0, out = 0;
  while (a != even.size() && b != odd.size())
    list[out++] = takeFirst(even[a], odd[b]) ? even[a++] : odd[b++];
  while (a != even.size())
    list[out++] = even[a++];
  while (b != odd.size())
    list[out++] = odd[b++];
}

/// Puts larger variables first. The order of module-level shared variables.
template <typename T> bool bySize(const T &a, const T &b) {
  return a.size > b.size;
}

/// Puts larger alignments first, and smaller sizes first among equal ones. The
/// order of all other lists.
template <typename T> bool byAlignment(const T &a, const T &b) {
  return a.align != b.align ? a.align > b.align : a.size <= b.size;
}

} // namespace lld::cuda

#endif
