//===- ProcessRelocations.cpp - Resolving or keeping relocations ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Every relocation is resolved (its field gets a value), kept (for the driver)
/// or dropped. All addresses but those of functions and of global memory are
/// known when this pass runs. Sections are independent of each other and are
/// processed in parallel.
///
//===----------------------------------------------------------------------===//

#include "Parallel.h"
#include "Passes.h"
#include "Relocations/SectionRelocator.h"

using namespace llvm;

namespace lld::cuda {

void processRelocations(const Inputs &inputs, const Program &program) {
  FirstRelocationError error;
  SmallVector<OutputSection *, 16> targets;
  for (OutputSection *sec : program.sections)
    if (sec->reachable) {
      if (!sec->relocations.empty())
        targets.push_back(sec);
      if (sec->mercury && !sec->mercury->relocations.empty())
        targets.push_back(sec->mercury);
    }
  parallelForEach(inputs, targets.size(), targets.size(), [&](size_t i) {
    OutputSection &sec = *targets[i];
    if (sec.native)
      relocateMercury(inputs, program, sec, error);
    else
      relocateNative(inputs, program, sec, error);
  });
  if (error.message)
    inputs.diag.report(*std::move(error.message));
}

} // namespace lld::cuda
