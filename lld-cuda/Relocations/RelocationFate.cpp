//===- RelocationFate.cpp - Which relocations are resolved or kept --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// decide() says what happens to a relocation: it is resolved, kept or dropped;
/// valueOf() says which value a resolved one gets. SectionRelocator.cpp asks
/// for each entry when it relocates a section, and --check asks again for the
/// output (Check/Entries.cpp, Check/Contents.cpp).
///
/// A link knows the addresses of constants, shared variables and sections, and
/// resolves references to them. The driver chooses those of code and global
/// memory, so references to them are kept. -r keeps more, because more may
/// still move. The symbol decides first, then the type: an entry against a
/// function or global memory is kept whatever its type [relocation-fate].
///
//===----------------------------------------------------------------------===//

#include "Relocations/RelocationFate.h"
#include "Inputs.h"
#include "Merge/Merge.h"
#include "Program.h"
#include "llvm/Support/Compiler.h"

using namespace llvm;
using namespace lld::cuda::elf;

namespace lld::cuda {

RelocationSite makeRelocationSite(const Inputs &inputs,
                                  const Program &program) {
  RelocationSite site;
  site.resolvesReferences = inputs.rules.resolvesReferences();
  site.isRelocatable = inputs.isRelocatable();
  site.keepsSharedReferences = inputs.rules.keepsSharedReferences();
  site.hasMercury = inputs.isMercury();
  site.keepsDebugShared = inputs.keepsDebugShared();
  site.hasUnifiedFunctions =
      site.isRelocatable &&
      findNamedSection(program, SectionKind::FunctionTable);
  return site;
}

static bool isTexture(const Symbol *s) {
  return s && s->isVariable() && static_cast<const Variable *>(s)->isTexture();
}

/// The driver decides where global memory lies, and where unified variables.
static bool isInDriverMemory(const Symbol &s) {
  return s.section && (s.section->kind == SectionKind::Global ||
                       s.section->kind == SectionKind::GlobalInit ||
                       s.section->kind == SectionKind::UnifiedData);
}

/// The driver fills in references to reserved shared memory, and sizes of
/// descriptors [symbol-descriptor-sizes]. The Mercury view keeps all references
/// to reserved shared memory, the native view only those to the driver's own
/// part.
static bool isFilledInByDriver(const RelocationSite &site, const Symbol &s) {
  if (!s.isVariable())
    return false;
  return static_cast<const Variable &>(s).isReserved ||
         s.name.starts_with(".nv.reservedSmem.") ||
         (site.view == View::Mercury && s.space() == STO_CUDA_RESERVED_SHARED);
}

/// A variable whose definition a later link may choose: -r keeps weak ones,
/// constants included, and undefined ones in global memory
/// [relocatable-resolves-references]. With a Mercury view it keeps textures,
/// too [relocation-fate].
static bool isLeftToLastLink(const RelocationSite &site, const Symbol &s) {
  if (!site.isRelocatable || !s.isVariable())
    return false;
  if (isTexture(&s))
    return site.hasMercury;
  if (site.keepsSharedReferences && static_cast<const Variable &>(s).isShared())
    return true;
  return s.isWeak() || (!s.defined && s.space() == STO_CUDA_GLOBAL);
}

/// Where a rebuilt line table begins, for .debug_info: the Mercury view keeps
/// these entries always, and -r makes native ones from them
/// [relocatable-line-table-offsets].
static bool isKeptLineTable(const RelocationSite &site, const Symbol &s) {
  return site.isRelocatable && site.hasMercury && s.isSection() &&
         s.section->kind == SectionKind::DebugLine;
}

/// Native code that reads a texture's slot: -r keeps the entry, but the
/// finalizer fills in where slots begin. What tells the slot's offset stays
/// (code for debugging).
static bool isFilledIn(const RelocationSite &site, const Symbol &s,
                       const RelocationInfo *info) {
  return info && info->action == RelocAction::Constant && site.isRelocatable &&
         site.isText && site.view == View::Native && isTexture(&s);
}

/// Without unified functions there is no table of them, and entries that name
/// it mean nothing. Final links have none [unified-table-references].
static Fate fateOfUnifiedTable(const RelocationSite &site, const Symbol &s) {
  return site.hasUnifiedFunctions && s.name.starts_with("__UFT") ? Fate::Keep
                                                                 : Fate::Drop;
}

/// Any other symbol has a known address, so the entry's type decides.
static Fate fateOfAddress(const RelocationInfo *info) {
  if (!info)
    return Fate::Unexpected;
  switch (info->action) {
  case RelocAction::Ignore:
  case RelocAction::Clear32:
  case RelocAction::Clear64:
    return Fate::Drop;
  case RelocAction::Keep:
    return Fate::Keep;
  case RelocAction::Field:
  case RelocAction::Byte:
  case RelocAction::Constant:
    return Fate::Resolve;
  case RelocAction::PCRel:
    return Fate::LeavesSection;
  case RelocAction::FuncDesc:
  case RelocAction::Invalid:
    break;
  }
  return Fate::Unexpected;
}

/// Returns the fate of an entry that names no function.
LLVM_ATTRIBUTE_NOINLINE static Fate fateOfOther(const RelocationSite &site,
                                                const Symbol *s,
                                                const RelocationInfo *info) {
  if (!s)
    return fateOfAddress(info);
  if (s->kind == Symbol::Kind::NativeCallee)
    return Fate::Keep;
  if (s->isVariable() && isUnifiedTableName(s->name))
    return fateOfUnifiedTable(site, *s);
  if (isInDriverMemory(*s) || isFilledInByDriver(site, *s) ||
      isLeftToLastLink(site, *s) || isKeptLineTable(site, *s))
    return isFilledIn(site, *s, info) ? Fate::FillInAndKeep : Fate::Keep;
  return fateOfAddress(info);
}

Decision decide(const RelocationSite &site, const Symbol *s, uint32_t type) {
  const RelocationInfo *info = getRelocationInfo(type);
  if (!site.resolvesReferences)
    return {Fate::Keep, type, info};
  if (info && !site.isRelocatable && info->finalType != type) {
    type = info->finalType;
    info = getRelocationInfo(type);
  }
  const Fate fate =
      s && s->isFunction()
          ? fateOfFunction(static_cast<const Function &>(*s), type, info)
          : fateOfOther(site, s, info);
  return {fate, type, info};
}

// Symbols outside the constant banks have a meaningless but fixed bank number
// [relocation-values].
constexpr uint8_t NoSectionBank = 28, SharedBank = 6, UserBank = 3,
                  CompilerBank = 2;

/// The address of a shared variable, -1 if it has none [shared-unallocated].
static RelocationValue valueOfShared(const RelocationSite &site,
                                     const Variable &v) {
  constexpr uint64_t NotAllocated = ~uint64_t(0);
  if (site.isRelocatable)
    return {v.value, SharedBank};
  if (!v.isDynamicShared())
    return {v.address.value_or(NotAllocated), SharedBank};
  if (site.owner && site.owner->dynamicSharedOffset)
    return {*site.owner->dynamicSharedOffset, SharedBank};
  // A function that no kernel reaches has no offset of its own.
  if (site.keepsDebugShared)
    return {v.debugOffset.value_or(0), SharedBank};
  return {NotAllocated, SharedBank};
}

/// A texture's slot in a kernel's parameter bank. With a Mercury view only a
/// constant operand names it as a whole; others get its offset from the first
/// slot, and fillInTextureBase() puts the base in another place.
static RelocationValue valueOfTexture(const RelocationSite &site,
                                      const RelocationInfo &info,
                                      const Variable &v) {
  const bool isOffset =
      site.view == View::Mercury ||
      (site.hasMercury && info.action != RelocAction::Constant);
  const bool hasBank = !site.isRelocatable || site.hasMercury;
  return {isOffset ? v.textureSlotOffset : v.textureSlot,
          hasBank ? uint8_t(0) : NoSectionBank};
}

RelocationValue valueOf(const RelocationSite &site, const RelocationInfo &info,
                        const Symbol *s, uint64_t base) {
  if (!s)
    return {0, NoSectionBank};
  if (s->isSection())
    return {base, uint8_t(s->section->bank() & 31)};
  if (s->isVariable()) {
    auto &v = static_cast<const Variable &>(*s);
    if (v.isTexture())
      return valueOfTexture(site, info, v);
    if (v.pooledOffset)
      return {*v.pooledOffset, CompilerBank};
    if (v.isShared())
      return valueOfShared(site, v);
  }
  if (!s->section) {
    // The finalizer knows the bank of an undefined constant.
    const bool isConstant = s->isVariable() && s->space() == STO_CUDA_CONSTANT;
    return {s->value, site.hasMercury && isConstant ? UserBank : NoSectionBank};
  }
  return {s->value + s->section->displacement(),
          uint8_t(s->section->bank() & 31)};
}

/// An extern array has a symbol in the output only where the debugger sees it,
/// and a shared variable without an address has none [shared-unallocated].
static bool hasNoSymbol(const RelocationSite &site, const Variable &v) {
  if (site.isRelocatable)
    return false;
  if (v.isShared() && !v.isDynamicShared() && !v.address)
    return true;
  const bool hasOffset = site.owner && site.owner->dynamicSharedOffset;
  return v.isTexture() || (v.isDynamicShared() && !site.keepsDebugShared &&
                           (hasOffset || !v.address));
}

bool isListedWhenResolved(const RelocationSite &site, const Symbol *s) {
  // [resolved-list-mercury]
  if (site.hasMercury && !site.isText)
    return false;
  if (!s || !s->isVariable())
    return !site.hasMercury;
  auto &v = static_cast<const Variable &>(*s);
  if (hasNoSymbol(site, v))
    return false;
  // Literals of device functions and .nv.ptx.const0.size have none either.
  if (v.section ? !v.section->reachable : v.isLocal())
    return false;
  return !site.hasMercury || v.isShared();
}

} // namespace lld::cuda
