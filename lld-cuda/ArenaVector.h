//===- ArenaVector.h - Vectors in a link's arena ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A vector whose elements are in an arena of the link (LinkMemory.h) and are
/// freed with it. Function, OutputSection and InfoRecords keep their lists of
/// callees, relocations and records in such vectors. A list usually has one
/// element or three, so on the heap these lists would be most of the link's
/// allocations. When a list grows, its old memory isn't reused; all that is
/// lost so is less than the list's final size.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_ARENAVECTOR_H
#define LLD_CUDA_ARENAVECTOR_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/ErrorHandling.h"
#include <algorithm>
#include <cassert>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

namespace lld::cuda {

/// Can't be copied, since a copy would share its elements. The arena must
/// outlive it, and must be the same in all calls. It is anything with a member
/// function template Allocate<T>(count).
template <typename T> class ArenaVector {
  static_assert(std::is_trivially_copyable_v<T> &&
                std::is_trivially_destructible_v<T>);

public:
  ArenaVector() = default;
  ArenaVector(const ArenaVector &) = delete;
  ArenaVector &operator=(const ArenaVector &) = delete;

  template <typename Arena> void push_back(Arena &arena, const T &element) {
    if (count == capacity) {
      // `element` may refer to one in the list.
      const T copy = element;
      grow(arena, 1);
      new (static_cast<void *>(first + count++)) T(copy);
      return;
    }
    new (static_cast<void *>(first + count++)) T(element);
  }
  /// `more` must not refer to elements of this list.
  template <typename Arena> void append(Arena &arena, llvm::ArrayRef<T> more) {
    if (more.size() > capacity - count)
      grow(arena, more.size());
    std::uninitialized_copy(more.begin(), more.end(), first + count);
    count += more.size();
  }
  /// Makes room for `more` elements if the list is full.
  template <typename Arena> void makeRoom(Arena &arena, size_t more) {
    if (count == capacity)
      grow(arena, more);
  }
  void clear() { count = 0; }
  void swap(ArenaVector &other) {
    std::swap(first, other.first);
    std::swap(count, other.count);
    std::swap(capacity, other.capacity);
  }

  bool empty() const { return count == 0; }
  size_t size() const { return count; }
  const T &operator[](size_t i) const {
    assert(i < count);
    return first[i];
  }
  const T *begin() const { return first; }
  const T *end() const { return first + count; }
  operator llvm::ArrayRef<T>() const { return {first, count}; }
  /// Returns the elements, for changing them.
  llvm::MutableArrayRef<T> elements() { return {first, count}; }

private:
  /// Apart, as most calls find room.
  template <typename Arena>
  [[gnu::noinline]] void grow(Arena &arena, size_t more) {
    const size_t needed = capacity + std::max<size_t>(more, capacity);
    if (needed > UINT32_MAX)
      llvm::report_bad_alloc_error("a list of more than 2^32 elements");
    capacity = needed;
    T *larger = arena.template Allocate<T>(capacity);
    std::uninitialized_copy(begin(), end(), larger);
    first = larger;
  }

  T *first = nullptr;
  uint32_t count = 0, capacity = 0;
};

} // namespace lld::cuda

#endif
