//===- Parallel.h - Loops on several threads --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Threads that can't be had are done without.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_SUPPORT_PARALLEL_H
#define LLD_CUDA_SUPPORT_PARALLEL_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include <atomic>
#include <cstddef>
#include <pthread.h>

namespace lld::cuda {

/// How many threads may run at once.
unsigned availableProcessors();

/// Calls fn(0) ... fn(n - 1), in any order, on so many threads at most.
/// Returns when all calls have.
void parallelForEach(unsigned threads, size_t n,
                     llvm::function_ref<void(size_t)> fn);

/// A loop of long steps which other threads join when it turns out to be worth
/// it.
class GrowingLoop {
public:
  GrowingLoop(size_t n, llvm::function_ref<void(size_t)> fn) : n(n), fn(fn) {}
  GrowingLoop(const GrowingLoop &) = delete;
  GrowingLoop &operator=(const GrowingLoop &) = delete;

  /// Calls fn(0) ... fn(n - 1); returns when all calls have.
  void run();
  /// So many threads in all take part from now on. For fn or, before run(), its
  /// caller; only the first call counts.
  void grow(unsigned threads);

private:
  void work();
  static void *start(void *loop);

  const size_t n;
  const llvm::function_ref<void(size_t)> fn;
  std::atomic<size_t> next{0};
  std::atomic<bool> hasGrown{false};
  llvm::SmallVector<pthread_t, 4> workers;
};

} // namespace lld::cuda

#endif
