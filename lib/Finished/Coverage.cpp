//===- Coverage.cpp - Which code runs on which GPU ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// cubin-check decides with runsOn() and compilesFor() whether an image helps
/// on a GPU. Machine code for sm_80 runs on sm_86, but not on sm_90 (another
/// major number) and not the other way round; code for sm_90a runs on sm_90
/// alone. PTX for compute_80 compiles for all of them. What isn't in the tables
/// of GPUs runs only on its own number: a guess could call a broken wheel good.
///
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
