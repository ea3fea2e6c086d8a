//===- OutputOrder.cpp - The numbers of sections and symbols --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Sections are numbered by kind, in creation order within a kind; symbols in
/// creation order, local and weak ones first [section-buckets], [symbol-order].
/// String tables name everything that was created and is reachable, written or
/// not [string-section-names].
///
//===----------------------------------------------------------------------===//

#include "Finalize/Mercury.h"
#include "Finalize/NativeCallees.h"
#include "Merge/Merge.h"
#include "Output/StringTable.h"
#include "Parallel.h"
#include "Passes.h"
#include "lld-cuda/Support/Prefetch.h"

using namespace llvm;
using namespace lld::cuda::elf;

namespace lld::cuda {

using SectionBuckets = std::array<SmallVector<OutputSection *, 16>,
                                  size_t(SectionBucket::Appended) + 1>;

static void append(Ctx &ctx, ArrayRef<OutputSection *> sections) {
  ctx.finalSections.insert(ctx.finalSections.end(), sections.begin(),
                           sections.end());
}

static void orderNatives(Ctx &ctx) {
  ctx.finalSections.reserve(ctx.sections.size());
  SectionBuckets buckets;
  forEachObject(ArrayRef(ctx.sections), [&](OutputSection &sec) {
    if (sec.written && !sec.isLast)
      buckets[size_t(sec.bucket())].push_back(&sec);
  });
  for (OutputSection *text : buckets[size_t(SectionBucket::Text)])
    if (OutputSection *bank = text->owner ? text->owner->constant0 : nullptr;
        bank && bank->written && bank->kind == SectionKind::ParameterBank)
      buckets.back().push_back(bank);
  for (const auto &bucket : buckets)
    append(ctx, bucket);
}

/// Twins follow all sections of the native view, by the buckets of their native
/// sections, which the finalizer goes through in an order of its own
/// [mercury-appended]. The symbol table is the last section of all. Since 13.5
/// the order is that of the native view [file-of-finalizer].
static void orderTwins(Ctx &ctx) {
  static constexpr SectionBucket Order[] = {
      SectionBucket::Text,     SectionBucket::Debug,
      SectionBucket::Records,  SectionBucket::Relocations,
      SectionBucket::ReadOnly, SectionBucket::Data,
      SectionBucket::NoBits,   SectionBucket::Tables};
  SectionBuckets buckets;
  for (OutputSection *sec : ctx.finalSections)
    if (sec->mercury && sec->mercury->written)
      buckets[size_t(sec->facts().bucket)].push_back(sec->mercury);
  if (ctx.rules.finalizerWritesFile()) {
    for (auto &bucket : buckets)
      append(ctx, bucket);
    return;
  }
  auto &tables = buckets[size_t(SectionBucket::Tables)];
  std::reverse(tables.begin(), tables.end());
  for (SectionBucket bucket : Order)
    append(ctx, buckets[size_t(bucket)]);
}

/// What the finalizer adds when both views have their sections, in the order of
/// the code [native-callees].
static void orderLast(Ctx &ctx) {
  if (ctx.nativeCallees->empty())
    return;
  std::vector<OutputSection *> last;
  for (const OutputSection *sec : ctx.finalSections)
    if (!sec->native && sec->rela && sec->rela->isLast)
      last.push_back(sec->rela);
  append(ctx, last);
}

static void numberSections(Ctx &ctx) {
  orderNatives(ctx);
  if (ctx.isMercury()) {
    orderTwins(ctx);
    orderLast(ctx);
  }
  uint32_t index = 0;
  forEachObject(ArrayRef(ctx.finalSections),
                [&](OutputSection &sec) { sec.index = ++index; });
}

/// Shared variables stay in a final link only for the debugger, and if they
/// have an address [shared-debug-link].
static bool keepsShared(const Ctx &ctx, const Variable &v) {
  return (ctx.keepsDebugShared() || ctx.config.preserveRelocs) && v.address;
}

/// Compiler constants of a definition that another one replaced which has none:
/// nvlink deletes the section, others just aren't written. Relocations of
/// nothing but native calls aren't there when the tables are made.
static bool isDeleted(const Ctx &ctx, const OutputSection &sec) {
  if (sec.isLast)
    return !sec.target->mercury || sec.target->mercury->relocations.empty();
  return !ctx.isMercury() && sec.kind == SectionKind::Literals &&
         sec.parts.empty() && !sec.size;
}

/// Whether a symbol's name is in the string table.
static bool isNamed(const Ctx &ctx, const Symbol &s) {
  switch (s.kind) {
  case Symbol::Kind::Section:
    return s.section->reachable && !isDeleted(ctx, *s.section);
  case Symbol::Kind::Function:
    return static_cast<const Function &>(s).reachable;
  case Symbol::Kind::InnerFunction:
    return !s.section || s.section->owner->reachable;
  case Symbol::Kind::NativeCallee:
    return true;
  case Symbol::Kind::Variable:
    break;
  }
  auto &v = static_cast<const Variable &>(s);
  // Internal by now: with --preserve-relocs nvlink keeps it in the table, with
  // a place where nothing is [constants-aligned-by-size].
  if (v.isLeftOut && !ctx.rules.alignsConstantsBySize())
    return false;
  if (v.section && isDeleted(ctx, *v.section))
    return false;
  if (!ctx.rules.keepsOrphanConstants() && v.section && v.section->orphan)
    return false;
  if (ctx.isRelocatable() || v.isTexture())
    return true;
  // Parameters and compiler constants; the constants of device functions moved
  // to the entries without their symbols. Undefined: .nv.ptx.const0.size.
  if ((v.other & 3) == STV_INTERNAL &&
      (!ctx.config.preserveRelocs || !v.section || !v.section->reachable))
    return false;
  return v.space() != STO_CUDA_SHARED || keepsShared(ctx, v);
}

static bool hasSectionSymbol(const Ctx &ctx, const OutputSection &sec) {
  if (!sec.written)
    return false;
  // [mercury12-file].
  if (ctx.rules.writesOldFiles() && (sec.kind == SectionKind::ToolkitNote ||
                                     sec.kind == SectionKind::CubinNote))
    return false;
  if (sec.facts().symbol != SectionSymbol::IfFilled)
    return sec.facts().symbol == SectionSymbol::Always;
  // Empty debug sections have a header but no symbol
  // [relocatable-drops-section-symbols]. With a Mercury view that is what
  // counts, before the finalizer.
  if (sec.facts().bucket == SectionBucket::Debug)
    return !ctx.rules.dropsEmptySectionSymbols() ||
           (sec.mercury ? sec.mercury->size : sec.size);
  return ctx.isRelocatable() ? sec.contributed : sec.size > sec.reservedSize();
}

/// The finalizer that writes the file anew puts local symbols in front of the
/// global ones. Only a shared variable that became local stands among these,
/// and is written only for debuggers and with relocations [file-of-finalizer].
static bool sortsLocals(const Ctx &ctx) {
  return ctx.isMercury() && ctx.rules.finalizerWritesFile() &&
         (ctx.config.debug || ctx.config.preserveRelocs);
}

static void numberSymbols(Ctx &ctx) {
  ctx.finalSymbols.reserve(ctx.locals.size() + ctx.globals.size());
  auto add = [&](Symbol &s) {
    ctx.finalSymbols.push_back(&s);
    s.index = ctx.finalSymbols.size();
  };
  forEachSymbol(ArrayRef(ctx.locals), [&](Symbol &s) {
    s.named = isNamed(ctx, s);
    if (s.named && (!s.isSection() || hasSectionSymbol(ctx, *s.section)))
      add(s);
  });
  auto addGlobal = [&](Symbol &s) {
    s.named = isNamed(ctx, s);
    if (s.named && (ctx.isRelocatable() || !isUnifiedTableName(s.name)))
      add(s);
  };
  // Local symbols among the globals, if the finalizer has sorted them.
  const bool isSorted = sortsLocals(ctx);
  if (isSorted)
    for (Symbol *s : ctx.globals)
      if (s->binding == STB_LOCAL)
        addGlobal(*s);
  ctx.firstGlobalSymbol = ctx.finalSymbols.size() + 1;
  forEachSymbol(ArrayRef(ctx.globals), [&](Symbol &s) {
    if (!isSorted || s.binding != STB_LOCAL)
      addGlobal(s);
  });
  auto addLate = [&](Symbol &s) {
    s.named = true;
    add(s);
  };
  if (ctx.rules.finalizerWritesFile())
    forEachNativeCallee(ctx, addLate);
  // The parameter banks that the finalizer makes come last, although local.
  for (OutputSection *sec : ctx.finalSections)
    if (sec->kind == SectionKind::ParameterBank)
      addLate(*sec->symbol);
  if (!ctx.rules.finalizerWritesFile())
    forEachNativeCallee(ctx, addLate);
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
  if (n <= 3 * Ahead) {
    for (Item *item : items)
      fn(*item, StringTable::hashOf(item->name));
    return;
  }
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

/// A section that the finalizer renames keeps the room of its old name
/// [string-section-names]; one that isn't written keeps the name.
static void addSectionNames(Ctx &ctx, StringTable &names) {
  auto add = [&](OutputSection &sec, uint32_t hash) {
    if (!sec.reachable || isDeleted(ctx, sec))
      return;
    if (!ctx.isMercury()) {
      sec.nameOffset = names.add(sec.name, hash);
      return;
    }
    const std::string mergeName = getMergeName(sec);
    if (!mergeName.empty() && !sec.written) {
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
    if (sec->native || sec->kind == SectionKind::ParameterBank || sec->isLast ||
        (sec == ctx.symtabShndx && ctx.isMercury()))
      sec->nameOffset = names.addAgain(sec->name);
}

/// Prototypes, then the names of all named symbols. Symbols of renamed sections
/// stand under the old name, the new ones come at the end.
static void addSymbolNames(Ctx &ctx, StringTable &strings) {
  for (auto &[prototype, offset] : ctx.prototypeStrings)
    offset = strings.add(prototype.val());
  std::vector<Symbol *> renamed;
  auto add = [&](Symbol &s, uint32_t hash) {
    // Those of CUDA 12 that have none get an empty one.
    if (s.named && (!s.name.empty() || ctx.rules.leavesNamelessSymbols()))
      s.nameOffset = s.mercuryNameOffset = strings.add(s.name, hash);
  };
  auto addLocal = [&](Symbol &s, uint32_t hash) {
    if (!s.named || !s.isSection() || !ctx.isMercury())
      return add(s, hash);
    const std::string mergeName = getMergeName(*s.section);
    if (mergeName.empty())
      return add(s, hash);
    s.mercuryNameOffset = strings.add(mergeName);
    if (!s.section->isRelocations())
      renamed.push_back(&s);
  };
  forEachName(ArrayRef(ctx.locals), strings, addLocal);
  forEachName(ArrayRef(ctx.globals), strings, add);
  for (Symbol *s : renamed)
    s->nameOffset = strings.add(s->name);
  for (OutputSection *sec : ctx.finalSections)
    if (sec->kind == SectionKind::ParameterBank)
      sec->symbol->nameOffset = strings.add(sec->name);
  forEachNativeCallee(ctx,
                      [&](Symbol &s) { s.nameOffset = strings.add(s.name); });
}

/// The finalizer's own table: what is there, in order, and room that nobody
/// uses [file-of-finalizer].
static void addNamesInOrder(Ctx &ctx, StringTable &names) {
  constexpr size_t Room = 36;
  for (OutputSection *sec : ctx.finalSections)
    sec->nameOffset = names.add(sec->name);
  names.addPadding(Room);
}

/// Prototypes in the order in which the call graph's records name them.
static void addPrototypesInOrder(Ctx &ctx, StringTable &strings) {
  auto add = [&](StringRef prototype) {
    auto it = ctx.prototypeStrings.find(CachedHashStringRef(prototype));
    if (it != ctx.prototypeStrings.end())
      it->second = prototype.empty() ? 0 : strings.add(prototype);
  };
  for (const Function &f : ctx.functions)
    if (f.reachable && f.addressTaken)
      add(f.prototype);
  const bool reversed = ctx.rules.reversesReadingOrder();
  for (const Function &f : ctx.functions) {
    const size_t count = f.reachable ? f.indirectCalls.size() : 0;
    for (size_t i = 0; i != count; ++i)
      add(f.indirectCalls[reversed ? count - 1 - i : i]);
  }
  for (const Function &f : ctx.functions)
    if (f.hasPrototypeRecord())
      add(f.prototype);
}

/// The same for symbols: those of .symtab, those of its twin, prototypes.
static void addStringsInOrder(Ctx &ctx, StringTable &strings) {
  auto add = [&](StringRef name) {
    return name.empty() ? 0 : strings.add(name);
  };
  auto mergeNameOf = [](const Symbol &s) {
    return s.isSection() ? getMergeName(*s.section) : std::string();
  };
  for (Symbol *s : ctx.finalSymbols) {
    const bool isRenamed =
        s->isSection() && s->section->kind == SectionKind::Literals;
    s->nameOffset = isRenamed ? strings.add(mergeNameOf(*s)) : add(s->name);
  }
  const size_t count = getMercurySymbolCount(ctx);
  for (size_t i = 0; i != count; ++i) {
    Symbol &s = *ctx.finalSymbols[i];
    const std::string mergeName = mergeNameOf(s);
    s.mercuryNameOffset =
        mergeName.empty() ? s.nameOffset : strings.add(mergeName);
  }
  addPrototypesInOrder(ctx, strings);
}

void buildStringTables(Ctx &ctx) {
  const bool isWrittenAnew = ctx.isMercury() && ctx.rules.finalizerWritesFile();
  auto buildNames = [&] {
    StringTable names(ctx.sections.size());
    if (isWrittenAnew)
      addNamesInOrder(ctx, names);
    else
      addSectionNames(ctx, names);
    ctx.shstrtab->setContents(ctx.keep(names.takeContents()));
  };
  auto buildStrings = [&] {
    StringTable strings(ctx.locals.size() + ctx.globals.size());
    if (isWrittenAnew)
      addStringsInOrder(ctx, strings);
    else
      addSymbolNames(ctx, strings);
    ctx.strtab->setContents(ctx.keep(strings.takeContents()));
  };
  parallelForEach(ctx, 2, ctx.locals.size(),
                  [&](size_t i) { i ? buildNames() : buildStrings(); });
  // Offsets into them have 32 bits.
  if (std::max(ctx.shstrtab->size, ctx.strtab->size) > UINT32_MAX)
    ctx.diag.report(DiagId::FormatLimit,
                    {"The names of sections or symbols take more than 4 GiB"});
}

} // namespace lld::cuda
