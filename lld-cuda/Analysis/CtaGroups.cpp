//===- CtaGroups.cpp - Tensor memory of one CTA and of a pair -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Instructions of the tcgen05 family work on the tensor memory of one CTA
/// (.cta_group::1) or of a pair (.cta_group::2). A kernel must not do both,
/// itself or by what it calls [tensor-memory-mixed]. writeOutput() in Link.cpp
/// calls checkCtaGroups() when kernels have the attributes of all that they
/// reach, after the check of register limits; kernels with higher symbol
/// numbers are reported first.
///
//===----------------------------------------------------------------------===//

#include "Analysis/Resources.h"
#include "Inputs.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace lld::cuda::elf;

namespace lld::cuda {

/// A kernel can't use tensor memory of a single CTA and of a pair, itself or
/// through its callees. In single-kernel mode two callees that disagree go
/// unnoticed [tensor-memory-mixed].
void checkCtaGroups(const Inputs &inputs, Resources &res) {
  if (!res.sees(EIATTR_TCGEN05_1CTA_USED) ||
      !res.sees(EIATTR_TCGEN05_2CTA_USED))
    return;
  const int single = createdIndex(EIATTR_TCGEN05_1CTA_USED);
  const int pair = createdIndex(EIATTR_TCGEN05_2CTA_USED);
  const uint8_t ownBits = 1 << FlagPositions[EIATTR_TCGEN05_1CTA_USED] |
                          1 << FlagPositions[EIATTR_TCGEN05_2CTA_USED];
  std::vector<Function *> kernels = res.kernels;
  llvm::sort(kernels,
             [](Function *a, Function *b) { return a->index > b->index; });
  for (Function *e : kernels) {
    const KernelResources &r = *res.kernelOf(*e);
    if (!r.values[single] || !r.values[pair])
      continue;
    if (res.singleKernel && !(res.of(*e).flags & ownBits))
      continue;
    inputs.diag.report(DiagId::CtaGroupConflict,
                       {"Function ", diag::symbol(e->name),
                        " uses single CTA(.cta_group::1) and CTA pair "
                        "granularity(.cta_group::2) and that is not allowed."});
  }
}

} // namespace lld::cuda
