//===- OutputOrder.cpp - Which sections and symbols are written, and their
// numbers -===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Sections are numbered by kind, in creation order within a kind; symbols in
/// creation order, local and weak ones first (spec: ELF output, sections 2 and
/// 6). String tables name everything that was created and lives, written or not
/// (section 5).
///
//===----------------------------------------------------------------------===//

#include "Mercury.h"
#include "Merge.h"
#include "Parallel.h"
#include "Passes.h"
#include "Prefetch.h"
#include "StringTable.h"

using namespace llvm;
using namespace lld::cuda::elf;

namespace lld::cuda {

/// .symtab_shndx exists as soon as a creation number is too large for a symbol,
/// though the final numbers may not be. A final link has one more section, that
/// has no name, in front of .nv.info (spec: ELF output, section 6.6). Dead
/// sections count, but not for the finalizer (test/benchmarks/
/// many-sections.test).
static void decideExtendedIndices(Ctx &ctx) {
  uint32_t next = 1;
  forEachObject(ArrayRef(ctx.sections), [&](OutputSection &sec) {
    if (!sec.live && ctx.isMercury())
      return;
    if (&sec == ctx.nvinfo && !ctx.isRelocatable())
      ++next;
    sec.creationIndex = next++;
  });
  ctx.symtabShndx->emitted = next > SHN_LORESERVE;
}

static void numberSections(Ctx &ctx) {
  decideExtendedIndices(ctx);
  constexpr unsigned BucketCount = 8;
  std::vector<OutputSection *> buckets[BucketCount];
  forEachObject(ArrayRef(ctx.sections), [&](OutputSection &sec) {
    if (sec.live && sec.emitted)
      buckets[getSectionBucket(sec)].push_back(&sec);
  });
  for (auto &bucket : buckets)
    ctx.finalSections.insert(ctx.finalSections.end(), bucket.begin(),
                             bucket.end());
  if (ctx.isMercury())
    appendMercurySections(ctx);
  uint32_t index = 0;
  forEachObject(ArrayRef(ctx.finalSections),
                [&](OutputSection &sec) { sec.index = ++index; });
}

/// Shared variables stay in a final link only for the debugger, and if they
/// have an address (spec: ELF output, section 10).
static bool keepsShared(const Ctx &ctx, const Variable &v) {
  return (ctx.keepsDebugShared() || ctx.config.preserveRelocs) && v.address;
}

/// Whether a symbol's name is in the string table.
static bool isLive(const Ctx &ctx, const Symbol &s) {
  switch (s.kind) {
  case Symbol::Kind::Section:
    return s.section->live;
  case Symbol::Kind::Function:
    return s.live;
  case Symbol::Kind::InnerFunction:
    return s.section->owner->live;
  case Symbol::Kind::Variable:
    break;
  }
  auto &v = static_cast<const Variable &>(s);
  if (ctx.keepsForRelink() && v.section && v.section->orphan)
    return false;
  if (ctx.isRelocatable() || v.isTexture())
    return true;
  // Parameters and compiler constants; the constants of device functions moved
  // to the entries without their symbols. Undefined: .nv.ptx.const0.size.
  if ((v.other & 3) == STV_INTERNAL &&
      (!ctx.config.preserveRelocs || !v.section || !v.section->live))
    return false;
  return v.space() != STO_CUDA_SHARED || keepsShared(ctx, v);
}

static bool hasSectionSymbol(const Ctx &ctx, const OutputSection &sec) {
  if (!sec.live || !sec.emitted)
    return false;
  switch (sec.type) {
  case SHT_STRTAB:
  case SHT_SYMTAB:
  case SHT_SYMTAB_SHNDX:
  case SHT_CUDA_INFO:
  case SHT_CUDA_COMPAT:
  case SHT_REL:
  case SHT_RELA:
  case SHT_CUDA_RESOLVED_RELA:
    return false;
  case SHT_PROGBITS:
    // Empty debug sections have a header but no symbol (spec: seams, 12). With
    // a Mercury view that is what counts, before the finalizer.
    return sec.flags & SHF_ALLOC || ctx.keepsForRelink() ||
           (sec.mercury ? sec.mercury->size : sec.size);
  case SHT_CUDA_SHARED:
    return ctx.isRelocatable() ? sec.contributed
                               : sec.size > sec.reservedSize();
  default:
    return true;
  }
}

static void numberSymbols(Ctx &ctx) {
  ctx.finalSymbols.reserve(ctx.locals.size() + ctx.globals.size());
  auto add = [&](Symbol &s) {
    ctx.finalSymbols.push_back(&s);
    s.index = ctx.finalSymbols.size();
  };
  forEachSymbol(ArrayRef(ctx.locals), [&](Symbol &s) {
    s.live = isLive(ctx, s);
    if (s.live && (!s.isSection() || hasSectionSymbol(ctx, *s.section)))
      add(s);
  });
  ctx.firstGlobalSymbol = ctx.finalSymbols.size() + 1;
  forEachSymbol(ArrayRef(ctx.globals), [&](Symbol &s) {
    s.live = isLive(ctx, s);
    if (s.live && (ctx.isRelocatable() || !isUnifiedTableName(s.name)))
      add(s);
  });
  // The parameter banks that the finalizer makes come last, although local.
  for (OutputSection *sec : ctx.finalSections)
    if (sec->role == SectionRole::ParameterBank)
      add(*sec->symbol);
}

void assignNumbers(Ctx &ctx) {
  numberSections(ctx);
  numberSymbols(ctx);
}

/// Calls fn(item, hash of its name) for each section or symbol. Names lie all
/// over the inputs and their slots all over the table; in large links each is
/// waited for unless the cache is asked in time.
template <class Item, class Function>
static void forEachName(ArrayRef<Item *> items, const StringTable &table,
                        Function fn) {
  constexpr size_t Ahead = 16;
  std::array<uint32_t, Ahead> hashes;
  const size_t n = items.size();
  for (size_t i = 0; i != n + 3 * Ahead; ++i) {
    if (i < n)
      __builtin_prefetch(&items[i]->name);
    if (i >= Ahead && i - Ahead < n)
      __builtin_prefetch(items[i - Ahead]->name.data());
    if (i >= 3 * Ahead)
      fn(*items[i - 3 * Ahead], hashes[i % Ahead]);
    if (i >= 2 * Ahead && i - 2 * Ahead < n) {
      const uint32_t hash = StringTable::hashOf(items[i - 2 * Ahead]->name);
      hashes[i % Ahead] = hash;
      table.prefetch(hash);
    }
  }
}

/// A section that the finalizer renames keeps the room of its old name (spec:
/// ELF output, section 5); one that isn't written keeps the name.
static void addSectionNames(Ctx &ctx, StringTable &names) {
  auto add = [&](OutputSection &sec, uint32_t hash) {
    if (!sec.live)
      return;
    std::string mergeName = ctx.isMercury() ? getMergeName(sec) : "";
    if (!mergeName.empty() && !sec.emitted) {
      names.add(mergeName);
      return;
    }
    sec.nameOffset = names.add(sec.name, hash);
    if (mergeName.size() > sec.name.size())
      names.addPadding(mergeName.size() - sec.name.size());
  };
  forEachName(ArrayRef(ctx.sections), names, add);
  ctx.mergedNamesSize = names.size();
  for (OutputSection *sec : ctx.finalSections)
    if (sec->native || sec->role == SectionRole::ParameterBank ||
        (sec == ctx.symtabShndx && ctx.isMercury()))
      sec->nameOffset = names.addAgain(sec->name);
}

/// Prototypes, then the names of all live symbols. Symbols of renamed sections
/// stand under the old name, the new ones come at the end.
static void addSymbolNames(Ctx &ctx, StringTable &strings) {
  for (auto &[prototype, offset] : ctx.prototypeStrings)
    offset = strings.add(prototype.val());
  std::vector<Symbol *> renamed;
  auto addLocal = [&](Symbol &s, uint32_t hash) {
    if (!s.live || s.name.empty())
      return;
    std::string mergeName =
        ctx.isMercury() && s.isSection() ? getMergeName(*s.section) : "";
    if (mergeName.empty()) {
      s.nameOffset = s.mercuryNameOffset = strings.add(s.name, hash);
      return;
    }
    s.mercuryNameOffset = strings.add(mergeName);
    if (s.section->role != SectionRole::Relocations)
      renamed.push_back(&s);
  };
  auto addGlobal = [&](Symbol &s, uint32_t hash) {
    if (s.live && !s.name.empty())
      s.nameOffset = s.mercuryNameOffset = strings.add(s.name, hash);
  };
  forEachName(ArrayRef(ctx.locals), strings, addLocal);
  forEachName(ArrayRef(ctx.globals), strings, addGlobal);
  for (Symbol *s : renamed)
    s->nameOffset = strings.add(s->name);
  for (OutputSection *sec : ctx.finalSections)
    if (sec->role == SectionRole::ParameterBank)
      sec->symbol->nameOffset = strings.add(sec->name);
}

void buildStringTables(Ctx &ctx) {
  auto buildNames = [&] {
    StringTable names(ctx.sections.size());
    addSectionNames(ctx, names);
    ctx.shstrtab->setContents(ctx.keep(names.takeContents()));
  };
  auto buildStrings = [&] {
    StringTable strings(ctx.locals.size() + ctx.globals.size());
    addSymbolNames(ctx, strings);
    ctx.strtab->setContents(ctx.keep(strings.takeContents()));
  };
  parallelForEach(ctx, 2, ctx.locals.size(),
                  [&](size_t i) { i ? buildNames() : buildStrings(); });
  // Offsets into them have 32 bits.
  if (std::max(ctx.shstrtab->size, ctx.strtab->size) > UINT32_MAX)
    ctx.diag.fatal("The names of sections or symbols take more than 4 GiB");
}

} // namespace lld::cuda
