//===- ControlGroups.h - Limits of a process's control groups ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Containers and service managers limit processes by control groups: how much
/// of the processors' time and of the memory all processes of a group may take.
/// A group has no more than the groups that it is in. Both versions of the
/// kernel's interface are known.
/// https://docs.kernel.org/admin-guide/cgroup-v2.html (cpu.max, memory.max)
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_SUPPORT_CONTROLGROUPS_H
#define LLD_CUDA_SUPPORT_CONTROLGROUPS_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>

namespace lld::cuda {

/// Where a process's groups are told, and the folder with a folder for each:
/// this process's, unless a test has others.
struct ControlGroups {
  llvm::StringRef list = "/proc/self/cgroup";
  llvm::StringRef root = "/sys/fs/cgroup";

  /// How many processors' time there is, rounded up.
  std::optional<unsigned> processors() const;
  /// How many bytes of memory there are.
  std::optional<uint64_t> memory() const;
};

} // namespace lld::cuda

#endif
