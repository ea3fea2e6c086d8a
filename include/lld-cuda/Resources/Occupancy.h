//===- Occupancy.h - How many warps a multiprocessor holds ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The theoretical occupancy of a kernel, as NVIDIA's public occupancy
/// calculator has it: a multiprocessor takes blocks until its warps, its
/// places for blocks, its registers or its shared memory are used up.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_RESOURCES_OCCUPANCY_H
#define LLD_CUDA_RESOURCES_OCCUPANCY_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>

namespace lld::cuda {

struct Occupancy {
  uint32_t threads = 0; ///< In a block.
  uint32_t blocks = 0;  ///< On a multiprocessor at a time.
  uint32_t warps = 0, maxWarps = 0;
  llvm::StringRef limit; ///< "warps", "blocks", "registers" or "shared memory".

  unsigned percent() const { return maxWarps ? warps * 100 / maxWarps : 0; }
};

/// Threads of a block where the source promises nothing.
constexpr uint32_t UsualBlockSize = 256;

/// What one block of a kernel needs of a multiprocessor.
struct BlockNeeds {
  uint32_t threads = 0;
  uint32_t registers = 0; ///< Each thread's.
  uint64_t shared = 0;    ///< Without what the system reserves.

  bool operator!=(const BlockNeeds &other) const {
    return threads != other.threads || registers != other.registers ||
           shared != other.shared;
  }
};

/// Nothing for architectures without a row in OccupancyLimits.def.
std::optional<Occupancy> computeOccupancy(unsigned sm, const BlockNeeds &block);

} // namespace lld::cuda

#endif
