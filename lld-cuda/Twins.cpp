//===- Twins.cpp - Sections of the Mercury view, and their names ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// From sm_100 on a cubin holds its code natively and as Mercury
/// (docs/reference/mercury.md), and most native sections have a twin in the
/// Mercury view. getTwin() finds or makes the twin of a native section;
/// getMergeName() and getNativeName() translate names between the two views.
/// The merge calls getTwin() whenever a native section gets a part or a
/// relocation section, passes that lay out memory do for what they make.
/// .text.F has .nv.capmerc.text.F; other sections have .nv.merc and their name.
/// A few twins have another name: nvlink's merge names the Mercury view and its
/// finalizer the native one, and for some sections the two use different names.
/// The twin of .nv.constant3 is .nv.merc.nv.constant.user, for example, and
/// these names are in the string tables.
///
//===----------------------------------------------------------------------===//

#include "Twins.h"
#include "Inputs.h"
#include "Numbered.h"
#include "Program.h"

using namespace llvm;
using namespace lld::cuda::elf;

namespace lld::cuda {

std::string getMergeName(const OutputSection &sec) {
  StringRef name = sec.name, prefix;
  if (sec.kind == SectionKind::Rela)
    prefix = ".rela";
  else if (sec.kind == SectionKind::ResolvedRela)
    prefix = ".nv.resolvedrela";
  else if (sec.target)
    return {};
  const SectionKind kind = sec.target ? sec.target->kind : sec.kind;
  if (!getTwinFacts(kind).isRenamed)
    return {};
  name = name.drop_front(prefix.size());
  for (const RenamedSection &r : getRenamedSections())
    if (r.kind == kind && name.starts_with(r.native))
      return (prefix + r.merge + name.drop_front(r.native.size())).str();
  return {};
}

std::string getNativeName(StringRef name) {
  StringRef prefix;
  if (name.consume_front(".nv.capmerc"))
    return name.str();
  name.consume_front(".nv.merc");
  if (name.consume_front(".rela"))
    prefix = ".rela";
  if (!name.starts_with(".nv.constant."))
    return (prefix + name).str();
  for (const RenamedSection &r : getRenamedSections())
    if (name.starts_with(r.merge))
      return (prefix + r.native + name.drop_front(r.merge.size())).str();
  return (prefix + name).str();
}

OutputSection *getTwin(const Inputs &inputs, Program &program,
                       OutputSection &native) {
  if (native.mercury)
    return native.mercury;
  // One that the table doesn't know isn't written.
  const TwinFacts &facts = getTwinFacts(native.kind);
  std::string name = getMergeName(native);
  StringRef prefix = native.isText() ? ".nv.capmerc" : ".nv.merc";
  OutputSection &twin = program.sectionStorage.emplace_back(
      native.kind,
      inputs.memory.strings.save(
          prefix + (name.empty() ? native.name : StringRef(name))));
  twin.setHeader(facts ? facts.type : native.type,
                 facts.flags | SHF_CUDA_MERCURY,
                 facts.align ? facts.align : native.align, native.entsize);
  twin.owner = native.owner;
  twin.native = &native;
  twin.symbol = native.symbol;
  twin.isSharedCopy = facts.bytes == TwinBytes::Native;
  native.mercury = &twin;
  if (native.target) {
    OutputSection *target = getTwin(inputs, program, *native.target);
    (native.kind == SectionKind::ResolvedRela ? target->resolvedRela
                                              : target->rela) = &twin;
  }
  return &twin;
}

size_t getMercurySymbolCount(const Numbered &numbered) {
  auto isNativeOnly = [](const Symbol &s) {
    return s.kind == Symbol::Kind::NativeCallee ||
           (s.isSection() && s.section->kind == SectionKind::ParameterBank);
  };
  size_t count = numbered.finalSymbols.size();
  while (count && isNativeOnly(*numbered.finalSymbols[count - 1]))
    --count;
  return count;
}

} // namespace lld::cuda
