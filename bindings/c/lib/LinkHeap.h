//===- LinkHeap.h - The heap of one link ------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The heap from which a link of liblld-cuda takes its memory. A link allocates
/// much and frees nearly all of it at once, when it ends; so its blocks lie
/// side by side in regions of its own (HeapRegion.h), which are given up
/// together. The C library's heap, which is the
/// process's, would give the pages of one link after the other back to the
/// system and fault them in again.
///
/// Memory.cpp calls this for each malloc() and free() in the library. Each
/// handle has an Account (Memory.h), and each account a heap. A thread that
/// works for the handle uses a part of the heap, alone, so that nothing is
/// locked; any thread may free any block.
///
/// A block may outlive its link (an image that is handed on, or whatever a
/// library keeps in a static variable). The regions are given up when the last
/// block in them is freed, be it long after the link.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_BINDINGS_C_LINKHEAP_H
#define LLD_CUDA_BINDINGS_C_LINKHEAP_H

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>

namespace lld::cuda::capi {

class Account;

struct HeapRegion;

/// All functions are thread-safe, unless they say something else.
class LinkHeap {
public:
  /// What one thread uses at a time.
  class Part;

  /// Returns null if the system has no memory for it. The heap's memory is
  /// charged to the account.
  static LinkHeap *create(Account &account);
  /// The link ends, and nothing is charged any more. No thread may use a part.
  /// The heap destroys itself when its last block is freed, which may be now.
  void end();

  /// Returns a part for the calling thread, or null if there is no memory.
  Part *enter();
  /// The thread is done with the part.
  void leave(Part *part);

  /// Returns whether `p` is a block of any heap, not one of the C library's.
  static bool owns(const void *p);
  /// Returns how many bytes of the block may be used.
  static size_t usableSize(const void *p);
  /// Frees a block of any heap. `part` is what the calling thread uses, and
  /// `account` that for which it works; either may be null.
  static void release(void *p, Part *part, Account *account);

  /// Larger blocks are never in a part.
  static constexpr size_t LargestBlock = 1 << 20;
  /// Returns a block that has a region, or a mapping, alone, and that isn't
  /// part of a heap. Null is as in Part::allocate().
  static void *allocateAlone(size_t size, Account &account, bool &isUnmapped);

private:
  struct Block;
  friend class Part;

  explicit LinkHeap(Account &account) : account(&account) {}
  Part *addPart(HeapRegion *region, size_t used);
  void destroy();

  Account *account; ///< Null: it has ended.
  std::mutex mutex;
  Part *parts = nullptr, *idle = nullptr;
  /// The number of blocks that were freed by threads outside the heap; since
  /// end() less those that were in use then, so that 0 means none is left.
  std::atomic<int64_t> freedElsewhere{0};
};

/// Used by one thread at a time.
class LinkHeap::Part {
public:
  /// Returns a block of at least `size` bytes, up to LargestBlock, aligned to
  /// 16. Returns null if the account doesn't allow that, or, with `isUnmapped`,
  /// if the system doesn't.
  void *allocate(size_t size, bool &isUnmapped);
  /// Gives the account back what is charged and not taken.
  void giveBackRest();
  /// Returns whether the block could be made as large as `size` in its place.
  bool resize(void *p, size_t size);

private:
  friend class LinkHeap;
  /// Blocks of up to 1 KiB by size, larger ones by a quarter of a power of two.
  static constexpr size_t SmallClasses = 64, Classes = SmallClasses + 4 * 11;

  explicit Part(LinkHeap &heap) : heap(heap) {}
  static size_t classOf(size_t size);
  void *allocateSlowly(size_t size, bool &isUnmapped);
  void *cut(size_t size);
  bool makeReady(size_t size);
  bool addRegion();
  void keepRest();
  void release(void *p);

  LinkHeap &heap;
  Part *nextPart = nullptr, *nextIdle = nullptr;
  HeapRegion *regions = nullptr; ///< The one that blocks are cut off first.
  /// New blocks are cut off at `next`. What is before `ready` is charged.
  char *next = nullptr, *ready = nullptr, *regionEnd = nullptr;
  /// Blocks taken less blocks freed, by threads that used this part.
  int64_t live = 0;
  int64_t charged = 0;        ///< To the account, for regions.
  Block *freed[Classes] = {}; ///< Lists, the last one freed first.
};

} // namespace lld::cuda::capi

#endif
