//===- Occupancy.cpp - How many warps a multiprocessor holds --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The resource reports of a link (ResourceModel.cpp) and of finished cubins
/// (MeasureCubin.cpp) call computeOccupancy() for each kernel. Four resources
/// limit how many blocks fit on a multiprocessor, and the scarcest decides. A
/// kernel for sm_80 with 256 threads and 128 registers has 8 warps of 4096
/// registers; each of the four parts of the register file holds 4 warps, so 16
/// warps or 2 blocks fit, which is 25 % of 64 warps.
///
//===----------------------------------------------------------------------===//

#include "lld-cuda/Resources/Occupancy.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

using namespace llvm;

namespace lld::cuda {

namespace {
struct SmLimits {
  unsigned sm;
  uint32_t warps, blocks, sharedKiB, sharedUnit, sharedReserved, parts;
};
} // namespace

static constexpr SmLimits LimitsBySm[] = {
#define OCCUPANCY(SM, WARPS, BLOCKS, SHARED, UNIT, RESERVED, PARTS)            \
  {SM, WARPS, BLOCKS, SHARED, UNIT, RESERVED, PARTS},
#include "lld-cuda/Resources/OccupancyLimits.def"
};

std::optional<Occupancy> computeOccupancy(unsigned sm,
                                          const BlockNeeds &block) {
  constexpr uint32_t WarpSize = 32, Registers = 65536, RegisterUnit = 256;
  const SmLimits *limits = partition_point(
      LimitsBySm, [&](const SmLimits &l) { return l.sm <= sm; });
  if (limits == std::begin(LimitsBySm) || !block.threads)
    return std::nullopt;
  --limits;
  const uint32_t warps = divideCeil(block.threads, WarpSize);
  // Each part of the register file serves its own warps.
  const uint32_t ofWarp = std::max<uint32_t>(
      alignTo(uint64_t(block.registers) * WarpSize, RegisterUnit), 1);
  const uint64_t shared =
      alignTo(block.shared + limits->sharedReserved, limits->sharedUnit);
  // To start, a block needs registers for a multiple of four warps.
  const bool fits = alignTo(warps, 4) * ofWarp <= Registers;
  const std::pair<StringRef, uint64_t> most[] = {
      {"warps", limits->warps / warps},
      {"blocks", limits->blocks},
      {"registers", fits ? uint64_t(Registers / limits->parts / ofWarp) *
                               limits->parts / warps
                         : 0},
      {"shared memory",
       shared ? uint64_t(limits->sharedKiB) * 1024 / shared : limits->blocks}};
  // If limits are equal the first counts: nobody can change warps and blocks.
  const auto *least = std::min_element(
      std::begin(most), std::end(most),
      [](const auto &a, const auto &b) { return a.second < b.second; });
  Occupancy result;
  result.threads = block.threads;
  result.blocks = least->second;
  result.warps = least->second * warps;
  result.maxWarps = limits->warps;
  result.limit = least->first;
  return result;
}

} // namespace lld::cuda
