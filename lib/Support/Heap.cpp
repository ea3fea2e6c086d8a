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
//===----------------------------------------------------------------------===//

#include "lld-cuda/Support/Heap.h"
#include <climits>
#include <cstdint>
#include <cstdlib>

#ifdef __GLIBC__
#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

/// glibc's heap is extended once, far enough that it seldom grows again, and
/// the extension is marked for huge pages. What isn't touched costs nothing.
void lld::cuda::prepareHeap() {
  constexpr uintptr_t HugePage = 2 << 20;
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
  if (first < last)
    ::madvise(reinterpret_cast<void *>(first), last - first, MADV_HUGEPAGE);
}

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
#endif
