//===- Heap.cpp - Settings of the allocator for links ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A link allocates much, keeps nearly all of it until its end, and then exits.
/// The linker's main() calls prepareSmallHeap(), and a link that turns out to
/// be large calls prepareHeap() while it reads its inputs, but only if the
/// process belongs to the linker. prepareHeap() allocates 1 GiB and frees it at
/// once: glibc keeps the range, the kernel may back it with huge pages, and
/// pages that nobody touches cost nothing. With another C library than glibc
/// both functions do nothing.
///
/// The kernel clears a page before the process gets it, which takes a fifth of
/// the time of a large link. Most stages of a link have one thread, so
/// provideHeapPages() starts another that has the next few pages cleared. It
/// looks a few times in a millisecond how far the heap has grown.
///
//===----------------------------------------------------------------------===//

#include "lld-cuda/Support/Heap.h"
#include "lld-cuda/Support/Parallel.h"
#include <algorithm>
#include <climits>
#include <cstdint>
#include <cstdlib>

#include <sys/mman.h>

bool lld::cuda::provideMemory(void *p, size_t size) {
  constexpr int PopulateForWriting = 23; // MADV_POPULATE_WRITE
  return ::madvise(p, size, PopulateForWriting) == 0;
}

#ifdef __GLIBC__
#include <atomic>
#include <malloc.h>
#include <time.h>
#include <unistd.h>

static constexpr uintptr_t HugePage = 2 << 20;

/// Where the heap is, as long as it is what prepareHeap() has made.
static uintptr_t heapBegin = 0, heapEnd = 0;

/// glibc's heap is extended once, far enough that it seldom grows again, and
/// the extension is marked for huge pages. What isn't touched costs nothing.
void lld::cuda::prepareHeap() {
  constexpr size_t Size = 1 << 30;
  // One arena for all threads, and nothing is given back.
  ::mallopt(M_ARENA_MAX, 1);
  ::mallopt(M_MMAP_MAX, 0);
  ::mallopt(M_TRIM_THRESHOLD, INT_MAX);
  const auto begin = reinterpret_cast<uintptr_t>(::sbrk(0));
  // Volatile, or the compiler sees that nothing is done with the memory.
  void *volatile all = std::malloc(Size);
  std::free(all);
  const auto end = reinterpret_cast<uintptr_t>(::sbrk(0));
  const uintptr_t first = (begin + HugePage - 1) & ~(HugePage - 1);
  const uintptr_t last = end & ~(HugePage - 1);
  if (first >= last)
    return;
  ::madvise(reinterpret_cast<void *>(first), last - first, MADV_HUGEPAGE);
  heapBegin = begin;
  heapEnd = end;
}

#if __GLIBC_PREREQ(2, 33)
static std::atomic<bool> isProviding{false};
/// How many bytes the link is about to allocate.
static std::atomic<size_t> expected{0};

/// Returns the beginning of what the heap has never given to anybody.
static uintptr_t unusedHeap() { return heapEnd - ::mallinfo2().keepcost; }

static void *provide(void *) {
  constexpr long ShortestWait = 100'000, LongestWait = 200'000; // Nanoseconds.
  uintptr_t ready = 0;
  for (long wait = ShortestWait; isProviding;) {
    const uintptr_t unused = unusedHeap();
    const uintptr_t next = (unused + HugePage - 1) & ~(HugePage - 1);
    ready = std::max(ready, next);
    // What is left at the end shouldn't be much beside the rest.
    const uintptr_t ahead = next - heapBegin < 16 * HugePage ? 1 : 2;
    const uintptr_t wanted = std::max<uintptr_t>(ahead * HugePage, expected);
    if (ready < next + wanted && ready + HugePage <= heapEnd) {
      if (!provideMemory(reinterpret_cast<void *>(ready), HugePage))
        break;
      ready += HugePage;
      wait = ShortestWait;
      continue;
    }
    const timespec time = {0, wait};
    ::nanosleep(&time, nullptr);
    wait = std::min(2 * wait, LongestWait);
  }
  return nullptr;
}

void lld::cuda::provideHeapPages() {
  const ThreadStarter starter;
  // On the processor of the link it would take the link's time.
  if (!heapEnd || !starter.isPlacing() || isProviding.exchange(true))
    return;
  pthread_t thread;
  if (starter.start(thread, provide, nullptr))
    ::pthread_detach(thread);
}

void lld::cuda::leaveHeapPages() { isProviding = false; }

void lld::cuda::expectHeapGrowth(size_t bytes) { expected = bytes; }
#else // There is no such mallinfo2().
void lld::cuda::provideHeapPages() {}
void lld::cuda::leaveHeapPages() {}
void lld::cuda::expectHeapGrowth(size_t) {}
#endif

/// Lets the allocator keep freed memory: it would be needed again at once,
/// since each unpacked entry takes 100 KiB for a moment.
void lld::cuda::prepareSmallHeap() {
  ::mallopt(M_TRIM_THRESHOLD, INT_MAX);
  ::mallopt(M_MMAP_THRESHOLD, 4 << 20);
  ::mallopt(M_TOP_PAD, 256 << 10);
}
#else
void lld::cuda::prepareHeap() {}
void lld::cuda::prepareSmallHeap() {}
void lld::cuda::provideHeapPages() {}
void lld::cuda::leaveHeapPages() {}
void lld::cuda::expectHeapGrowth(size_t) {}
#endif
