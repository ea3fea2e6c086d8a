//===- Occupancy.h - Theoretical occupancy of kernels -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Computes the theoretical occupancy of a kernel, as NVIDIA's public occupancy
/// calculator does: a multiprocessor takes blocks until its warps, block slots,
/// registers or shared memory are used up. Resource reports call it for each
/// kernel: those of a link (ResourceModel.cpp of the linker) and those of
/// finished images (MeasureCubin.cpp).
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_RESOURCES_OCCUPANCY_H
#define LLD_CUDA_RESOURCES_OCCUPANCY_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>

namespace lld::cuda {

/// How well a kernel fills a multiprocessor, and what limits it.
struct Occupancy {
  uint32_t threads = 0; ///< Threads in a block.
  uint32_t blocks = 0;  ///< Blocks on a multiprocessor at a time.
  uint32_t warps = 0, maxWarps = 0;
  llvm::StringRef limit; ///< "warps", "blocks", "registers" or "shared memory".

  unsigned percent() const { return maxWarps ? warps * 100 / maxWarps : 0; }
};

/// Threads assumed in a block if the source states no block size.
constexpr uint32_t UsualBlockSize = 256;

/// What one block of a kernel needs of a multiprocessor.
struct BlockNeeds {
  uint32_t threads = 0;
  uint32_t registers = 0; ///< Registers of each thread.
  uint64_t shared = 0;    ///< Bytes, without the part reserved by the system.

  bool operator!=(const BlockNeeds &other) const {
    return threads != other.threads || registers != other.registers ||
           shared != other.shared;
  }
};

/// Returns nullopt for architectures without a row in OccupancyLimits.def.
std::optional<Occupancy> computeOccupancy(unsigned sm, const BlockNeeds &block);

} // namespace lld::cuda

#endif
