//===- OccupancyGuideTest.cpp - Against the programming guide's figures ---===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The figures are those of the CUDA Programming Guide for CUDA 13, "Compute
/// Capabilities", tables "Device and Streaming Multiprocessor (SM) Information"
/// and "Memory Information per Compute Capability"
/// (docs.nvidia.com/cuda/cuda-programming-guide/05-appendices/
/// compute-capabilities.html, December 2025). Each is asked for by a block that
/// only just fits. The guide doesn't say in which units registers and memory
/// are given out; OccupancyHeaderTest.cpp has those from NVIDIA's calculator.
///
//===----------------------------------------------------------------------===//

#include "lld-cuda/Resources/Occupancy.h"
#include "gtest/gtest.h"

using namespace lld::cuda;

namespace {
struct Capability {
  unsigned sm;
  uint32_t blocks, warps, threads; ///< Resident on a multiprocessor.
  uint32_t sharedKib, sharedOfBlockKib;
};
} // namespace

static constexpr Capability Capabilities[] = {
    {75, 16, 32, 1024, 64, 64},    {80, 32, 64, 2048, 164, 163},
    {86, 16, 48, 1536, 100, 99},   {87, 16, 48, 1536, 164, 163},
    {89, 24, 48, 1536, 100, 99},   {90, 32, 64, 2048, 228, 227},
    {100, 32, 64, 2048, 228, 227}, {103, 32, 64, 2048, 228, 227},
    {110, 24, 48, 1536, 228, 227}, {120, 24, 48, 1536, 100, 99},
    {121, 24, 48, 1536, 100, 99}};

// Of all capabilities.
static constexpr uint32_t Registers = 64 * 1024, WarpSize = 32,
                          ThreadsOfBlock = 1024;

static Occupancy occupancy(unsigned sm, const BlockNeeds &needs) {
  const std::optional<Occupancy> o = computeOccupancy(sm, needs);
  EXPECT_TRUE(o) << "sm_" << sm;
  return o.value_or(Occupancy());
}

TEST(OccupancyGuide, WarpsAndBlocks) {
  for (const Capability &c : Capabilities) {
    EXPECT_EQ(c.warps * WarpSize, c.threads);
    // Of the smallest blocks there are as many as there may be.
    const Occupancy small = occupancy(c.sm, {WarpSize, 1, 0});
    EXPECT_EQ(small.blocks, c.blocks) << "sm_" << c.sm;
    EXPECT_EQ(small.maxWarps, c.warps) << "sm_" << c.sm;
    // Of larger ones as many as threads.
    const Occupancy usual = occupancy(c.sm, {256, 1, 0});
    EXPECT_EQ(usual.blocks * 256, c.threads) << "sm_" << c.sm;
  }
}

TEST(OccupancyGuide, Registers) {
  for (const Capability &c : Capabilities) {
    const uint32_t most = Registers / ThreadsOfBlock;
    EXPECT_EQ(occupancy(c.sm, {ThreadsOfBlock, most, 0}).blocks, 1u);
    EXPECT_EQ(occupancy(c.sm, {ThreadsOfBlock, most + 1, 0}).blocks, 0u);
  }
}

TEST(OccupancyGuide, SharedMemory) {
  for (const Capability &c : Capabilities) {
    const uint64_t most = uint64_t(c.sharedOfBlockKib) << 10;
    EXPECT_EQ(occupancy(c.sm, {WarpSize, 1, most}).blocks, 1u) << c.sm;
    EXPECT_EQ(occupancy(c.sm, {WarpSize, 1, most + 1}).blocks, 0u) << c.sm;
    // The multiprocessor's, without the kibibyte of the system that each block
    // has, divided among four.
    const uint64_t system = uint64_t(c.sharedKib - c.sharedOfBlockKib) << 10;
    const uint64_t quarter = (uint64_t(c.sharedKib) << 10) / 4 - system;
    EXPECT_EQ(occupancy(c.sm, {WarpSize, 1, quarter}).blocks, 4u) << c.sm;
    EXPECT_EQ(occupancy(c.sm, {WarpSize, 1, quarter + 1}).blocks, 3u) << c.sm;
  }
}
