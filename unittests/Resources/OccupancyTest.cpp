//===- OccupancyTest.cpp - Occupancy, calculated by hand ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lld-cuda/Resources/Occupancy.h"
#include "gtest/gtest.h"

using namespace lld::cuda;

static void expect(unsigned sm, BlockNeeds needs, uint32_t blocks,
                   unsigned percent, llvm::StringRef limit) {
  const std::optional<Occupancy> o = computeOccupancy(sm, needs);
  ASSERT_TRUE(o);
  EXPECT_EQ(o->blocks, blocks);
  EXPECT_EQ(o->percent(), percent);
  EXPECT_EQ(o->limit, limit);
}

// 256 threads are 8 warps; 64 of them fit.
TEST(Occupancy, Warps) { expect(90, {256, 32, 0}, 8, 100, "warps"); }

// 32 blocks of a warp each; sm_86 has place for 16.
TEST(Occupancy, Blocks) {
  expect(90, {32, 16, 0}, 32, 50, "blocks");
  expect(86, {32, 16, 0}, 16, 33, "blocks");
}

// 72 registers are 2304 a warp, of which 7 fit into a quarter of 16384: 28
// warps, 3 blocks of 8. 33 registers count as 40: 12 warps in a quarter.
TEST(Occupancy, Registers) {
  expect(90, {256, 72, 0}, 3, 37, "registers");
  expect(80, {256, 33, 0}, 6, 75, "registers");
}

// A block of more threads than registers allow doesn't start.
TEST(Occupancy, NoBlock) { expect(90, {1024, 255, 0}, 0, 0, "registers"); }

// 48 KiB and the system's one, of 228: 4 blocks. sm_75 keeps nothing back and
// has 64: 1 block. 4000 bytes are 5120 with the
// kilobyte, in units of 128, of 102400: 20 blocks
TEST(Occupancy, Shared) {
  expect(90, {128, 32, 49152}, 4, 25, "shared memory");
  expect(75, {128, 32, 49152}, 1, 12, "shared memory");
  expect(89, {32, 16, 4000}, 20, 41, "shared memory");
}

TEST(Occupancy, Unknown) {
  EXPECT_FALSE(computeOccupancy(35, {256, 32, 0}));
  EXPECT_FALSE(computeOccupancy(90, {0, 32, 0}));
}
