//===- HeapRegion.cpp - Pages for the heaps of links ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Implements HeapRegion.h. A link that is over gives its regions up, and the
/// next takes them as they are. Mapping new ones would cost more than most
/// links: the system clears each page, 512 for 2 MiB unless it has a huge one,
/// which takes a third of the time.
///
//===----------------------------------------------------------------------===//

#include "HeapRegion.h"
#include "lld-cuda/Support/Heap.h"
#include <algorithm>
#include <atomic>
#include <mutex>
#include <new>
#include <sys/mman.h>

using namespace lld::cuda::capi;

namespace {
/// Has a bit for each 2 MiB of 2^48 bytes, in two levels.
class RegionTable {
  static constexpr unsigned RegionBits = 21, LeafBits = 14, AddressBits = 48;
  static_assert(size_t(1) << RegionBits == HeapRegion::Size);
  struct Leaf {
    std::atomic<uint64_t> words[(1 << LeafBits) / 64];
  };
  std::atomic<Leaf *> leaves[1 << (AddressBits - RegionBits - LeafBits)];

  static size_t leafOf(uintptr_t at) { return at >> (RegionBits + LeafBits); }
  static size_t bitOf(uintptr_t at) {
    return at >> RegionBits & ((1 << LeafBits) - 1);
  }

public:
  bool has(const void *p) const {
    const auto at = reinterpret_cast<uintptr_t>(p);
    if (at >> AddressBits)
      return false;
    const Leaf *leaf = leaves[leafOf(at)].load(std::memory_order_acquire);
    const size_t bit = bitOf(at);
    return leaf &&
           leaf->words[bit / 64].load(std::memory_order_relaxed) >> (bit % 64) &
               1;
  }
  /// Returns false if there is no memory for the table, or the address is out
  /// of its range.
  bool add(const void *p) {
    const auto at = reinterpret_cast<uintptr_t>(p);
    if (at >> AddressBits)
      return false;
    std::atomic<Leaf *> &place = leaves[leafOf(at)];
    Leaf *leaf = place.load(std::memory_order_acquire);
    if (!leaf) {
      // Never freed.
      auto *made = static_cast<Leaf *>(mapPages(sizeof(Leaf)));
      if (!made)
        return false;
      if (place.compare_exchange_strong(leaf, made))
        leaf = made;
      else
        unmapPages(made, sizeof(Leaf));
    }
    const size_t bit = bitOf(at);
    leaf->words[bit / 64].fetch_or(uint64_t(1) << (bit % 64));
    return true;
  }
  void remove(const void *p) {
    const auto at = reinterpret_cast<uintptr_t>(p);
    const size_t bit = bitOf(at);
    leaves[leafOf(at)].load()->words[bit / 64].fetch_and(
        ~(uint64_t(1) << (bit % 64)));
  }
};

/// Regions that no link uses, the last one given up last.
class KeptRegions {
public:
  /// Returns a region of `size` bytes, or not much more if that isn't the usual
  /// size; or null.
  HeapRegion *take(size_t size);
  /// Returns false if enough are kept.
  bool keep(HeapRegion *region);

private:
  static constexpr size_t MostProvided = 8 << 20, MostLazy = 64 << 20;
  struct Kept {
    HeapRegion *region;
    // The pages that the region's own fields are in may be taken, too.
    size_t size, provided;
    bool isLazy; ///< The system may take its pages.
  };
  // If another thread is here, or was when the process forked, nothing is kept.
  std::mutex mutex;
  size_t count = 0, provided = 0, lazy = 0;
  Kept all[48] = {};
};
} // namespace

static RegionTable regionTable;
static KeptRegions keptRegions;

HeapRegion *KeptRegions::take(size_t size) {
  std::unique_lock<std::mutex> lock(mutex, std::try_to_lock);
  if (!lock)
    return nullptr;
  for (size_t i = count; i-- != 0;) {
    const Kept kept = all[i];
    if (size == HeapRegion::Size ? kept.size != size
                                 : kept.size < size || kept.size / 2 > size)
      continue;
    std::copy(all + i + 1, all + count, all + i);
    --count;
    (kept.isLazy ? lazy : provided) -= kept.provided;
    kept.region->size = kept.size;
    kept.region->provided = kept.provided;
    return kept.region;
  }
  return nullptr;
}

bool KeptRegions::keep(HeapRegion *region) {
  std::unique_lock<std::mutex> lock(mutex, std::try_to_lock);
  if (!lock || count == std::size(all))
    return false;
  Kept next = {region, region->size, region->provided, false};
  if (provided + next.provided > MostProvided) {
    if (lazy + next.provided > MostLazy ||
        ::madvise(region, next.provided, MADV_FREE) != 0)
      return false;
    next.isLazy = true;
  }
  (next.isLazy ? lazy : provided) += next.provided;
  all[count++] = next;
  return true;
}

/// Maps `size` bytes at a multiple of HeapRegion::Size.
static void *mapAligned(size_t size) {
  // Mappings are placed side by side, so the next to a region is usually right.
  if (void *p = mapPages(size)) {
    if (p == HeapRegion::of(p))
      return p;
    unmapPages(p, size);
  }
  auto *p = static_cast<char *>(mapPages(size + HeapRegion::Size));
  if (!p)
    return nullptr;
  char *const first = HeapRegion::of(p + HeapRegion::Size - 1)->begin();
  if (first != p)
    unmapPages(p, first - p);
  if (p + HeapRegion::Size != first)
    unmapPages(first + size, p + HeapRegion::Size - first);
  return first;
}

HeapRegion *HeapRegion::take(size_t size, bool isHuge) {
  if (HeapRegion *kept = keptRegions.take(size))
    return kept;
  void *const at = mapAligned(size);
  if (!at)
    return nullptr;
  if (!regionTable.add(at)) {
    unmapPages(at, size);
    return nullptr;
  }
  // Before the first byte is written, which decides.
  if (isHuge)
    ::madvise(at, size, MADV_HUGEPAGE);
  auto *region = new (at) HeapRegion();
  region->size = size;
  region->provided = isHuge ? size : 0;
  return region;
}

void HeapRegion::giveUp() {
  if (keptRegions.keep(this))
    return;
  regionTable.remove(this);
  unmapPages(this, size);
}

HeapRegion *HeapRegion::find(const void *p) {
  return regionTable.has(p) ? of(p) : nullptr;
}

void HeapRegion::provideUntil(size_t bytes) {
  if (bytes <= provided)
    return;
  // Where the system can't, each page comes when it is used.
  (void)provideMemory(begin() + provided, bytes - provided);
  provided = bytes;
}
