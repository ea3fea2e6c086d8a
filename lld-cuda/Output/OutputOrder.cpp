//===- OutputOrder.cpp - The numbers of sections and symbols --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// assignNumbers() puts sections and symbols of the output into their final
/// order and numbers them. Link.cpp calls it when it is decided which sections
/// are written; nothing is added or removed after that. Sections are numbered
/// by kind, in creation order within a kind; symbols in creation order, local
/// and weak ones first [section-buckets], [symbol-lists], [symbol-order].
///
/// buildStringTables() then makes .shstrtab and .strtab; writeTables() in
/// Link.cpp calls it first, since headers and symbols refer to their strings.
/// The tables name everything that was created and is reachable, written or not
/// [string-section-names].
///
//===----------------------------------------------------------------------===//

#include "Inputs.h"
#include "Merge/Merge.h"
#include "Merge/NativeCallees.h"
#include "Numbered.h"
#include "Output/StringTable.h"
#include "Parallel.h"
#include "Passes.h"
#include "Twins.h"
#include "lld-cuda/Support/Prefetch.h"
#include <atomic>

using namespace llvm;
using namespace lld::cuda::elf;

namespace lld::cuda {

using SectionBuckets = std::array<SmallVector<OutputSection *, 16>,
                                  size_t(SectionBucket::Appended) + 1>;

static void append(Numbered &numbered, ArrayRef<OutputSection *> sections) {
  numbered.finalSections.insert(numbered.finalSections.end(), sections.begin(),
                                sections.end());
}

static void orderNatives(const Program &program, Numbered &numbered) {
  numbered.finalSections.reserve(program.sections.size());
  SectionBuckets buckets;
  forEachObject(ArrayRef(program.sections), [&](OutputSection &sec) {
    if (sec.written && !sec.isLast)
      buckets[size_t(sec.bucket())].push_back(&sec);
  });
  for (OutputSection *text : buckets[size_t(SectionBucket::Text)])
    if (OutputSection *bank = text->owner ? text->owner->constant0 : nullptr;
        bank && bank->written && bank->kind == SectionKind::ParameterBank)
      buckets.back().push_back(bank);
  for (const auto &bucket : buckets)
    append(numbered, bucket);
}

/// Twins follow all sections of the native view, by the buckets of their native
/// sections, which the finalizer goes through in an order of its own
/// [mercury-appended]. The symbol table is the last section of all. Since 13.5
/// the order is that of the native view [file-of-finalizer].
static void orderTwins(const Inputs &inputs, Numbered &numbered) {
  static constexpr SectionBucket Order[] = {
      SectionBucket::Text,     SectionBucket::Debug,
      SectionBucket::Records,  SectionBucket::Relocations,
      SectionBucket::ReadOnly, SectionBucket::Data,
      SectionBucket::NoBits,   SectionBucket::Tables};
  SectionBuckets buckets;
  for (OutputSection *sec : numbered.finalSections)
    if (sec->mercury && sec->mercury->written)
      buckets[size_t(sec->facts().bucket)].push_back(sec->mercury);
  if (inputs.rules.finalizerWritesFile()) {
    for (auto &bucket : buckets)
      append(numbered, bucket);
    return;
  }
  auto &tables = buckets[size_t(SectionBucket::Tables)];
  std::reverse(tables.begin(), tables.end());
  for (SectionBucket bucket : Order)
    append(numbered, buckets[size_t(bucket)]);
}

/// Orders the sections that the finalizer adds when both views have theirs: in
/// the order of the code [native-callees].
static void orderLast(const Program &program, Numbered &numbered) {
  if (program.nativeCallees->empty())
    return;
  std::vector<OutputSection *> last;
  for (const OutputSection *sec : numbered.finalSections)
    if (!sec->native && sec->rela && sec->rela->isLast)
      last.push_back(sec->rela);
  append(numbered, last);
}

static void numberSections(const Inputs &inputs, const Program &program,
                           Numbered &numbered) {
  orderNatives(program, numbered);
  if (inputs.isMercury()) {
    orderTwins(inputs, numbered);
    orderLast(program, numbered);
  }
  uint32_t index = 0;
  forEachObject(ArrayRef(numbered.finalSections),
                [&](OutputSection &sec) { sec.index = ++index; });
}

/// Shared variables stay in a final link only for the debugger, and if they
/// have an address [shared-debug-link].
static bool keepsShared(const Inputs &inputs, const Variable &v) {
  return (inputs.keepsDebugShared() || inputs.config.preserveRelocs) &&
         v.address;
}

/// Compiler constants of a definition that another one replaced which has none:
/// nvlink deletes the section, others just aren't written. Relocations of
/// nothing but native calls aren't there when the tables are made.
static bool isDeleted(const Inputs &inputs, const OutputSection &sec) {
  if (sec.isLast)
    return !sec.target->mercury || sec.target->mercury->relocations.empty();
  return !inputs.isMercury() && sec.kind == SectionKind::Literals &&
         sec.parts.empty() && !sec.size;
}

/// Returns what isNamed() returns for a symbol that isn't a section's.
static bool isOtherNamed(const Inputs &inputs, const Symbol &s) {
  switch (s.kind) {
  case Symbol::Kind::Function:
    return static_cast<const Function &>(s).reachable;
  case Symbol::Kind::InnerFunction:
    return !s.section || s.section->owner->reachable;
  case Symbol::Kind::NativeCallee:
    return true;
  case Symbol::Kind::Section:
  case Symbol::Kind::Variable:
    break;
  }
  auto &v = static_cast<const Variable &>(s);
  // Internal by now: with --preserve-relocs nvlink keeps it in the table, with
  // a place where nothing is [constants-aligned-by-size].
  if (v.isLeftOut && !inputs.rules.alignsConstantsBySize())
    return false;
  if (v.section && isDeleted(inputs, *v.section))
    return false;
  if (!inputs.rules.keepsOrphanConstants() && v.section && v.section->orphan)
    return false;
  if (inputs.isRelocatable() || v.isTexture())
    return true;
  // Parameters and compiler constants; the constants of device functions moved
  // to the entries without their symbols. Undefined: .nv.ptx.const0.size.
  if ((v.other & 3) == STV_INTERNAL &&
      (!inputs.config.preserveRelocs || !v.section || !v.section->reachable))
    return false;
  return v.space() != STO_CUDA_SHARED || keepsShared(inputs, v);
}

/// Whether a symbol's name is in the string table.
static bool isNamed(const Inputs &inputs, const Symbol &s) {
  if (s.isSection())
    return s.section->reachable && !isDeleted(inputs, *s.section);
  return isOtherNamed(inputs, s);
}

static bool hasSectionSymbol(const Inputs &inputs, const OutputSection &sec) {
  const SectionFacts &facts = sec.facts();
  if (!sec.written || facts.symbol == SectionSymbol::Never)
    return false;
  // [mercury12-file].
  if (inputs.rules.writesOldFiles() && (sec.kind == SectionKind::ToolkitNote ||
                                        sec.kind == SectionKind::CubinNote))
    return false;
  if (facts.symbol == SectionSymbol::Always)
    return true;
  // Empty debug sections have a header but no symbol
  // [relocatable-drops-section-symbols]. With a Mercury view that is what
  // counts, before the finalizer.
  if (facts.bucket == SectionBucket::Debug)
    return !inputs.rules.dropsEmptySectionSymbols() ||
           (sec.mercury ? sec.mercury->size : sec.size);
  return inputs.isRelocatable() ? sec.contributed
                                : sec.size > sec.reservedSize();
}

/// The finalizer that writes the file anew puts local symbols in front of the
/// global ones. Only a shared variable that became local stands among these,
/// and is written only for debuggers and with relocations [file-of-finalizer].
static bool sortsLocals(const Inputs &inputs) {
  return inputs.isMercury() && inputs.rules.finalizerWritesFile() &&
         (inputs.config.debug || inputs.config.preserveRelocs);
}

static void numberSymbols(const Inputs &inputs, const Program &program,
                          Numbered &numbered) {
  numbered.finalSymbols.reserve(program.locals.size() + program.globals.size());
  auto setNamed = [&](Symbol &s) {
    s.named = isNamed(inputs, s);
    if (s.named)
      numbered.symbolNamesSize += s.name.size() + 1;
  };
  auto add = [&](Symbol &s) {
    numbered.finalSymbols.push_back(&s);
    s.index = numbered.finalSymbols.size();
  };
  forEachSymbol(ArrayRef(program.locals), [&](Symbol &s) {
    setNamed(s);
    if (s.named && (!s.isSection() || hasSectionSymbol(inputs, *s.section)))
      add(s);
  });
  auto addGlobal = [&](Symbol &s) {
    setNamed(s);
    if (s.named && (inputs.isRelocatable() || !isUnifiedTableName(s.name)))
      add(s);
  };
  // Local symbols among the globals, if the finalizer has sorted them.
  const bool isSorted = sortsLocals(inputs);
  if (isSorted)
    for (Symbol *s : program.globals)
      if (s->binding == STB_LOCAL)
        addGlobal(*s);
  numbered.firstGlobalSymbol = numbered.finalSymbols.size() + 1;
  forEachSymbol(ArrayRef(program.globals), [&](Symbol &s) {
    if (!isSorted || s.binding != STB_LOCAL)
      addGlobal(s);
  });
  auto addLate = [&](Symbol &s) {
    s.named = true;
    add(s);
  };
  if (inputs.rules.finalizerWritesFile())
    forEachNativeCallee(program, numbered, addLate);
  // The parameter banks that the finalizer makes come last, although local.
  for (OutputSection *sec : numbered.finalSections)
    if (sec->kind == SectionKind::ParameterBank)
      addLate(*sec->symbol);
  if (!inputs.rules.finalizerWritesFile())
    forEachNativeCallee(program, numbered, addLate);
}

void assignNumbers(const Inputs &inputs, const Program &program,
                   Numbered &numbered) {
  numberSections(inputs, program, numbered);
  numberSymbols(inputs, program, numbered);
}

/// Hashes the names of sections, each of which is in both tables. Returns how
/// many bytes they take.
static size_t hashSectionNames(const Inputs &inputs, const Program &program) {
  std::atomic<size_t> total = 0;
  parallelForPieces(
      inputs, program.sections.size(), [&](size_t begin, size_t end) {
        size_t size = 0;
        forEachObject<1>(ArrayRef(program.sections).slice(begin, end - begin),
                         [&](OutputSection &sec) {
                           sec.nameHash = StringTable::hashOf(sec.name);
                           size += sec.name.size() + 1;
                         });
        total += size;
      });
  return total;
}

static uint32_t getNameHash(const OutputSection &sec) { return sec.nameHash; }
static uint32_t getNameHash(const Symbol &s) {
  return s.isSection() && s.name.data() == s.section->name.data()
             ? s.section->nameHash
             : StringTable::hashOf(s.name);
}

/// Calls fn(item, hash of its name) for each section or symbol. Names lie all
/// over the inputs and their slots all over the table; in large links each is
/// waited for unless the cache is asked in time. So the items are taken in
/// blocks: while one is added, the cache fetches names of the next block, and
/// the items of the block after that.
template <class Item, class Function>
static void forEachName(ArrayRef<Item *> items, const StringTable &table,
                        Function fn) {
  constexpr size_t BlockSize = 16;
  std::array<uint32_t, BlockSize> hashes;
  while (!items.empty()) {
    const ArrayRef<Item *> block = items.take_front(BlockSize);
    items = items.drop_front(block.size());
    for (Item *item : items.drop_front(std::min(BlockSize, items.size()))
                          .take_front(BlockSize))
      __builtin_prefetch(&item->name);
    for (Item *item : items.take_front(BlockSize))
      __builtin_prefetch(item->name.data());
    uint32_t *hash = hashes.data();
    for (Item *item : block) {
      *hash = getNameHash(*item);
      table.prefetch(*hash++);
    }
    hash = hashes.data();
    for (Item *item : block)
      fn(*item, *hash++);
  }
}

/// A section that the finalizer renames keeps the room of its old name
/// [string-section-names]; one that isn't written keeps the name
/// [string-empty-renamed].
static void addSectionNames(const Inputs &inputs, const Program &program,
                            Numbered &numbered, StringTable &names) {
  auto add = [&](OutputSection &sec, uint32_t hash) {
    if (!sec.reachable || isDeleted(inputs, sec))
      return;
    if (!inputs.isMercury()) {
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
  forEachName(ArrayRef(program.sections), names, add);
  numbered.mergedNamesSize = names.size();
  if (!inputs.isMercury())
    return;
  for (OutputSection *sec : numbered.finalSections)
    if (sec->native || sec->kind == SectionKind::ParameterBank || sec->isLast ||
        sec == program.symtabShndx)
      sec->nameOffset = names.addAgain(sec->name);
}

/// Adds prototypes, then the names of all named symbols [string-symbol-names].
/// Symbols of renamed sections keep the old name at their place; the new names
/// come at the end.
static void addSymbolNames(const Inputs &inputs, Program &program,
                           const Numbered &numbered, StringTable &strings) {
  for (auto &[prototype, offset] : program.prototypeStrings)
    offset = strings.add(prototype.val());
  std::vector<Symbol *> renamed;
  auto add = [&](Symbol &s, uint32_t hash) {
    // Symbols of CUDA 12 without a name get an empty one.
    if (s.named && (!s.name.empty() || inputs.rules.leavesNamelessSymbols()))
      s.nameOffset = s.mercuryNameOffset = strings.add(s.name, hash);
  };
  auto addLocal = [&](Symbol &s, uint32_t hash) {
    if (!s.named || !s.isSection() || !inputs.isMercury())
      return add(s, hash);
    const std::string mergeName = getMergeName(*s.section);
    if (mergeName.empty())
      return add(s, hash);
    s.mercuryNameOffset = strings.add(mergeName);
    if (!s.section->isRelocations())
      renamed.push_back(&s);
  };
  forEachName(ArrayRef(program.locals), strings, addLocal);
  forEachName(ArrayRef(program.globals), strings, add);
  for (Symbol *s : renamed)
    s->nameOffset = strings.add(s->name);
  if (!inputs.isMercury())
    return;
  for (OutputSection *sec : numbered.finalSections)
    if (sec->kind == SectionKind::ParameterBank)
      sec->symbol->nameOffset = strings.add(sec->name);
  forEachNativeCallee(program, numbered,
                      [&](Symbol &s) { s.nameOffset = strings.add(s.name); });
}

/// The finalizer's own table: what is there, in order, and room that nobody
/// uses [file-of-finalizer].
static void addNamesInOrder(const Numbered &numbered, StringTable &names) {
  constexpr size_t Room = 36;
  for (OutputSection *sec : numbered.finalSections)
    sec->nameOffset = names.add(sec->name);
  names.addPadding(Room);
}

/// Prototypes in the order in which the call graph's records name them.
static void addPrototypesInOrder(const Inputs &inputs, Program &program,
                                 StringTable &strings) {
  auto add = [&](StringRef prototype) {
    auto it = program.prototypeStrings.find(CachedHashStringRef(prototype));
    if (it != program.prototypeStrings.end())
      it->second = prototype.empty() ? 0 : strings.add(prototype);
  };
  for (const Function &f : program.functions)
    if (f.reachable && f.addressTaken)
      add(f.prototype);
  const bool reversed = inputs.rules.reversesReadingOrder();
  for (const Function &f : program.functions) {
    const size_t count = f.reachable ? f.indirectCalls.size() : 0;
    for (size_t i = 0; i != count; ++i)
      add(f.indirectCalls[reversed ? count - 1 - i : i]);
  }
  for (const Function &f : program.functions)
    if (f.hasPrototypeRecord())
      add(f.prototype);
}

/// Does so for .strtab: symbols of .symtab, those of its twin, prototypes.
static void addStringsInOrder(const Inputs &inputs, Program &program,
                              const Numbered &numbered, StringTable &strings) {
  auto add = [&](StringRef name) {
    return name.empty() ? 0 : strings.add(name);
  };
  auto mergeNameOf = [](const Symbol &s) {
    return s.isSection() ? getMergeName(*s.section) : std::string();
  };
  for (Symbol *s : numbered.finalSymbols) {
    const bool isRenamed =
        s->isSection() && s->section->kind == SectionKind::Literals;
    s->nameOffset = isRenamed ? strings.add(mergeNameOf(*s)) : add(s->name);
  }
  const size_t count = getMercurySymbolCount(numbered);
  for (size_t i = 0; i != count; ++i) {
    Symbol &s = *numbered.finalSymbols[i];
    const std::string mergeName = mergeNameOf(s);
    s.mercuryNameOffset =
        mergeName.empty() ? s.nameOffset : strings.add(mergeName);
  }
  addPrototypesInOrder(inputs, program, strings);
}

void buildStringTables(const Inputs &inputs, Program &program,
                       Numbered &numbered) {
  const bool isWrittenAnew =
      inputs.isMercury() && inputs.rules.finalizerWritesFile();
  const size_t namesSize =
      isWrittenAnew ? 0 : hashSectionNames(inputs, program);
  auto buildNames = [&] {
    StringTable names(program.sections.size(), namesSize);
    if (isWrittenAnew)
      addNamesInOrder(numbered, names);
    else
      addSectionNames(inputs, program, numbered, names);
    program.shstrtab->setContents(inputs.memory.keep(names.takeContents()));
  };
  auto buildStrings = [&] {
    StringTable strings(program.locals.size() + program.globals.size(),
                        numbered.symbolNamesSize);
    if (isWrittenAnew)
      addStringsInOrder(inputs, program, numbered, strings);
    else
      addSymbolNames(inputs, program, numbered, strings);
    program.strtab->setContents(inputs.memory.keep(strings.takeContents()));
  };
  parallelForEach(inputs, 2, program.locals.size(),
                  [&](size_t i) { i ? buildNames() : buildStrings(); });
  // Offsets into string tables have 32 bits.
  if (std::max(program.shstrtab->size, program.strtab->size) > UINT32_MAX)
    inputs.diag.report(
        DiagId::FormatLimit,
        {"The names of sections or symbols take more than 4 GiB"});
}

} // namespace lld::cuda
