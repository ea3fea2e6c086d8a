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
#include "NameHash.h"
#include "Program.h"
#include "Twins.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace lld::cuda::elf;

namespace lld::cuda {

/// Created right after the first relocation section of the same target, used
/// or not: its name is in the string tables in any case. Several local
/// functions of one name have one list, which is the first one's
/// [resolved-list-same-name].
void createResolvedRelocationSection(const Inputs &inputs, Program &program,
                                     OutputSection &target) {
  const StringRef name = inputs.memory.join(".nv.resolvedrela", target.name);
  OutputSection *&first = program.resolvedLists[hashed(name)];
  if (!first) {
    first = target.resolvedRela = createSection(
        inputs, program, SectionKind::ResolvedRela, name, target.owner);
  } else {
    // Not in the output, but it is filled at the same time as the first one.
    target.resolvedRela =
        &program.sectionStorage.emplace_back(SectionKind::ResolvedRela, name);
    program.addedLists.push_back({target.resolvedRela, first});
  }
  target.resolvedRela->target = &target;
  if (inputs.isMercury())
    getTwin(inputs, program, *target.resolvedRela);
}

static void append(const Inputs &inputs, const OutputSection &from,
                   OutputSection &to) {
  for (const KeptRelocation &r : from.kept)
    to.kept.push_back(inputs.memory.shared, r);
}

/// The list of the last function comes first.
void joinResolvedLists(const Inputs &inputs, Program &program) {
  // The lists so far, by the one that gets them.
  DenseMap<OutputSection *, OutputSection *> joined;
  auto join = [&](OutputSection &list, OutputSection &first) {
    OutputSection *&all = joined[&first];
    if (all)
      append(inputs, list, *all);
    else
      all = &list;
    // It isn't the list of one target any more.
    list.target->resolvedRela = nullptr;
    if (OutputSection *mercury = list.target->mercury)
      mercury->resolvedRela = nullptr;
    if (list.mercury && all != &list)
      append(inputs, *list.mercury, *all->mercury);
  };
  for (auto [list, first] : llvm::reverse(program.addedLists))
    join(*list, *first);
  for (auto [list, first] : program.addedLists)
    if (OutputSection *all = joined.lookup(first)) {
      join(*first, *first);
      first->kept.swap(all->kept);
      if (first->mercury)
        first->mercury->kept.swap(all->mercury->kept);
      joined.erase(first);
    }
}

bool isKeptForRelocations(const Inputs &inputs, const Variable &v) {
  return v.isShared() && (v.defined || v.keptForDebugger) &&
         !inputs.isRelocatable() && !inputs.keepsDebugShared();
}

} // namespace lld::cuda
