//===- ControlGroups.h - Limits of a process's control groups ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Reads the limits of the Linux control groups that this process is in, as
/// containers and service managers set them: processor time and memory.
/// Parallel.cpp asks when it first counts processors, Limits.cpp when it first
/// asks for the available memory. The lowest limit of a group and the groups
/// around it counts. Versions 1 and 2 of the kernel's interface are supported.
/// https://docs.kernel.org/admin-guide/cgroup-v2.html (cpu.max, memory.max)
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_SUPPORT_CONTROLGROUPS_H
#define LLD_CUDA_SUPPORT_CONTROLGROUPS_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>

namespace lld::cuda {

/// The file that lists a process's groups, and the folder that has a folder for
/// each group. The defaults are those of this process; unit tests set others.
struct ControlGroups {
  llvm::StringRef list = "/proc/self/cgroup";
  llvm::StringRef root = "/sys/fs/cgroup";

  /// Returns the limit of processor time, as a number of processors, rounded
  /// up; nullopt if there is none.
  std::optional<unsigned> processors() const;
  /// Returns the memory limit in bytes; nullopt if there is none.
  std::optional<uint64_t> memory() const;
};

} // namespace lld::cuda

#endif
