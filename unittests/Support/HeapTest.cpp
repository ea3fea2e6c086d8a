//===- HeapTest.cpp -------------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lld-cuda/Support/Heap.h"
#include "lld-cuda/Support/Parallel.h"
#include "llvm/Support/Compiler.h"
#include "gtest/gtest.h"
#include <cstdlib>
#include <cstring>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace lld::cuda;

namespace {

/// Whether the 4 KiB at an address have memory.
bool hasMemory(const char *p) {
  unsigned char is = 0;
  return ::mincore(const_cast<char *>(p), 4096, &is) == 0 && is & 1;
}

/// Waits for two seconds at most.
bool getsMemory(const char *p) {
  for (int i = 0; i != 200; ++i) {
    if (hasMemory(p))
      return true;
    ::usleep(10'000);
  }
  return false;
}

enum Outcome { Right, NotProvided, ProvidedTooMuch, ProvidedAfterTheEnd };

/// In a process of its own, whose heap it changes.
Outcome growHeap() {
  prepareHeap();
  provideHeapPages();
  constexpr size_t Page = 2 << 20;
  char *last = nullptr;
  for (int i = 0; i != 20; ++i) {
    last = static_cast<char *>(std::malloc(Page));
    std::memset(last, 1, Page);
    // That of the next block but for the first pages.
    char *const next = reinterpret_cast<char *>(
        (reinterpret_cast<uintptr_t>(last) + Page + Page) & ~(Page - 1));
    if (!getsMemory(next))
      return NotProvided;
    if (hasMemory(next + 8 * Page))
      return ProvidedTooMuch;
  }
  leaveHeapPages();
  ::usleep(100'000);
  last = static_cast<char *>(std::malloc(8 * Page));
  ::usleep(100'000);
  return hasMemory(last + 7 * Page) ? ProvidedAfterTheEnd : Right;
}

} // namespace

TEST(Heap, ItsNextPagesAreProvided) {
#if LLVM_ADDRESS_SANITIZER_BUILD || LLVM_THREAD_SANITIZER_BUILD
  GTEST_SKIP() << "the heap is the sanitizer's";
#endif
  if (availableProcessors() < 2)
    GTEST_SKIP() << "there is one processor";
  void *const page = ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(page, MAP_FAILED);
  if (!provideMemory(page, 4096))
    GTEST_SKIP() << "the system can't provide pages";
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (!child)
    _exit(growHeap());
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), Right);
}

/// A thread starts on another processor, and may go anywhere then.
TEST(ThreadStarter, StartsElsewhere) {
  struct Seen {
    ThreadStarter starter;
    cpu_set_t first, later;
  } seen;
  cpu_set_t own;
  ASSERT_EQ(sched_getaffinity(0, sizeof(own), &own), 0);
  pthread_t thread;
  ASSERT_TRUE(seen.starter.start(
      thread,
      [](void *p) -> void * {
        auto *seen = static_cast<Seen *>(p);
        sched_getaffinity(0, sizeof(cpu_set_t), &seen->first);
        seen->starter.begin();
        sched_getaffinity(0, sizeof(cpu_set_t), &seen->later);
        return nullptr;
      },
      &seen));
  pthread_join(thread, nullptr);
  EXPECT_TRUE(CPU_EQUAL(&seen.later, &own));
  EXPECT_EQ(CPU_COUNT(&seen.first), CPU_COUNT(&own) - seen.starter.isPlacing());
  EXPECT_EQ(seen.starter.isPlacing(), CPU_COUNT(&own) > 1);
}
