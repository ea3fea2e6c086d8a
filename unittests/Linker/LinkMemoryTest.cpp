//===- LinkMemoryTest.cpp -------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LinkMemory.h"
#include "gtest/gtest.h"
#include <algorithm>
#include <memory>
#include <thread>
#include <vector>

using namespace lld::cuda;

namespace {

/// Blocks of an arena, each filled with bytes of its own.
struct Blocks {
  struct Block {
    uint8_t *p;
    size_t size;
    uint8_t byte;
  };
  std::vector<Block> all;

  void take(SharedArena &arena, size_t size, uint8_t byte) {
    auto *p = arena.Allocate<uint8_t>(size);
    std::fill(p, p + size, byte);
    all.push_back({p, size, byte});
  }
  bool areIntact() const {
    return std::all_of(all.begin(), all.end(), [](const Block &b) {
      return std::all_of(b.p, b.p + b.size,
                         [&](uint8_t c) { return c == b.byte; });
    });
  }
};

} // namespace

TEST(SharedArena, BlocksAreApart) {
  SharedArena arena;
  Blocks blocks;
  for (int i = 0; i != 5000; ++i)
    blocks.take(arena, i % 7 ? i % 300 : i * 2, uint8_t(i));
  EXPECT_TRUE(blocks.areIntact());
}

TEST(SharedArena, BlocksAreAligned) {
  SharedArena arena;
  for (int i = 0; i != 1000; ++i) {
    arena.Allocate<uint8_t>(i % 5);
    EXPECT_EQ(uintptr_t(arena.Allocate<uint32_t>(i % 4)) % 4, 0u);
    EXPECT_EQ(uintptr_t(arena.Allocate<uint64_t>(i % 300)) % 8, 0u);
  }
}

/// A thread's chunk is one arena's.
TEST(SharedArena, ArenasTakeTurns) {
  SharedArena first, second;
  Blocks ofFirst, ofSecond;
  for (int i = 0; i != 2000; ++i) {
    ofFirst.take(first, i % 90, uint8_t(i));
    ofSecond.take(second, i % 70, uint8_t(~i));
  }
  EXPECT_TRUE(ofFirst.areIntact());
  EXPECT_TRUE(ofSecond.areIntact());
}

/// A new arena at the place of one that is gone takes nothing from its chunk.
TEST(SharedArena, ChunksOfArenasThatAreGoneAreNotUsed) {
  for (int i = 0; i != 100; ++i) {
    auto arena = std::make_unique<SharedArena>();
    Blocks blocks;
    for (int k = 0; k != 50; ++k)
      blocks.take(*arena, 100, uint8_t(k));
    EXPECT_TRUE(blocks.areIntact());
  }
}

TEST(SharedArena, ThreadsAllocateAtOnce) {
  SharedArena arena;
  std::vector<Blocks> blocks(8);
  std::vector<std::thread> threads;
  for (size_t t = 0; t != blocks.size(); ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i != 5000; ++i)
        blocks[t].take(arena, i % 200, uint8_t(t + i));
    });
  for (std::thread &t : threads)
    t.join();
  for (const Blocks &b : blocks)
    EXPECT_TRUE(b.areIntact());
}
