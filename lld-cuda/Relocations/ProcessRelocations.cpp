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

void processRelocations(Ctx &ctx) {
  FirstRelocationError error;
  SmallVector<OutputSection *, 16> targets;
  for (OutputSection *sec : ctx.sections)
    if (sec->reachable) {
      if (!sec->relocations.empty())
        targets.push_back(sec);
      if (sec->mercury && !sec->mercury->relocations.empty())
        targets.push_back(sec->mercury);
    }
  parallelForEach(ctx, targets.size(), targets.size(), [&](size_t i) {
    OutputSection &sec = *targets[i];
    if (sec.native)
      relocateMercury(ctx, sec, error);
    else
      relocateNative(ctx, sec, error);
  });
  if (error.message)
    ctx.diag.report(*std::move(error.message));
}

} // namespace lld::cuda
