//===- Parallel.cpp - Loops on several threads ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Threads come straight from pthreads: where none can be had, the loop runs
/// on those that exist, which std::thread can't do without exceptions.
///
//===----------------------------------------------------------------------===//

#include "lld-cuda/Support/Parallel.h"
#include "lld-cuda/Support/ControlGroups.h"
#include <algorithm>
#include <optional>
#include <sched.h>

using namespace llvm;
using namespace lld::cuda;

namespace {
struct Loop {
  std::atomic<size_t> next{0};
  size_t end, step;
  function_ref<void(size_t)> fn;

  void run() {
    for (size_t begin; (begin = next.fetch_add(step)) < end;)
      for (size_t i = begin, e = std::min(end, begin + step); i != e; ++i)
        fn(i);
  }
  static void *start(void *loop) {
    static_cast<Loop *>(loop)->run();
    return nullptr;
  }
};
} // namespace

unsigned lld::cuda::availableProcessors() {
  cpu_set_t set;
  const unsigned count = sched_getaffinity(0, sizeof(set), &set) == 0
                             ? std::max(1, CPU_COUNT(&set))
                             : 1;
  if (count == 1)
    return 1;
  // The groups' limits cost a few files, and hardly ever change.
  static const std::optional<unsigned> limit = ControlGroups().processors();
  return std::min(count, limit.value_or(count));
}

void lld::cuda::parallelForEach(unsigned allowed, size_t n,
                                function_ref<void(size_t)> fn) {
  const size_t threads = std::clamp<size_t>(allowed, 1, n + !n);
  // Several steps a thread even out differences between items.
  Loop loop{{}, n, std::max<size_t>(1, n / (threads * 16)), fn};
  SmallVector<pthread_t, 16> workers;
  for (size_t i = 1; i < threads; ++i) {
    pthread_t worker;
    if (pthread_create(&worker, nullptr, Loop::start, &loop) != 0)
      break;
    workers.push_back(worker);
  }
  loop.run();
  for (pthread_t worker : workers)
    pthread_join(worker, nullptr);
}

void *GrowingLoop::start(void *loop) {
  static_cast<GrowingLoop *>(loop)->work();
  return nullptr;
}

void GrowingLoop::work() {
  for (size_t i; (i = next++) < n;)
    fn(i);
}

void GrowingLoop::run() {
  work();
  for (pthread_t worker : workers)
    pthread_join(worker, nullptr);
}

void GrowingLoop::grow(unsigned threads) {
  if (hasGrown.exchange(true))
    return;
  for (size_t i = 1; i < std::min<size_t>(threads, n); ++i) {
    pthread_t worker;
    if (pthread_create(&worker, nullptr, start, this) != 0)
      break;
    workers.push_back(worker);
  }
}
