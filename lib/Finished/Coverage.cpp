//===- Coverage.cpp - Which code runs on which GPU ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lld-cuda/Finished/Coverage.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace lld::cuda {

using elf::Architecture;

static constexpr GpuFacts Gpus[] = {
#define CUDA_GPU(NUMBER, FAMILY, IS_EMBEDDED, FIRST_DRIVER)                    \
  {NUMBER, FAMILY, IS_EMBEDDED, FIRST_DRIVER},
#include "lld-cuda/Finished/Gpus.def"
};

static constexpr DriverFacts Drivers[] = {
#define CUDA_DRIVER(BRANCH, CUDA_MAJOR, CUDA_MINOR, PTX_MAJOR, PTX_MINOR)      \
  {BRANCH, {CUDA_MAJOR, CUDA_MINOR}, {PTX_MAJOR, PTX_MINOR}},
#include "lld-cuda/Finished/Drivers.def"
};

ArrayRef<GpuFacts> allGpus() { return Gpus; }
ArrayRef<DriverFacts> allDrivers() { return Drivers; }

const GpuFacts *findGpu(unsigned number) {
  const auto *it =
      find_if(Gpus, [&](const GpuFacts &g) { return g.number == number; });
  return it == std::end(Gpus) ? nullptr : it;
}

const DriverFacts *findDriver(unsigned branch) {
  const auto *it = find_if(
      Drivers, [&](const DriverFacts &d) { return d.branch == branch; });
  return it == std::end(Drivers) ? nullptr : it;
}

const DriverFacts *findDriverForPtx(Version ptx) {
  const auto *it =
      find_if(Drivers, [&](const DriverFacts &d) { return d.ptx >= ptx; });
  return it == std::end(Drivers) ? nullptr : it;
}

static bool isOfFamily(unsigned code, unsigned gpu) {
  const GpuFacts *first = findGpu(code), *second = findGpu(gpu);
  return first && second && first->family == second->family && gpu >= code;
}

bool runsOn(Architecture code, unsigned gpu) {
  if (code.number == gpu)
    return true;
  if (code.suffix == Architecture::Accelerated)
    return false;
  if (code.suffix == Architecture::Family)
    return isOfFamily(code.number, gpu);
  const GpuFacts *first = findGpu(code.number), *second = findGpu(gpu);
  if (!first || !second || first->isEmbedded || second->isEmbedded)
    return false;
  return code.number / 10 == gpu / 10 && gpu > code.number;
}

bool compilesFor(Architecture ptx, unsigned gpu) {
  if (ptx.suffix == Architecture::Accelerated)
    return ptx.number == gpu;
  if (ptx.suffix == Architecture::Family)
    return isOfFamily(ptx.number, gpu);
  return ptx.number <= gpu;
}

} // namespace lld::cuda
