//===- Parallel.cpp - Loops on several threads ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Runs the iterations of a loop on several threads. The linker's passes call
/// parallelForEach() for loops over files, functions or sections, cubin-size,
/// cubin-check and cubin-prune for loops over images; DeviceLink.cpp uses
/// GrowingLoop, which gets its threads only once a link turns out to be large.
/// Each thread starts on another processor than the one that starts it, and may
/// go anywhere then. Some schedulers, of virtual machines above all, leave a
/// new thread behind its creator for two milliseconds, which is longer than
/// most of the linker's loops take. Threads come straight from pthreads: where
/// none can be had, the loop runs on those that exist, which std::thread can't
/// do without exceptions. In shared libraries, which are built with exceptions,
/// a lack of memory is an exception: the thread that called the loop gets it,
/// once no other thread works any more.
///
//===----------------------------------------------------------------------===//

#include "lld-cuda/Support/Parallel.h"
#include "lld-cuda/Support/ControlGroups.h"
#include <algorithm>
#include <exception>
#include <optional>
#include <sched.h>

using namespace llvm;
using namespace lld::cuda;

namespace {
/// Catches what the calls of several threads throw, and keeps the first.
class Thrown {
public:
#ifdef __cpp_exceptions
  /// Returns false if `fn` has thrown something.
  template <typename Fn> bool call(Fn fn) {
    try {
      fn();
      return true;
    } catch (...) {
      if (!isTaken.exchange(true))
        first = std::current_exception();
      return false;
    }
  }
  /// Throws what was kept, if anything. Called when all threads are done.
  void rethrow() {
    if (first)
      std::rethrow_exception(first);
  }

private:
  std::atomic<bool> isTaken{false};
  std::exception_ptr first;
#else
  template <typename Fn> bool call(Fn fn) {
    fn();
    return true;
  }
  void rethrow() {}
#endif
};

struct SharedLoop {
  std::atomic<size_t> next{0};
  size_t end, step;
  function_ref<void(size_t)> fn;
  Thrown thrown;
  ThreadStarter starter;

  void run() {
    const bool isDone = thrown.call([&] {
      for (size_t begin; (begin = next.fetch_add(step)) < end;)
        for (size_t i = begin, e = std::min(end, begin + step); i != e; ++i)
          fn(i);
    });
    if (!isDone)
      next = end; // Nobody begins another step.
  }
  static void *start(void *argument) {
    auto *loop = static_cast<SharedLoop *>(argument);
    loop->starter.begin();
    loop->run();
    return nullptr;
  }
};
} // namespace

static std::atomic<bool> placesThreads{true};

void lld::cuda::startThreadsAnywhere() { placesThreads = false; }

ThreadStarter::ThreadStarter() {
#ifdef __GLIBC__
  if (!placesThreads || sched_getaffinity(0, sizeof(allowed), &allowed) != 0)
    return;
  others = allowed;
  const int own = sched_getcpu();
  if (own >= 0 && own < CPU_SETSIZE)
    CPU_CLR(own, &others);
  places = CPU_COUNT(&others) != 0;
#endif
}

bool ThreadStarter::start(pthread_t &thread, void *(*function)(void *),
                          void *argument) const {
#ifdef __GLIBC__
  pthread_attr_t attributes;
  if (places && pthread_attr_init(&attributes) == 0) {
    const bool isStarted =
        pthread_attr_setaffinity_np(&attributes, sizeof(others), &others) ==
            0 &&
        pthread_create(&thread, &attributes, function, argument) == 0;
    pthread_attr_destroy(&attributes);
    if (isStarted)
      return true;
  }
#endif
  return pthread_create(&thread, nullptr, function, argument) == 0;
}

void ThreadStarter::begin() const {
  // If that fails, the thread goes on where it is.
  if (places)
    (void)sched_setaffinity(0, sizeof(allowed), &allowed);
}

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
  if (threads == 1) {
    for (size_t i = 0; i != n; ++i)
      fn(i);
    return;
  }
  SharedLoop loop{{}, n, std::max<size_t>(1, n / (threads * 16)), fn, {}, {}};
  SmallVector<pthread_t, 16> workers;
  workers.reserve(threads); // Nothing may fail while threads run.
  for (size_t i = 1; i < threads; ++i) {
    pthread_t worker;
    if (!loop.starter.start(worker, SharedLoop::start, &loop))
      break;
    workers.push_back(worker);
  }
  loop.run();
  for (pthread_t worker : workers)
    pthread_join(worker, nullptr);
  loop.thrown.rethrow();
}

void *GrowingLoop::start(void *argument) {
  auto *loop = static_cast<GrowingLoop *>(argument);
  loop->starter.begin();
  loop->work();
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
    if (!starter.start(worker, start, this))
      break;
    workers.push_back(worker);
  }
}
