//===- HeapRegion.h - Pages for the heaps of links --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The regions of memory of which the heaps of links (LinkHeap.h) consist. A
/// region begins at a multiple of 2 MiB and is mapped from the system. A table
/// of bits, one for each 2 MiB of the address space, tells addresses in regions
/// from others. Regions of links that have ended are kept for the next: up to 8
/// MiB as they are, and up to 64 MiB more so that the system may take their
/// pages as soon as it needs them (MADV_FREE).
///
/// All functions are thread-safe, and can be called in a process that was
/// forked while another thread was in one of them.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_BINDINGS_C_HEAPREGION_H
#define LLD_CUDA_BINDINGS_C_HEAPREGION_H

#include <cstddef>
#include <cstdint>

namespace lld::cuda::capi {

class LinkHeap;

// What regions need of the system; Memory.cpp.
/// Maps `size` bytes for reading and writing. Returns null if that can't be.
void *mapPages(size_t size);
void unmapPages(void *p, size_t size);

/// The first bytes of a region.
struct HeapRegion {
  /// Most regions are as long.
  static constexpr size_t Size = 2 << 20;

  /// Returns a region of `size` bytes or more, or null. It has huge pages, or
  /// small ones that get memory when they are used or provided; one that was
  /// kept has what it has. `size` is a multiple of 64 KiB and not less than
  /// Size.
  static HeapRegion *take(size_t size, bool isHuge);
  void giveUp();
  /// Returns the region of an address in its first 2 MiB, or null if the
  /// address isn't in a region.
  static HeapRegion *find(const void *p);
  /// Does the same for an address that is in one.
  static HeapRegion *of(const void *p) {
    return reinterpret_cast<HeapRegion *>(uintptr_t(p) & ~uintptr_t(Size - 1));
  }

  /// The system provides the first `bytes` bytes at once, rather than each page
  /// when it is used.
  void provideUntil(size_t bytes);
  char *begin() { return reinterpret_cast<char *>(this); }
  bool isProvided() const { return provided >= size; }

  size_t size = 0;     ///< Of the mapping.
  size_t provided = 0; ///< So many bytes have memory already.
  // For the user of the region.
  LinkHeap *heap = nullptr; ///< Null: a block has the region alone.
  HeapRegion *next = nullptr;
  uint64_t account = 0; ///< The number of the account that such a block is
                        ///< charged to.
  size_t charged = 0;
};

} // namespace lld::cuda::capi

#endif
