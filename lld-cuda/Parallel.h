//===- Parallel.h - Loops over files and sections ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A parallel loop that costs nothing in small links: starting threads takes
/// longer than linking two small cubins, so
/// threads are used only once ctx.largeLink is set. Threads belong to the call;
/// there is no pool that two links in one process would have to share.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_PARALLEL_H
#define LLD_CUDA_PARALLEL_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <pthread.h>

namespace lld::cuda {

struct Ctx;

/// How many threads may run at once.
unsigned availableProcessors();

/// The loop for those who have no link, on so many threads at most.
void parallelForEach(unsigned threads, size_t n,
                     llvm::function_ref<void(size_t)> fn);

/// Links of that many input bytes or files are large.
constexpr uint64_t LargeLinkBytes = 2 << 20;
constexpr size_t LargeLinkFiles = 64;

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

/// Calls fn(0) ... fn(n - 1), in any order and on several threads if the link
/// is large. Returns when all calls have.
void parallelForEach(const Ctx &ctx, size_t n,
                     llvm::function_ref<void(size_t)> fn);

/// The same for calls that do little: only if all together handle so many
/// functions, symbols or the like that threads pay.
constexpr size_t WorthThreads = 4096;
void parallelForEach(const Ctx &ctx, size_t n, size_t work,
                     llvm::function_ref<void(size_t)> fn);

/// The same in pieces: calls fn(begin, end) for parts of 0 ... n - 1.
void parallelForPieces(const Ctx &ctx, size_t n,
                       llvm::function_ref<void(size_t, size_t)> fn);

} // namespace lld::cuda

#endif
