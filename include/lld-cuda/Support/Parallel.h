//===- Parallel.h - Loops on several threads --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Loops on several threads, for the linker (through lld-cuda/Parallel.h and
/// DeviceLink.cpp) and for the tools that read many files (cubin-size, -check,
/// -prune, Finished/ImageBatch.h). If the system can't start a thread, the loop
/// runs on those that there are.
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

/// Returns how many processors this process may use: by its affinity mask and
/// the limits of its control groups (ControlGroups.h).
unsigned availableProcessors();

/// Calls fn(0) ... fn(n - 1), in any order, on at most that many threads, the
/// calling one among them. Returns when all calls have returned.
void parallelForEach(unsigned threads, size_t n,
                     llvm::function_ref<void(size_t)> fn);

/// A loop of few long steps. It runs on the calling thread only, until a step
/// finds that the work is worth more threads (DeviceLink.cpp: the inputs are
/// large).
class GrowingLoop {
public:
  GrowingLoop(size_t n, llvm::function_ref<void(size_t)> fn) : n(n), fn(fn) {}
  GrowingLoop(const GrowingLoop &) = delete;
  GrowingLoop &operator=(const GrowingLoop &) = delete;

  /// Calls fn(0) ... fn(n - 1) and returns when all calls have returned.
  void run();
  /// Starts threads, so that `threads` take part in all. Called by `fn`, or
  /// before run(); only the first call has an effect.
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
