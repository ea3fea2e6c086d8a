//===- Entries.cpp - --check: the inputs' relocations, read again ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// An EntryReader reads the inputs' relocations of one output section once
/// more, at the end of a link with --check. Contents.cpp makes one for each
/// section and compares the output with what each entry asks for. The reader
/// visits the entries in the link's order (SectionRelocator.cpp) and leaves out
/// what the link leaves out: entries of definitions that another object's
/// replaced, entries inside weak variables that lost, and entries in blocks
/// that aren't in the output. It asks decide() in RelocationFate.h what happens
/// to an entry, as the link did; a mistake there isn't found.
///
//===----------------------------------------------------------------------===//

#include "Check/Entries.h"
#include "Input/ObjectFile.h"
#include "Inputs.h"

using namespace llvm;
using namespace lld::cuda::elf;

namespace lld::cuda {

EntryReader::EntryReader(const CheckedImage &image, const OutputSection &sec)
    : inputs(image.inputs()), sec(sec), native(sec.native ? *sec.native : sec),
      turnsOrder(inputs.rules.reversesReadingOrder()),
      isText(sec.owner && sec.owner->text == &native),
      place(makeRelocationSite(inputs, image.program()).in(sec)),
      rejected(inputs, native) {
  if (native.writesMoved())
    moved = &native;
  if (isText)
    externShared = sec.owner->externSharedInstance;
}

/// Visits the entries of the section, without those of code that another
/// definition replaced and of parts that the link dropped.
void EntryReader::forEach(function_ref<void(const ReadEntry &)> visit) {
  const size_t count = sec.relocations.size();
  for (size_t i = 0; i != count; ++i) {
    const RelocationGroup &g = sec.relocations[turnsOrder ? count - 1 - i : i];
    const bool isReplaced = isText && g.file->ordinal != sec.owner->definedIn;
    if (!isReplaced && !sec.parts[g.part].isDropped)
      readGroup(g, visit);
  }
}

void EntryReader::readGroup(const RelocationGroup &g,
                            function_ref<void(const ReadEntry &)> visit) {
  const ObjectFile &obj = *g.file;
  const Elf_Shdr &shdr = obj.file.sections()[g.inputSection];
  const bool isRela = shdr.sh_type != SHT_REL;
  ArrayRef<Elf_Rela> relas;
  ArrayRef<Elf_Rel> rels;
  if (isRela)
    relas = obj.relas(g.inputSection);
  else
    rels = obj.file.rels(g.inputSection);
  const bool hasLostRanges = obj.hasLostRanges(shdr.sh_info);
  const size_t count = isRela ? relas.size() : rels.size();
  for (size_t i = 0; i != count; ++i) {
    const size_t at = turnsOrder ? count - 1 - i : i;
    const Elf_Rel &r = isRela ? relas[at] : rels[at];
    const uint32_t symbol = r.getSymbol(false);
    if (!counts(g, r.r_offset, symbol, isRela, hasLostRanges))
      continue;
    const int64_t addend = isRela ? int64_t(relas[at].r_addend) : 0;
    uint64_t base;
    Symbol *s = meant(obj.resolve(symbol, base, sec.view()));
    visit({&g, r.r_offset, addend, isRela, s, base,
           decide(place, s, r.getType(false))});
  }
}

bool EntryReader::counts(const RelocationGroup &g, uint64_t offset,
                         uint32_t symbol, bool isRela,
                         bool hasLostRanges) const {
  const ObjectFile &obj = *g.file;
  if (rejected.rejectsAny(obj) && rejected.rejects(obj, symbol))
    return false;
  if (moved && !moved->hasMoved(sec.parts[g.part].offset + offset))
    return false;
  if (isRela && rejected.isFrameOrLineTable()) {
    const Symbol *s = obj.symbols[symbol];
    if (s && s->isFunction() &&
        g.sequence < static_cast<const Function *>(s)->debugPurgedBefore)
      return false;
  }
  return !hasLostRanges || !obj.isInLostRange(offset);
}

/// An alias's function; a kernel's instance of its dynamic shared arrays.
Symbol *EntryReader::meant(Symbol *s) const {
  if (!s || !place.resolvesReferences)
    return s;
  if (s->isFunction() && static_cast<Function *>(s)->aliasOf)
    return static_cast<Function *>(s)->aliasOf;
  const bool isArray =
      s->isVariable() && static_cast<Variable *>(s)->isDynamicShared();
  return externShared && isArray ? externShared : s;
}

} // namespace lld::cuda
