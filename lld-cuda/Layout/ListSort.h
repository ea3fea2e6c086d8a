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

#include <algorithm>
#include <cstddef>
#include <type_traits>
#include <vector>

namespace lld::cuda {

/// Sorts the `n` elements of `list`. There is room for as many at `other`.
template <typename T, typename TakeFirst>
void sortLikeNvlink(T *list, T *other, size_t n, TakeFirst takeFirst) {
  if (n <= 1)
    return;
  const size_t middle = (n + 1) / 2;
  T *even = other, *odd = other + middle;
  for (size_t i = n; i-- != 0;)
    *(i & 1 ? odd : even)++ = list[i];
  sortLikeNvlink(other, list, middle, takeFirst);
  sortLikeNvlink(other + middle, list + middle, n - middle, takeFirst);
  const T *const evenEnd = other + middle, *const oddEnd = other + n;
  even = other;
  odd = other + middle;
  while (even != evenEnd && odd != oddEnd)
    *list++ = takeFirst(*even, *odd) ? *even++ : *odd++;
  list = std::copy<const T *>(even, evenEnd, list);
  std::copy<const T *>(odd, oddEnd, list);
}

/// Sorts `list` as nvlink does. takeFirst(a, b) returns whether `a`, from the
/// even half, comes before `b`, from the odd half. Takes O(n log n) time, with
/// a recursion depth of log2(n).
template <typename T, typename TakeFirst>
void sortLikeNvlink(std::vector<T> &list, TakeFirst takeFirst) {
  static_assert(
      std::is_trivially_copyable_v<T>); // Each is moved log2(n) times.
  if (list.size() <= 1)
    return;
  std::vector<T> other(list);
  sortLikeNvlink(list.data(), other.data(), list.size(), takeFirst);
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
