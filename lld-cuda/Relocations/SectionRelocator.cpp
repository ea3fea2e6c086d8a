//===- SectionRelocator.cpp - Relocations of one output section -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// SectionRelocator::run() applies the relocations of one output section.
/// NativeRelocator.cpp and MercuryRelocator.cpp derive from it, and
/// processRelocations() runs one for each section, when addresses are settled.
/// It reads the inputs' entries, leaves out those that count as never read
/// (isRejected()), and carries out what RelocationFate.cpp decides for each: it
/// writes the field, or keeps the entry for the output.
///
/// nvlink keeps one list of all relocations to which each one read is
/// prepended. So every section's entries are walked backwards: the last one
/// read is patched first, and comes first in the output [relocation-order].
///
//===----------------------------------------------------------------------===//

#include "Relocations/SectionRelocator.h"
#include "Input/ObjectFile.h"
#include "Inputs.h"
#include "Merge/NativeCallees.h"
#include "Program.h"

using namespace llvm;
using namespace lld::cuda::elf;

namespace lld::cuda {

void FirstRelocationError::set(std::pair<uint32_t, size_t> at, Diagnostic d) {
  std::lock_guard<std::mutex> lock(mutex);
  if (message && at < position)
    return;
  position = at;
  message = std::move(d);
}

SectionRelocator::SectionRelocator(const Inputs &inputs, const Program &program,
                                   const RelocationSite &link,
                                   OutputSection &sec,
                                   FirstRelocationError &error)
    : inputs(inputs), program(program), sec(sec), patcher(inputs, sec),
      error(error), site(link.in(sec)),
      rejected(inputs, sec.native ? *sec.native : sec),
      turnsOrder(inputs.rules.reversesReadingOrder()) {
  if (const OutputSection &native = sec.native ? *sec.native : sec;
      native.writesMoved())
    moved = &native;
}

void SectionRelocator::run() {
  const OutputSection &native = sec.native ? *sec.native : sec;
  const bool isText = sec.owner && sec.owner->text == &native;
  if (isText)
    externSharedInstance = sec.owner->externSharedInstance;
  const size_t count = sec.relocations.size();
  for (size_t i = 0; i != count; ++i) {
    const size_t index = inOrder(i, count);
    const RelocationGroup &g = sec.relocations[index];
    // The code of a definition that was replaced later.
    if (isText && g.file->ordinal != sec.owner->definedIn)
      continue;
    const size_t before = sec.rela ? sec.rela->kept.size() : 0;
    patcher.begin(index);
    if (!sec.parts[g.part].isDropped) {
      beginGroup(g);
      processGroup();
    }
    patcher.end();
    if (sec.rela && !sec.copiedLiterals().empty())
      orderByLiteral(before);
  }
  patcher.finish();
  if (isText && sec.rela && !program.nativeCallees->empty())
    moveNativeCallsLast(sec.rela->kept.elements(), turnsOrder);
}

/// The last group that was read is written first: a final link reverses the
/// order, and a link whose output is linked again must not [order-reversed].
size_t SectionRelocator::inOrder(size_t i, size_t count) const {
  return turnsOrder ? count - 1 - i : i;
}

/// Orders the entries of a group that was copied with a device function's
/// literals: literal by literal, the last literal first.
void SectionRelocator::orderByLiteral(size_t from) {
  auto literalAt = [&](const KeptRelocation &r) {
    return upper_bound(sec.copiedLiterals(), r.offset);
  };
  stable_sort(sec.rela->kept.elements().drop_front(from),
              [&](const KeptRelocation &a, const KeptRelocation &b) {
                return literalAt(a) > literalAt(b);
              });
}

void SectionRelocator::beginGroup(const RelocationGroup &g) {
  group = &g;
  partBase = sec.parts[g.part].offset;
  offsetEnd = endOfOffsets();
  const Elf_Shdr &shdr = g.file->file.sections()[g.inputSection];
  hasLostRanges = g.file->hasLostRanges(shdr.sh_info);
  mayReject = hasLostRanges || moved || rejected.rejectsAny(*g.file) ||
              (rejected.isFrameOrLineTable() && program.purgesDebugEntries);
}

inline void SectionRelocator::addKept(OutputSection &out,
                                      const KeptRelocation &entry) {
  // Most groups are kept as a whole or not at all.
  out.kept.makeRoom(inputs.memory.shared, entriesLeft);
  out.kept.push_back(inputs.memory.shared, entry);
}

/// Carries out what decide() says of most entries: their symbol is a function
/// that stays, so the entry is kept as it was read, or dropped. Returns false,
/// with nothing done, for any other entry.
inline bool SectionRelocator::keepReference(const Elf_Rela &r, Symbol *s) {
  if (!s || !s->isFunction())
    return false;
  const auto &f = static_cast<const Function &>(*s);
  const uint32_t type = r.getType(false);
  const RelocationInfo *info = getRelocationInfo(type);
  if (!f.reachable || f.aliasOf || !info || info->finalType != type)
    return false;
  if (fateOfFunction(f, type, info) == Fate::Drop)
    return site.resolvesReferences;
  if (!sec.rela || r.r_offset >= offsetEnd)
    return false;
  addKept(*sec.rela, {partBase + r.r_offset, type, s, r.r_addend});
  return true;
}

template <typename Rel>
inline void SectionRelocator::processEntries(ArrayRef<Rel> entries) {
  constexpr bool IsRela = std::is_same_v<Rel, Elf_Rela>;
  const ObjectFile &obj = *group->file;
  const View view = sec.view();
  const size_t count = entries.size();
  // The symbols of the native view are those of `obj`, but for sections, for
  // which it has null.
  Symbol *const *const symbols = IsRela && !mayReject && view == View::Native
                                     ? obj.symbols.data()
                                     : nullptr;
  for (size_t i = 0; i != count; ++i) {
    const size_t index = inOrder(i, count);
    entriesLeft = count - i;
    const Rel &r = entries[index];
    if constexpr (IsRela)
      if (symbols && keepReference(r, symbols[r.getSymbol(false)]))
        continue;
    uint64_t base;
    Symbol *s = obj.resolve(r.getSymbol(false), base, view);
    int64_t addend = 0;
    if constexpr (IsRela) {
      if (!mayReject && !symbols && keepReference(r, s))
        continue;
      addend = r.r_addend;
    }
    entryIndex = index;
    const RelocationEntry e{r.r_offset, r.getType(false), r.getSymbol(false),
                            addend, IsRela};
    if (!mayReject || !isRejected(e))
      process(e, standIn(s), base);
  }
}

void SectionRelocator::processGroup() {
  const ObjectFile &obj = *group->file;
  const uint32_t section = group->inputSection;
  if (obj.file.sections()[section].sh_type == SHT_REL)
    processEntries(obj.file.rels(section));
  else
    processEntries(obj.relas(section));
}

/// Whether an entry counts as never read.
bool SectionRelocator::isRejected(const RelocationEntry &e) const {
  const ObjectFile &obj = *group->file;
  if (rejected.rejects(obj, e.symbolIndex))
    return true;
  if (moved && !moved->hasMoved(partBase + e.offset))
    return true;
  if (rejected.isFrameOrLineTable() && e.isRela) {
    Symbol *s = obj.symbols[e.symbolIndex];
    if (s && s->isFunction() &&
        group->sequence < static_cast<Function *>(s)->debugPurgedBefore)
      return true;
  }
  // [relocation-in-lost-variable]
  return hasLostRanges && obj.isInLostRange(e.offset);
}

uint64_t SectionRelocator::offsetOf(const RelocationEntry &e) const {
  const uint64_t offset = partBase + e.offset;
  return moved ? moved->movedOffset(offset) : offset;
}

/// What an entry means by a symbol: the function that an alias stands for
/// [alias-functions], a kernel's instance of its dynamic shared arrays
/// [relocatable-places-dynamic-shared].
Symbol *SectionRelocator::standIn(Symbol *s) const {
  if (!s || !site.resolvesReferences)
    return s;
  if (s->isFunction() && static_cast<Function *>(s)->aliasOf)
    return static_cast<Function *>(s)->aliasOf;
  if (externSharedInstance && s->isVariable() &&
      static_cast<Variable *>(s)->isDynamicShared())
    return externSharedInstance;
  return s;
}

inline void SectionRelocator::process(const RelocationEntry &e, Symbol *s,
                                      uint64_t base) {
  const Decision d = decide(site, s, e.type);
  switch (d.fate) {
  case Fate::Drop:
    return;
  case Fate::Clear:
    return clear(e, *d.info);
  case Fate::Resolve:
    return resolve(e, d, s, base);
  case Fate::FillInAndKeep:
    resolve(e, d, s, base);
    [[fallthrough]];
  case Fate::Keep:
    return keep(e, d, s, base);
  case Fate::LeavesSection:
    return fatal(DiagId::InternalError,
                 {"Internal error: PC relative branch address should be in the "
                  "same section"});
  case Fate::Unexpected:
    return fatal(DiagId::InternalError, {"Internal error: unexpected NVRS"});
  }
}

void SectionRelocator::clear(const RelocationEntry &e,
                             const RelocationInfo &info) {
  MutableArrayRef<uint8_t> bytes = patcher.bytesAt(e.offset);
  const size_t size = info.action == RelocAction::Clear32 ? 4 : 8;
  std::fill_n(bytes.begin(), std::min(bytes.size(), size), 0);
}

/// [relocation-past-end]
uint64_t SectionRelocator::endOfOffsets() const {
  return sec.parts[group->part].bytes.size();
}

int64_t SectionRelocator::movedOffset(const Symbol &, int64_t offset) const {
  return offset;
}

/// REL entries may become RELA ones [relocation-force-rela].
inline void SectionRelocator::keep(const RelocationEntry &e, const Decision &d,
                                   Symbol *s, uint64_t base) {
  if (e.offset >= offsetEnd)
    return fatal(DiagId::InternalError,
                 {"Internal error: relocation is past end of offset"});
  // Where a section went is no addend that a REL entry could have: a later link
  // doesn't look into the field if the section moves again
  // [relocation-implicit-addend].
  const bool asRela =
      e.isRela || inputs.config.forceRela || (base && !site.resolvesReferences);
  OutputSection *out = asRela ? sec.rela : sec.rel;
  if (!out)
    return fatal(DiagId::InternalError,
                 {"Internal error: no relocation section for ",
                  diag::section(sec.name)});
  int64_t addend = keptAddend(e, d, asRela, base);
  if (s && s->isSection())
    addend = movedOffset(*s, addend);
  addKept(*out, {offsetOf(e), d.type, s, addend});
}

/// The addend of an entry that stays. That of a REL entry stays in the field,
/// so that is where the base goes.
int64_t SectionRelocator::keptAddend(const RelocationEntry &e,
                                     const Decision &d, bool asRela,
                                     uint64_t base) {
  int64_t addend = e.addend;
  if (asRela && !e.isRela) {
    if (d.info)
      addend = readRelocationField(patcher.bytesAt(e.offset), *d.info);
  } else if (!e.isRela && base) {
    if (d.info)
      patchRelocation(patcher.bytesAt(e.offset), *d.info, base, 0,
                      /*implicitAddend=*/true);
  }
  return addend + int64_t(base);
}

void SectionRelocator::resolve(const RelocationEntry &e, const Decision &d,
                               Symbol *s, uint64_t base) {
  if (e.offset >= offsetEnd)
    return fatal(DiagId::InternalError,
                 {"Internal error: reloc address not found"});
  if (sec.resolvedRela && isListedWhenResolved(site, s))
    list(e, d, s, base);
  // A REL entry against a section that moved becomes RELA with its offset as
  // addend, and the field's content is ignored [relocation-implicit-addend].
  const bool implicit = !e.isRela && !base;
  writeField(e, *d.info, s, valueOf(site, *d.info, s, base), implicit);
}

/// --preserve-relocs: a resolved relocation as it would have been kept. What
/// the field of a REL entry held is its addend [resolved-list].
void SectionRelocator::list(const RelocationEntry &e, const Decision &d,
                            Symbol *s, uint64_t base) {
  const uint64_t addend =
      e.isRela ? e.addend
               : readRelocationField(patcher.bytesAt(e.offset), *d.info);
  sec.resolvedRela->kept.push_back(
      inputs.memory.shared, {offsetOf(e), d.type, s, int64_t(addend + base)});
}

} // namespace lld::cuda
