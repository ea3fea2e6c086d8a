//===- LinkHeap.cpp - The heap of one link --------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Blocks are cut off a region one after the other, each with its size in the 8
/// bytes before it, as in the C library's heap. A block that is freed is put on
/// the list of its size, from which the next one of that size is taken. Blocks
/// are never joined: nearly all live until their link ends.
///
/// The region of a block is known from its address (HeapRegion.h). Blocks of
/// over 1 MiB have a region alone. The first two regions of a part get memory
/// 64 KiB at a time, since most links need little; the others have huge pages.
///
//===----------------------------------------------------------------------===//

#include "LinkHeap.h"
#include "HeapRegion.h"
#include "Memory.h"
#include <algorithm>
#include <new>

using namespace lld::cuda::capi;

static constexpr size_t Page = 4096;
/// So much of a region is charged at a time.
static constexpr size_t ReadySize = 64 << 10;
/// Before each block: its size, with these bytes.
static constexpr size_t HeaderSize = 8;

struct LinkHeap::Block {
  Block *next; ///< In a list of freed blocks.
};

/// Returns where the first block is, behind its size, if `used` bytes of the
/// region are taken.
static constexpr size_t firstBlock(size_t used) {
  return (used + HeaderSize + 15) & ~size_t(15);
}

static size_t &sizeOf(void *p) {
  return *reinterpret_cast<size_t *>(static_cast<char *>(p) - HeaderSize);
}

// The heap.

LinkHeap *LinkHeap::create(Account &account) {
  HeapRegion *const region =
      HeapRegion::take(HeapRegion::Size, /*isHuge=*/false);
  if (!region)
    return nullptr;
  char *const begin = region->begin() + sizeof(HeapRegion);
  auto *heap = new (begin) LinkHeap(account);
  heap->idle = heap->addPart(region, sizeof(HeapRegion) + sizeof(LinkHeap));
  return heap;
}

/// `used` bytes of the region are taken. The part itself is there, too.
LinkHeap::Part *LinkHeap::addPart(HeapRegion *region, size_t used) {
  char *const begin = region->begin();
  auto *part = new (begin + used) Part(*this);
  region->heap = this;
  region->next = nullptr;
  part->regions = region;
  part->next = part->ready = begin + firstBlock(used + sizeof(Part));
  part->regionEnd = begin + HeapRegion::Size;
  part->nextPart = parts;
  parts = part;
  return part;
}

LinkHeap::Part *LinkHeap::enter() {
  std::lock_guard<std::mutex> lock(mutex);
  if (Part *part = idle) {
    idle = part->nextIdle;
    return part;
  }
  HeapRegion *const region =
      HeapRegion::take(HeapRegion::Size, /*isHuge=*/false);
  return region ? addPart(region, sizeof(HeapRegion)) : nullptr;
}

void LinkHeap::leave(Part *part) {
  std::lock_guard<std::mutex> lock(mutex);
  part->nextIdle = idle;
  idle = part;
}

void LinkHeap::end() {
  int64_t live = 0, charged = 0;
  for (const Part *part = parts; part; part = part->nextPart) {
    live += part->live;
    charged += part->charged;
  }
  account->giveBack(charged);
  account = nullptr;
  if (freedElsewhere.fetch_sub(live) == live)
    destroy();
}

/// The heap and its parts are in the regions themselves.
void LinkHeap::destroy() {
  HeapRegion *all = nullptr;
  for (const Part *part = parts; part; part = part->nextPart)
    for (HeapRegion *region = part->regions; region;) {
      HeapRegion *const next = region->next;
      region->next = all;
      all = region;
      region = next;
    }
  this->~LinkHeap();
  while (all) {
    HeapRegion *const next = all->next;
    all->giveUp();
    all = next;
  }
}

bool LinkHeap::owns(const void *p) { return HeapRegion::find(p); }

size_t LinkHeap::usableSize(const void *p) {
  return sizeOf(const_cast<void *>(p)) - HeaderSize;
}

void LinkHeap::release(void *p, Part *part, Account *current) {
  HeapRegion *const region = HeapRegion::of(p);
  if (!region->heap) {
    if (current && current->number == region->account)
      current->giveBack(region->charged);
    region->giveUp();
    return;
  }
  if (part && &part->heap == region->heap)
    part->release(p);
  else if (region->heap->freedElsewhere.fetch_add(1) == -1)
    region->heap->destroy();
}

// A part of it.

/// `size` is a multiple of 16. Classes are in the order of their sizes.
size_t LinkHeap::Part::classOf(size_t size) {
  if (size < 1024)
    return size / 16;
  const unsigned log = 63 - __builtin_clzll(size);
  return SmallClasses + (log - 10) * 4 + (size >> (log - 2) & 3);
}

/// There is room for it.
inline void *LinkHeap::Part::cut(size_t size) {
  char *const p = next;
  next += size;
  sizeOf(p) = size;
  ++live;
  return p;
}

void *LinkHeap::Part::allocate(size_t size, bool &isUnmapped) {
  size = std::max<size_t>((size + HeaderSize + 15) & ~size_t(15), 32);
  Block *&list = freed[classOf(size)];
  if (list && sizeOf(list) >= size) {
    Block *const block = list;
    list = block->next;
    ++live;
    return block;
  }
  if (size <= size_t(ready - next)) [[likely]]
    return cut(size);
  return allocateSlowly(size, isUnmapped);
}

/// A block of the next class is always large enough.
[[gnu::noinline]] void *LinkHeap::Part::allocateSlowly(size_t size,
                                                       bool &isUnmapped) {
  if (Block *&list = freed[classOf(size) + 1]) {
    Block *const block = list;
    list = block->next;
    ++live;
    return block;
  }
  if (size > size_t(regionEnd - next)) {
    keepRest();
    if (!addRegion()) {
      isUnmapped = true;
      return nullptr;
    }
  }
  return makeReady(size) ? cut(size) : nullptr;
}

/// What is left of the region is for smaller blocks, as far as it has memory.
void LinkHeap::Part::keepRest() {
  if (regions->isProvided() && heap.account->charge(regionEnd - ready)) {
    charged += regionEnd - ready;
    ready = regionEnd;
  }
  const size_t size = (ready - next) & ~size_t(15);
  if (size < 32)
    return;
  void *const rest = cut(size);
  --live;
  Block *&list = freed[classOf(size)];
  list = new (rest) Block{list};
}

bool LinkHeap::Part::addRegion() {
  HeapRegion *const region =
      HeapRegion::take(HeapRegion::Size, /*isHuge=*/regions->next != nullptr);
  if (!region)
    return false;
  region->heap = &heap;
  region->next = regions;
  regions = region;
  char *const begin = region->begin();
  next = ready = begin + firstBlock(sizeof(HeapRegion));
  regionEnd = begin + HeapRegion::Size;
  return true;
}

/// Charges and provides memory for a block of `size` bytes at `next`. The first
/// portion of a region is charged with what is before it.
bool LinkHeap::Part::makeReady(size_t size) {
  char *const begin = regions->begin();
  auto roundUp = [&](const char *p, size_t unit) {
    return begin + std::min<size_t>((p - begin + unit - 1) & ~(unit - 1),
                                    HeapRegion::Size);
  };
  char *const needed = next + size;
  char *to = roundUp(needed, ReadySize);
  constexpr size_t MostBefore =
      firstBlock(sizeof(HeapRegion) + sizeof(LinkHeap) + sizeof(Part));
  const char *const from = size_t(ready - begin) <= MostBefore ? begin : ready;
  if (!heap.account->charge(to - from)) {
    to = roundUp(needed, Page);
    if (!heap.account->charge(to - from))
      return false;
  }
  charged += to - from;
  regions->provideUntil(to - begin);
  ready = to;
  return true;
}

void LinkHeap::Part::giveBackRest() {
  char *const begin = regions->begin();
  char *const end = begin + ((next - begin + Page - 1) & ~(Page - 1));
  if (ready <= end)
    return;
  heap.account->giveBack(ready - end);
  charged -= ready - end;
  ready = end;
}

void *LinkHeap::allocateAlone(size_t size, Account &account, bool &isUnmapped) {
  constexpr size_t Unit = 64 << 10; // A multiple of any system's pages.
  constexpr size_t Offset = firstBlock(sizeof(HeapRegion));
  if (size > size_t(PTRDIFF_MAX) / 2)
    return nullptr;
  const size_t all = (size + Offset + Unit - 1) & ~(Unit - 1);
  if (!account.charge(all))
    return nullptr;
  HeapRegion *const region =
      HeapRegion::take(std::max(all, HeapRegion::Size),
                       /*isHuge=*/all > HeapRegion::Size);
  if (!region) {
    account.giveBack(all);
    isUnmapped = true;
    return nullptr;
  }
  region->provideUntil(all);
  region->heap = nullptr;
  region->charged = all;
  region->account = account.number;
  char *const p = region->begin() + Offset;
  sizeOf(p) = all - Offset + HeaderSize;
  return p;
}

bool LinkHeap::Part::resize(void *p, size_t size) {
  const size_t old = sizeOf(p);
  if (size <= old - HeaderSize)
    return true;
  if (static_cast<char *>(p) + old != next || size > LargestBlock)
    return false;
  const size_t more = ((size + HeaderSize + 15) & ~size_t(15)) - old;
  if (more > size_t(ready - next))
    return false;
  next += more;
  sizeOf(p) = old + more;
  return true;
}

inline void LinkHeap::Part::release(void *p) {
  --live;
  const size_t size = sizeOf(p);
  if (static_cast<char *>(p) + size == next) {
    next -= size;
    return;
  }
  Block *&list = freed[classOf(size)];
  list = new (p) Block{list};
}
