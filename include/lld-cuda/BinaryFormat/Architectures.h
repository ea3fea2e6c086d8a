//===- Architectures.h - Table of GPU architectures -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The table of GPU architectures that a cubin can be for (sm_75, sm_90a), with
/// their memory limits, and the rule for which objects can be linked into which
/// target. The linker asks it while it reads options and inputs, lays out
/// shared memory and writes reports; cubin-check and the resource reports ask
/// it when they judge a finished image. The data is in Architectures.def.
///
/// A tag in brackets, such as [architecture-table], names a rule of
/// docs/reference.
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
  /// In ascending order of preference: among a fatbin's entries for one number,
  /// the one with the highest suffix is taken.
  enum Suffix : uint8_t { None, Family, Accelerated };
  uint16_t number = 0; ///< 75, 80, ... 121.
  Suffix suffix = None;

  bool isMercury() const { return number >= 100; }
  bool operator==(const Architecture &o) const {
    return number == o.number && suffix == o.suffix;
  }
};

/// The sizes of an architecture's memories, in bytes [architecture-table].
struct ArchitectureLimits {
  uint32_t sharedDefault;  ///< Static shared memory of a kernel.
  uint32_t sharedExtended; ///< The limit of a kernel's static shared memory for
                           ///< "a" targets and with -enable-extended-smem.
  uint32_t shared12;       ///< The limit that linkers of CUDA 12 apply.
  uint32_t constant0Base;  ///< Size of the driver's header in .nv.constant0.
  uint32_t reservedShared; ///< Size of the reserved part before shared memory.
  /// The value of CAN_FASTPATH_FINALIZE in images, since CUDA 13.3.
  uint8_t fastpath;
  /// Toolkits as 10 * major + minor: the first one for which images of this
  /// architecture can be written, and the first one that has dropped the
  /// architecture.
  unsigned since, until;
};

/// Parses "90a" to {90, Accelerated}. Returns nullopt if the table doesn't list
/// the architecture.
std::optional<Architecture> parseArchitecture(llvm::StringRef name);

/// Returns null if the number is not in the table.
const ArchitectureLimits *getArchitectureLimits(unsigned number);

/// Returns whether a cubin for `object`, passed as a file of its own, can be
/// linked into `target` by the toolkit (10 * major + minor)
/// [architecture-pairs]. The suffix Accelerated of a cubin is read from its
/// .nv.compat section.
bool isLinkCompatible(Architecture object, Architecture target,
                      unsigned toolkit);

} // namespace lld::cuda::elf

#endif
