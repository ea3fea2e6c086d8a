//===- ProcessRelocations.cpp - Applying or keeping all relocations -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// processRelocations() applies the relocations of all sections.
/// relocateAndMoveCode() in Link.cpp calls it when all addresses are known
/// except those of functions and of global memory, which the driver chooses,
/// and before code moves. Each relocation is resolved (its field gets a value),
/// kept (for the driver or the next link) or dropped, as RelocationFate.cpp
/// decides. Sections don't depend on each other and are processed in parallel.
/// If several fail, the error that comes first in the order of inputs is
/// reported, so that threads don't change the output.
///
//===----------------------------------------------------------------------===//

#include "Inputs.h"
#include "Parallel.h"
#include "Passes.h"
#include "Program.h"
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
  const RelocationSite link = makeRelocationSite(inputs, program);
  parallelForEach(inputs, targets.size(), targets.size(), [&](size_t i) {
    OutputSection &sec = *targets[i];
    if (sec.native)
      relocateMercury(inputs, program, link, sec, error);
    else
      relocateNative(inputs, program, link, sec, error);
  });
  if (error.message)
    inputs.diag.report(*std::move(error.message));
}

} // namespace lld::cuda
