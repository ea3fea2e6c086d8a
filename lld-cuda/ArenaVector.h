//===- ArenaVector.h - Vectors in a link's arena ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A vector whose elements are in the link's arena (LinkMemory.h) and are freed
/// with it. Function, OutputSection and InfoRecords keep their lists of
/// callees, relocations and records in such vectors, which the merge fills. A
/// list usually has one element, so on the heap these lists would be most of
/// the merge's allocations. When a list grows, its old memory isn't reused; all
/// that is lost so is less than the list's final size.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_ARENAVECTOR_H
#define LLD_CUDA_ARENAVECTOR_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Allocator.h"
#include "llvm/Support/ErrorHandling.h"
#include <cassert>
#include <cstdint>
#include <memory>
#include <type_traits>

namespace lld::cuda {

/// Can't be copied, since a copy would share its elements. The arena must
/// outlive it, and must be the same in all calls.
template <typename T> class ArenaVector {
  static_assert(std::is_trivially_copyable_v<T> &&
                std::is_trivially_destructible_v<T>);

public:
  ArenaVector() = default;
  ArenaVector(const ArenaVector &) = delete;
  ArenaVector &operator=(const ArenaVector &) = delete;

  void push_back(llvm::BumpPtrAllocator &arena, const T &element) {
    if (count == capacity) {
      // `element` may refer to one in the list.
      const T copy = element;
      grow(arena);
      new (static_cast<void *>(first + count++)) T(copy);
      return;
    }
    new (static_cast<void *>(first + count++)) T(element);
  }
  void clear() { count = 0; }

  bool empty() const { return count == 0; }
  size_t size() const { return count; }
  const T &operator[](size_t i) const {
    assert(i < count);
    return first[i];
  }
  const T *begin() const { return first; }
  const T *end() const { return first + count; }
  operator llvm::ArrayRef<T>() const { return {first, count}; }

private:
  void grow(llvm::BumpPtrAllocator &arena) {
    if (capacity > UINT32_MAX / 2)
      llvm::report_bad_alloc_error("a list of more than 2^31 elements");
    capacity = capacity ? 2 * capacity : 1;
    T *larger = arena.Allocate<T>(capacity);
    std::uninitialized_copy(begin(), end(), larger);
    first = larger;
  }

  T *first = nullptr;
  uint32_t count = 0, capacity = 0;
};

} // namespace lld::cuda

#endif
