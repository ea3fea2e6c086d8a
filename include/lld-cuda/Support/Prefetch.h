//===- Prefetch.h - Loops that prefetch objects -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Loops over tables of pointers that prefetch the objects into the processor's
/// cache. The linker's output passes (Writer.cpp, OutputOrder.cpp,
/// WrittenSections.cpp) use them for sections and symbols: those of a large
/// link don't fit the cache, and a pass that does little for each object would
/// wait for memory each time.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_SUPPORT_PREFETCH_H
#define LLD_CUDA_SUPPORT_PREFETCH_H

#include "llvm/ADT/ArrayRef.h"
#include <cstddef>

namespace lld::cuda {

/// Prefetches the first cache lines (64 bytes each) of an object. Two lines
/// contain all that most passes over sections read, or a whole symbol.
template <size_t Lines = 2, typename T> void prefetch(const T *object) {
  constexpr size_t LineSize = 64;
  auto *bytes = reinterpret_cast<const char *>(object);
  for (size_t i = 0; i != Lines; ++i)
    __builtin_prefetch(bytes + i * LineSize);
}

/// Calls fn(T &) for the object behind each pointer, in order, and prefetches
/// that many lines of later objects.
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

/// Calls fn(T &) for each symbol, in order, and prefetches later symbols and
/// their sections, for an `fn` that reads both.
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
