//===- ResolvedRelocations.cpp - --preserve-relocs: resolved relocations --===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// With --preserve-relocs every relocation that the link resolves is listed in
/// .nv.resolvedrela.<section>, beside .rel and .rela of that section, for tools
/// that edit linked code [resolved-list]. createResolvedRelocationSection()
/// makes the list's section. MergeSections.cpp calls it when a section gets its
/// first relocations, and LayoutConstants.cpp for banks that it makes;
/// SectionRelocator.cpp fills the list. isKeptForRelocations() tells the
/// writers of symbol tables which shared variables the list may name.
///
//===----------------------------------------------------------------------===//

#include "Inputs.h"
#include "Program.h"
#include "Twins.h"

using namespace llvm;
using namespace lld::cuda::elf;

namespace lld::cuda {

/// Created right after the first relocation section of the same target, used
/// or not: its name is in the string tables in any case.
void createResolvedRelocationSection(const Inputs &inputs, Program &program,
                                     OutputSection &target) {
  target.resolvedRela = createSection(
      inputs, program, SectionKind::ResolvedRela,
      inputs.memory.join(".nv.resolvedrela", target.name), target.owner);
  target.resolvedRela->target = &target;
  if (inputs.isMercury())
    getTwin(inputs, program, *target.resolvedRela);
}

bool isKeptForRelocations(const Inputs &inputs, const Variable &v) {
  return v.isShared() && (v.defined || v.keptForDebugger) &&
         !inputs.isRelocatable() && !inputs.keepsDebugShared();
}

} // namespace lld::cuda
