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
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

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

/// A small file of the system's; empty if it isn't there.
static StringRef readSmallFile(const Twine &path,
                               MutableArrayRef<char> buffer) {
  SmallString<256> storage;
  const int fd = ::open(path.toNullTerminatedStringRef(storage).data(),
                        O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return {};
  const ssize_t n = ::read(fd, buffer.data(), buffer.size());
  ::close(fd);
  return n > 0 ? StringRef(buffer.data(), n) : StringRef();
}

/// How many processors a quota is, rounded up; 0: no limit.
static unsigned processorsOf(StringRef quota, StringRef period) {
  uint64_t used, of;
  if (quota.trim().getAsInteger(10, used) || period.trim().getAsInteger(10, of))
    return 0; // "max", "-1"
  return of ? std::max<uint64_t>(1, divideCeil(used, of)) : 0;
}

unsigned lld::cuda::processorsOfControlGroups(StringRef list, StringRef root) {
  char first[64], second[64];
  unsigned least = 0;
  auto take = [&](unsigned count) {
    if (count && (!least || count < least))
      least = count;
  };
  for (StringRef line, rest = list; !rest.empty();) {
    std::tie(line, rest) = rest.split('\n');
    const auto [number, others] = line.split(':');
    auto [controllers, group] = others.split(':');
    const bool isSecondVersion = number == "0" && controllers.empty();
    SmallVector<StringRef, 4> names;
    controllers.split(names, ',');
    if (!isSecondVersion && !is_contained(names, "cpu"))
      continue;
    // A group has no more than those that it is in.
    for (;; group = group.rsplit('/').first) {
      const std::string path =
          (root + (isSecondVersion ? "" : "/" + controllers) + group).str();
      if (isSecondVersion) {
        const auto [quota, period] =
            readSmallFile(path + "/cpu.max", first).split(' ');
        take(processorsOf(quota, period));
      } else {
        take(processorsOf(readSmallFile(path + "/cpu.cfs_quota_us", first),
                          readSmallFile(path + "/cpu.cfs_period_us", second)));
      }
      if (group.empty())
        break;
    }
  }
  return least;
}

unsigned lld::cuda::availableProcessors() {
  cpu_set_t set;
  const unsigned count = sched_getaffinity(0, sizeof(set), &set) == 0
                             ? std::max(1, CPU_COUNT(&set))
                             : 1;
  if (count == 1)
    return 1;
  static const unsigned limit = [] {
    char list[4096];
    return processorsOfControlGroups(readSmallFile("/proc/self/cgroup", list),
                                     "/sys/fs/cgroup");
  }();
  return limit ? std::min(count, limit) : count;
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
