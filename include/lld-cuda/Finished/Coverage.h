//===- Coverage.h - Which code runs on which GPU ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The rules by which the driver takes an image for a GPU, as NVIDIA documents
/// them. Facts: Gpus.def, Drivers.def.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_FINISHED_COVERAGE_H
#define LLD_CUDA_FINISHED_COVERAGE_H

#include "lld-cuda/BinaryFormat/Architectures.h"
#include "llvm/ADT/ArrayRef.h"
#include <cstdint>
#include <utility>

namespace lld::cuda {

struct GpuFacts {
  uint16_t number, family;
  bool isEmbedded;
  uint16_t firstDriver; ///< 0: not known.
};
llvm::ArrayRef<GpuFacts> allGpus();
/// Null for what isn't in the table.
const GpuFacts *findGpu(unsigned number);

/// A version as major and minor number, such as 8.7 of the PTX ISA.
using Version = std::pair<uint16_t, uint16_t>;

struct DriverFacts {
  uint16_t branch;
  Version cuda, ptx;
};
llvm::ArrayRef<DriverFacts> allDrivers();
/// Null for a branch that isn't in the table.
const DriverFacts *findDriver(unsigned branch);
/// The first driver that compiles such PTX; null if none is known.
const DriverFacts *findDriverForPtx(Version ptx);

/// Whether machine code runs on a GPU. Code with suffix a runs on its own GPU
/// alone, with suffix f on those of its family from its own number on. All
/// other code runs where the major number is the same and the minor one isn't
/// smaller, but not from or to an embedded GPU. (CUDA Programming Guide,
/// "Binary Compatibility", "Feature Set Compiler Targets".)
bool runsOn(elf::Architecture code, unsigned gpu);

/// Whether PTX can be compiled for a GPU: for any newer one, unless a suffix
/// says as above. (The same, "PTX Compatibility".)
bool compilesFor(elf::Architecture ptx, unsigned gpu);

} // namespace lld::cuda

#endif
