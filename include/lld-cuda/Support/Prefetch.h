//===- Prefetch.h - Passes over objects that lie anywhere -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Tables of sections and symbols hold pointers, and the objects of a large
/// link aren't in the cache. A pass that does little for each would wait for
/// each in turn.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_SUPPORT_PREFETCH_H
#define LLD_CUDA_SUPPORT_PREFETCH_H

#include "llvm/ADT/ArrayRef.h"
#include <cstddef>

namespace lld::cuda {

/// Asks for the first lines of an object. Two have all that most passes over
/// sections look at, or a whole symbol.
template <size_t Lines = 2, typename T> void prefetch(const T *object) {
  constexpr size_t LineSize = 64;
  auto *bytes = reinterpret_cast<const char *>(object);
  for (size_t i = 0; i != Lines; ++i)
    __builtin_prefetch(bytes + i * LineSize);
}

/// Calls fn(T &) for the object behind each pointer, in order, with that many
/// lines of later ones on their way into the cache.
template <size_t Lines = 2, typename T, typename Fn>
void forEachObject(llvm::ArrayRef<T *> objects, Fn fn) {
  constexpr size_t Ahead = 12;
  const size_t n = objects.size();
  for (size_t i = 0; i != n; ++i) {
    if (i + Ahead < n)
      prefetch<Lines>(objects[i + Ahead]);
    fn(*objects[i]);
  }
}

/// Calls fn for each symbol, and fetches those that follow and their sections,
/// which are looked at, too.
template <typename T, typename Fn>
void forEachSymbol(llvm::ArrayRef<T *> symbols, Fn fn) {
  constexpr size_t Ahead = 12;
  const size_t n = symbols.size();
  for (size_t i = 0; i != n; ++i) {
    if (i + 2 * Ahead < n)
      prefetch(symbols[i + 2 * Ahead]);
    if (i + Ahead < n && symbols[i + Ahead]->section)
      prefetch(symbols[i + Ahead]->section);
    fn(*symbols[i]);
  }
}

} // namespace lld::cuda

#endif
