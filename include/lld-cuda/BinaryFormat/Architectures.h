//===- Architectures.h - SM architectures -----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The architectures a cubin can be for, their limits, and which object can be
/// linked into which target. The facts stand in Architectures.def.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_BINARYFORMAT_ARCHITECTURES_H
#define LLD_CUDA_BINARYFORMAT_ARCHITECTURES_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>

namespace lld::cuda::elf {

/// An architecture as written after "sm_": number and suffix.
struct Architecture {
  /// In the order in which a fatbin's entries of one number are preferred.
  enum Suffix : uint8_t { None, Family, Accelerated };
  uint16_t number = 0; ///< 75, 80, ... 121.
  Suffix suffix = None;

  bool isMercury() const { return number >= 100; }
  bool operator==(const Architecture &o) const {
    return number == o.number && suffix == o.suffix;
  }
};

/// What an architecture has of each memory, in bytes [architecture-table].
struct ArchitectureLimits {
  uint32_t sharedDefault;  ///< Static shared memory of a kernel.
  uint32_t sharedExtended; ///< Its limit for "a" targets and with
                           ///< -enable-extended-smem.
  uint32_t shared12;       ///< What linkers of CUDA 12 allow.
  uint32_t constant0Base;  ///< Size of the driver's header in .nv.constant0.
  uint32_t reservedShared; ///< Reserved part in front of shared memory.
  uint8_t fastpath;        ///< CAN_FASTPATH_FINALIZE of images, since 13.3.
  /// Toolkits, 10 * major + minor: the first one whose images for it can be
  /// written, and the first one that hasn't got it any more.
  unsigned since, until;
};

/// "90a" -> {90, Accelerated}; nothing for architectures outside the table.
std::optional<Architecture> parseArchitecture(llvm::StringRef name);

/// Null when the number is not in the table.
const ArchitectureLimits *getArchitectureLimits(unsigned number);

/// Whether a bare cubin for `object` (suffix Accelerated taken from .nv.compat)
/// can be linked into `target` by that toolkit [architecture-pairs].
bool isLinkCompatible(Architecture object, Architecture target,
                      unsigned toolkit);

} // namespace lld::cuda::elf

#endif
