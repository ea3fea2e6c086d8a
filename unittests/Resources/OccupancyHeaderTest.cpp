//===- OccupancyHeaderTest.cpp - Occupancy as the toolkit's headers say ---===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Built where a CUDA toolkit is found: its cuda_occupancy.h calculates, and
/// its cccl/cuda/__device/arch_traits.h, if it has that, says what a
/// multiprocessor holds.
///
//===----------------------------------------------------------------------===//

#include "lld-cuda/Resources/Occupancy.h"
#include "llvm/Support/MemoryBuffer.h"
#include "gtest/gtest.h"
#include <climits>
#include <cstring>
#include <random>
#include <regex>

#include <cuda_occupancy.h>

using namespace lld::cuda;

namespace {
struct Limits {
  unsigned sm, warps, blocks, sharedKiB, unit, reserved, parts;
};
} // namespace

static constexpr Limits Table[] = {
#define OCCUPANCY(SM, WARPS, BLOCKS, SHARED, UNIT, RESERVED, PARTS)            \
  {SM, WARPS, BLOCKS, SHARED, UNIT, RESERVED, PARTS},
#include "lld-cuda/Resources/OccupancyLimits.def"
};

/// What a driver would say of such a device; the header knows the rest.
static cudaOccDeviceProp describe(const Limits &limits) {
  cudaOccDeviceProp device;
  device.computeMajor = int(limits.sm / 10);
  device.computeMinor = int(limits.sm % 10);
  device.maxThreadsPerBlock = 1024;
  device.maxThreadsPerMultiprocessor = int(limits.warps * 32);
  device.regsPerBlock = device.regsPerMultiprocessor = 65536;
  // Of sm_53 and sm_62, a block has half of them.
  if (limits.sm == 53 || limits.sm == 62)
    device.regsPerBlock = 32768;
  device.warpSize = 32;
  device.sharedMemPerBlock = 48 << 10;
  device.sharedMemPerMultiprocessor = limits.sharedKiB << 10;
  device.numSms = 1;
  device.sharedMemPerBlockOptin =
      device.sharedMemPerMultiprocessor - limits.reserved;
  device.reservedSharedMemPerBlock = limits.reserved;
  return device;
}

TEST(OccupancyHeader, Units) {
  for (const Limits &limits : Table) {
    const cudaOccDeviceProp device = describe(limits);
    int value = 0;
    if (cudaOccMaxBlocksPerMultiprocessor(&value, &device) != CUDA_OCC_SUCCESS)
      continue; // This toolkit doesn't know it.
    EXPECT_EQ(unsigned(value), limits.blocks) << "sm_" << limits.sm;
    ASSERT_EQ(cudaOccSMemAllocationGranularity(&value, &device),
              CUDA_OCC_SUCCESS);
    EXPECT_EQ(unsigned(value), limits.unit) << "sm_" << limits.sm;
    ASSERT_EQ(cudaOccRegAllocationGranularity(&value, &device),
              CUDA_OCC_SUCCESS);
    EXPECT_EQ(value, 256);
    ASSERT_EQ(cudaOccSubPartitionsPerMultiprocessor(&value, &device),
              CUDA_OCC_SUCCESS);
    EXPECT_EQ(unsigned(value), limits.parts) << "sm_" << limits.sm;
  }
}

// Random needs of blocks that a launch without dynamic shared memory can have.
TEST(OccupancyHeader, Blocks) {
  std::mt19937 random(1);
  auto choose = [&](unsigned least, unsigned most) {
    return least + random() % (most - least + 1);
  };
  for (const Limits &limits : Table) {
    const cudaOccDeviceProp device = describe(limits);
    int known = 0;
    if (device.regsPerBlock != device.regsPerMultiprocessor ||
        cudaOccMaxBlocksPerMultiprocessor(&known, &device) != CUDA_OCC_SUCCESS)
      continue;
    for (unsigned i = 0; i != 2000; ++i) {
      BlockNeeds needs;
      needs.threads = choose(1, 1024);
      needs.registers = choose(1, 255);
      needs.shared = choose(0, 1) ? choose(0, 48 << 10) : choose(0, 4096);
      cudaOccFuncAttributes function;
      function.maxThreadsPerBlock = INT_MAX;
      function.numRegs = int(needs.registers);
      function.sharedSizeBytes = needs.shared;
      function.partitionedGCConfig = PARTITIONED_GC_OFF;
      const cudaOccDeviceState state;
      cudaOccResult result = {};
      ASSERT_EQ(cudaOccMaxActiveBlocksPerMultiprocessor(
                    &result, &device, &function, &state, int(needs.threads), 0),
                CUDA_OCC_SUCCESS);
      const std::optional<Occupancy> own = computeOccupancy(limits.sm, needs);
      ASSERT_TRUE(own);
      ASSERT_EQ(int(own->blocks), result.activeBlocksPerMultiprocessor)
          << "sm_" << limits.sm << ", " << needs.threads << " threads, "
          << needs.registers << " registers, " << needs.shared << " bytes";
    }
  }
}

/// The value that an architecture's function sets, or that it has from another
/// one.
static unsigned readTrait(const std::string &text, const std::string &sm,
                          const std::string &name) {
  std::smatch match;
  const std::regex function("> arch_traits<|arch_traits<arch_id::sm_" + sm +
                            ">\\(\\) noexcept\n\\{([^}]*?)\n\\}");
  std::sregex_iterator it(text.begin(), text.end(), function), end;
  for (; it != end; ++it) {
    const std::string body = (*it)[1];
    if (body.empty())
      continue;
    if (std::regex_search(body, match,
                          std::regex(name + " += ([0-9]+)( \\* 1024)?;")))
      return unsigned(std::stoul(match[1])) * (match[2].length() ? 1024 : 1);
    if (std::regex_search(body, match,
                          std::regex("::arch_traits<arch_id::sm_([0-9]+)>")))
      return readTrait(text, match[1], name);
  }
  return 0;
}

TEST(OccupancyHeader, Traits) {
  auto file = llvm::MemoryBuffer::getFile(LLDCUDA_ARCH_TRAITS);
  if (!file)
    GTEST_SKIP() << "the toolkit has no arch_traits.h";
  const std::string text = (*file)->getBuffer().str();
  unsigned compared = 0;
  for (const char *sm : {"60", "61", "62", "70", "75", "80", "86", "87", "88",
                         "89", "90", "100", "103", "110", "120", "121"}) {
    const unsigned blocks =
        readTrait(text, sm, "max_blocks_per_multiprocessor");
    const unsigned threads =
        readTrait(text, sm, "max_threads_per_multiprocessor");
    const unsigned shared =
        readTrait(text, sm, "max_shared_memory_per_multiprocessor");
    if (!blocks || !threads || !shared)
      continue;
    ++compared;
    const unsigned number = unsigned(std::stoul(sm));
    const Limits *row = std::end(Table);
    while (row[-1].sm > number)
      --row;
    --row;
    EXPECT_EQ(row->blocks, blocks) << "sm_" << sm;
    EXPECT_EQ(row->warps * 32, threads) << "sm_" << sm;
    EXPECT_EQ(row->sharedKiB * 1024, shared) << "sm_" << sm;
    EXPECT_EQ(row->reserved, number >= 80 ? 1024u : 0u) << "sm_" << sm;
  }
  EXPECT_GE(compared, 10u);
}
