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
#include <sched.h>

namespace lld::cuda {

/// Returns how many processors this process may use: by its affinity mask and
/// the limits of its control groups (ControlGroups.h).
unsigned availableProcessors();

/// From now on no thread asks where it may run. For processes that aren't
/// allowed to (Sandbox.h).
void startThreadsAnywhere();

/// Starts threads on other processors than that of the calling thread, if there
/// are any.
class ThreadStarter {
public:
  /// Must be called by the thread that starts the others.
  ThreadStarter();
  /// Returns false if the system can't start the thread.
  bool start(pthread_t &thread, void *(*function)(void *),
             void *argument) const;
  /// Must be called by the new thread first: it may go to any processor then,
  /// and so may programs that it starts.
  void begin() const;
  /// Returns whether there are other processors.
  bool isPlacing() const { return places; }

private:
  cpu_set_t allowed, others; ///< Valid if `places`.
  bool places = false;
};

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
  const ThreadStarter starter;
  llvm::SmallVector<pthread_t, 4> workers;
};

} // namespace lld::cuda

#endif
