//===- LinkHeapTest.cpp ---------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LinkHeap.h"
#include "HeapRegion.h"
#include "Memory.h"
#include "gtest/gtest.h"
#include <cstring>
#include <functional>
#include <memory>
#include <random>
#include <sys/mman.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace lld::cuda::capi;

// What is Memory.cpp's in the library.
std::atomic<uint64_t> Account::accounts;
bool Account::allowsMore(int64_t) { return false; }
LinkHeap *Account::getHeap() { return heap; }
void Account::endHeap() {}

static std::atomic<size_t> mapped;
static bool canMap = true;

void *lld::cuda::capi::mapPages(size_t size) {
  if (!canMap)
    return nullptr;
  void *p = ::mmap(nullptr, size, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED)
    return nullptr;
  mapped += size;
  return p;
}

void lld::cuda::capi::unmapPages(void *p, size_t size) {
  mapped -= size;
  ::munmap(p, size);
}

namespace {

/// An account with a heap, and the part of it that the test uses.
struct TestHeap {
  Account account;
  LinkHeap *heap;
  LinkHeap::Part *part;

  explicit TestHeap(uint64_t limit = 1 << 30) {
    account.setLimit(limit);
    heap = LinkHeap::create(account);
    part = heap->enter();
  }
  ~TestHeap() { end(); }
  void end() {
    if (!heap)
      return;
    heap->leave(part);
    heap->end();
    heap = nullptr;
    part = nullptr;
  }
  void *take(size_t size) {
    bool isUnmapped = false;
    return size > LinkHeap::LargestBlock
               ? LinkHeap::allocateAlone(size, account, isUnmapped)
               : part->allocate(size, isUnmapped);
  }
  void free(void *p) { LinkHeap::release(p, part, &account); }
};

} // namespace

void Account::setLimit(uint64_t bytes) { limit = int64_t(bytes); }

TEST(LinkHeap, BlocksAreApartAndKeepTheirBytes) {
  TestHeap heap;
  std::mt19937 random(1);
  struct Taken {
    unsigned char *p;
    size_t size;
    unsigned char byte;
  };
  std::vector<Taken> all;
  auto check = [](const Taken &t) {
    ASSERT_TRUE(std::all_of(t.p, t.p + t.size, [&](unsigned char c) {
      return c == t.byte;
    })) << t.size;
  };
  for (int i = 0; i != 20000; ++i) {
    if (random() % 3 && !all.empty()) {
      Taken &t = all[random() % all.size()];
      check(t);
      if (random() % 4 == 0 && heap.part->resize(t.p, t.size * 2)) {
        t.size *= 2;
        memset(t.p, t.byte, t.size);
        continue;
      }
      heap.free(t.p);
      t = all.back();
      all.pop_back();
      continue;
    }
    // Sizes of all magnitudes up to 4 MiB.
    const size_t size = random() % (size_t(2) << random() % 22);
    auto *p = static_cast<unsigned char *>(heap.take(size));
    ASSERT_TRUE(p);
    ASSERT_EQ(uintptr_t(p) % 16, 0u);
    ASSERT_TRUE(LinkHeap::owns(p));
    ASSERT_GE(LinkHeap::usableSize(p), size);
    const size_t usable = LinkHeap::usableSize(p);
    all.push_back({p, usable, static_cast<unsigned char>(i)});
    memset(p, i, usable);
  }
  for (const Taken &t : all) {
    check(t);
    heap.free(t.p);
  }
}

TEST(LinkHeap, FreedBlocksAreUsedAgain) {
  TestHeap heap;
  void *const first = heap.take(100);
  heap.take(100);
  heap.free(first);
  EXPECT_EQ(heap.take(90), first);
}

TEST(LinkHeap, OnlyTheLastBlockGrowsInItsPlace) {
  TestHeap heap;
  void *const first = heap.take(100), *last = heap.take(100);
  EXPECT_TRUE(heap.part->resize(first, 104)); // There is so much.
  EXPECT_FALSE(heap.part->resize(first, 200));
  EXPECT_TRUE(heap.part->resize(last, 200));
  EXPECT_GE(LinkHeap::usableSize(last), 200u);
}

TEST(LinkHeap, OtherMemoryIsNotOwned) {
  int local;
  static int global;
  auto onHeap = std::make_unique<int>();
  for (const void *p :
       {(const void *)&local, (const void *)&global, (const void *)onHeap.get(),
        (const void *)nullptr, (const void *)UINTPTR_MAX})
    EXPECT_FALSE(LinkHeap::owns(p));
}

TEST(LinkHeap, HasNoMoreThanTheAccountAllows) {
  TestHeap heap(1 << 20);
  size_t taken = 0;
  while (heap.take(1000))
    taken += 1000;
  EXPECT_GT(taken, 900000u);
  EXPECT_LE(taken, 1u << 20);
  EXPECT_FALSE(heap.take(3 << 20));
  EXPECT_FALSE(heap.take(SIZE_MAX / 2));
}

TEST(LinkHeap, WhatIsFreedAloneIsGivenBackToTheAccount) {
  TestHeap heap(8 << 20);
  for (int i = 0; i != 10; ++i) {
    void *p = heap.take(5 << 20);
    ASSERT_TRUE(p);
    EXPECT_FALSE(heap.take(5 << 20));
    heap.free(p);
  }
}

TEST(LinkHeap, BlocksOutliveIt) {
  TestHeap heap;
  char *const kept = strcpy(static_cast<char *>(heap.take(6)), "still");
  for (int i = 0; i != 1000; ++i)
    heap.take(5000);
  // They are lost with the heap, but for this one.
  auto *large = static_cast<char *>(heap.take(5 << 20));
  strcpy(large, "there");
  heap.end();
  TestHeap other;
  for (int i = 0; i != 1000; ++i)
    memset(other.take(5000), 0, 5000);
  EXPECT_STREQ(kept, "still");
  EXPECT_STREQ(large, "there");
  LinkHeap::release(large, other.part, &other.account);
  EXPECT_TRUE(LinkHeap::owns(kept));
  LinkHeap::release(kept, other.part, &other.account);
}

/// The last block frees the heap, whoever frees it.
TEST(LinkHeap, GoesWithItsLastBlock) {
  auto linkOnce = [](bool outlives) {
    TestHeap heap;
    std::vector<void *> blocks;
    for (int i = 0; i != 10000; ++i)
      blocks.push_back(heap.take(5000));
    if (outlives)
      heap.end();
    for (void *p : blocks)
      LinkHeap::release(p, heap.part, nullptr);
  };
  linkOnce(false);
  linkOnce(true);
  const size_t before = mapped.load();
  for (int i = 0; i != 20; ++i)
    linkOnce(i % 2);
  EXPECT_EQ(mapped.load(), before);
}

TEST(LinkHeap, ThreadsFreeTheBlocksOfOthers) {
  TestHeap heap;
  constexpr int Threads = 8, Count = 5000;
  std::vector<std::vector<void *>> blocks(Threads);
  auto inThreads = [&](const std::function<void(int, LinkHeap::Part *)> &fn) {
    std::vector<std::thread> threads;
    for (int t = 0; t != Threads; ++t)
      threads.emplace_back([&, t] {
        LinkHeap::Part *part = heap.heap->enter();
        ASSERT_TRUE(part);
        fn(t, part);
        heap.heap->leave(part);
      });
    for (std::thread &t : threads)
      t.join();
  };
  inThreads([&](int t, LinkHeap::Part *part) {
    for (int i = 0; i != Count; ++i) {
      bool isUnmapped = false;
      void *p = part->allocate(i % 500, isUnmapped);
      memset(p, t, LinkHeap::usableSize(p));
      blocks[t].push_back(p);
    }
  });
  inThreads([&](int t, LinkHeap::Part *part) {
    const int other = (t + 1) % Threads;
    for (int i = 0; i != Count; ++i) {
      const auto *bytes = static_cast<unsigned char *>(blocks[other][i]);
      for (size_t k = 0; k != LinkHeap::usableSize(bytes); ++k)
        ASSERT_EQ(bytes[k], other);
      // Half of the threads are outside the heap.
      LinkHeap::release(blocks[other][i], t % 2 ? part : nullptr,
                        &heap.account);
    }
  });
}

TEST(LinkHeap, SaysThatTheSystemHasNoMemory) {
  TestHeap heap;
  canMap = false;
  bool isUnmapped = false;
  // Regions are left from tests before this. The last one is used up.
  for (size_t size : {100000, 1000, 16, 100000, 16}) {
    isUnmapped = false;
    while (heap.part->allocate(size, isUnmapped))
      ;
    EXPECT_TRUE(isUnmapped);
  }
  isUnmapped = false;
  EXPECT_FALSE(LinkHeap::allocateAlone(300 << 20, heap.account, isUnmapped));
  EXPECT_TRUE(isUnmapped);
  Account other;
  EXPECT_FALSE(LinkHeap::create(other));
  canMap = true;
  EXPECT_TRUE(heap.take(100000));
}

/// A process that was forked in the middle of a link can link.
TEST(LinkHeap, WorksInAForkedProcess) {
  TestHeap heap;
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (!child) {
    TestHeap own;
    bool isRight = true;
    for (int i = 0; i != 1000; ++i) {
      void *p = own.take(5000);
      isRight &= p != nullptr;
      memset(p, 1, 5000);
    }
    own.end();
    _exit(isRight ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}
