//===- Coverage.h - Which code runs on which GPU ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The rules, as NVIDIA documents them, by which the CUDA driver chooses an
/// image for a GPU, and the tables of GPUs and driver branches that the rules
/// need. cubin-check asks them for the images of finished programs and
/// libraries, to tell on which GPUs and with which drivers a file runs
/// (CheckCoverage.cpp, Targets.cpp, CheckResources.cpp). The data is in
/// Gpus.def and Drivers.def.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_FINISHED_COVERAGE_H
#define LLD_CUDA_FINISHED_COVERAGE_H

#include "lld-cuda/BinaryFormat/Architectures.h"
#include "llvm/ADT/ArrayRef.h"
#include <cstdint>
#include <utility>

namespace lld::cuda {

/// A row of Gpus.def. `number` is 90 for sm_90. Code with suffix f runs on GPUs
/// of the same `family`.
struct GpuFacts {
  uint16_t number, family;
  bool isEmbedded;
  uint16_t firstDriver; ///< First driver branch that supports it; 0 if unknown.
};
llvm::ArrayRef<GpuFacts> allGpus();
/// Returns null if the table doesn't list the GPU.
const GpuFacts *findGpu(unsigned number);

/// A version as major and minor number, such as 8.7 of the PTX ISA.
using Version = std::pair<uint16_t, uint16_t>;

/// A row of Drivers.def: a driver branch such as 570, its CUDA version, and the
/// newest PTX that it compiles.
struct DriverFacts {
  uint16_t branch;
  Version cuda, ptx;
};
llvm::ArrayRef<DriverFacts> allDrivers();
/// Returns null if the table doesn't list the branch.
const DriverFacts *findDriver(unsigned branch);
/// Returns the first driver that compiles PTX of this ISA version; null if none
/// is known.
const DriverFacts *findDriverForPtx(Version ptx);

/// Returns whether machine code runs on a GPU. Code with suffix a runs only on
/// its own GPU; code with suffix f runs on the GPUs of its family from its own
/// number on. All other code runs where the major number is the same and the
/// minor one isn't smaller, but not across embedded and other GPUs. (CUDA
/// Programming Guide, "Binary Compatibility", "Feature Set Compiler Targets".)
bool runsOn(elf::Architecture code, unsigned gpu);

/// Returns whether PTX can be compiled for a GPU: for the same or any newer
/// one, unless a suffix restricts it as in runsOn(). (CUDA Programming Guide,
/// "PTX Compatibility".)
bool compilesFor(elf::Architecture ptx, unsigned gpu);

} // namespace lld::cuda

#endif
