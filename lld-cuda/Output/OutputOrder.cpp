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
#include "Output/OutputStrings.h"
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

/// Returns the number of bytes that a name takes in a string table, with that
/// of the noted companion, which may be longer.
static size_t sizeOfNames(StringRef name, bool hasCompanion) {
  constexpr size_t Longer = 4;
  return hasCompanion ? 2 * (name.size() + 1) + Longer : name.size() + 1;
}

static void numberSymbols(const Inputs &inputs, const Program &program,
                          Numbered &numbered) {
  numbered.finalSymbols.reserve(program.locals.size() + program.globals.size());
  auto setNamed = [&](Symbol &s) {
    s.named = isNamed(inputs, s);
    if (!s.named)
      return;
    numbered.symbolNamesSize += sizeOfNames(s.name, s.namesCompanion);
    numbered.otherNameCount += !s.hasUniqueName;
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

// The marked names of symbols are in Program::named, and don't begin with a
// dot. All marked names of sections begin with one of the prefixes below, of
// which none is the beginning of another one; so what follows the prefix is the
// function's name.

/// Returns the name of the function to which a section of that name would
/// belong if it were marked; empty if it can't be.
static StringRef getOwnerName(StringRef name) {
  if (!name.consume_front(".rela") && name.starts_with(".rel."))
    name = name.drop_front(StringRef(".rel").size());
  for (StringRef prefix : {".text.", ".nv.info.", ".nv.shared.",
                           ".nv.constant0.", ".nv.constant2."})
    if (name.consume_front(prefix))
      return name;
  return "";
}

/// Returns that function, or null.
static const Function *findOwner(const Program &program, StringRef name) {
  const StringRef owner = getOwnerName(name);
  if (owner.empty())
    return nullptr;
  const Symbol *s = program.named.lookup(hashed(owner));
  return s && s->isFunction() ? static_cast<const Function *>(s) : nullptr;
}

static bool isUniqueSectionName(const Program &program, StringRef name) {
  const Function *owner = findOwner(program, name);
  if (!owner)
    return false;
  auto hasName = [&](const OutputSection *sec) {
    return sec && sec->hasUniqueName && sec->name == name;
  };
  auto hasCompanion = [&](const OutputSection *sec) {
    return sec && sec->companion == Companion::Noted && sec->hasUniqueName &&
           getCompanionName(sec->name) == name;
  };
  const Function &f = *owner;
  return hasCompanion(f.info) || hasCompanion(f.constant0) || hasName(f.text) ||
         hasName(f.info) || hasName(f.shared) || hasName(f.constant0) ||
         hasName(f.constant2) || hasName(f.textureSlots) ||
         (f.text && (hasName(f.text->rel) || hasName(f.text->rela)));
}

/// Whether a marked name is that of a section which isn't marked, or of its
/// companion.
static bool isUnmarkedUnique(const Program &program, const OutputSection &sec) {
  // The companion has the same owner.
  if (!findOwner(program, sec.name))
    return false;
  return isUniqueSectionName(program, sec.name) ||
         (sec.companion == Companion::Noted &&
          isUniqueSectionName(program, getCompanionName(sec.name)));
}

bool isUniqueName(const Program &program, StringRef name, uint32_t hash) {
  if (name.starts_with("."))
    return isUniqueSectionName(program, name);
  const Symbol *s = program.named.lookup(CachedHashStringRef(name, hash));
  return s && s->hasUniqueName;
}

namespace {
/// The names of sections, each of which is in both tables.
struct SectionNames {
  size_t others = 0;            ///< How many aren't marked as unique.
  size_t size = 0;              ///< The bytes that all of them take.
  bool areMarkedRightly = true; ///< None of the others has a marked name.
};
} // namespace

/// Hashes those names that are looked up, and compares them with the marked
/// ones, so that neither table has to.
static SectionNames hashSectionNames(const Inputs &inputs,
                                     const Program &program) {
  std::atomic<size_t> others = 0, size = 0;
  std::atomic<bool> areMarkedRightly = true;
  parallelForPieces(
      inputs, program.sections.size(), [&](size_t begin, size_t end) {
        SectionNames names;
        forEachObject<1>(ArrayRef(program.sections).slice(begin, end - begin),
                         [&](OutputSection &sec) {
                           names.size += sizeOfNames(
                               sec.name, sec.companion == Companion::Noted);
                           if (sec.hasUniqueName)
                             return;
                           sec.nameHash = StringTable::hashOf(sec.name);
                           ++names.others;
                           if (isUnmarkedUnique(program, sec))
                             areMarkedRightly = false;
                         });
        others += names.others;
        size += names.size;
      });
  return {others, size, areMarkedRightly};
}

/// Whether hashSectionNames() has seen to the name.
static bool isKnownName(const OutputSection &) { return true; }
static bool isKnownName(const Symbol &s) {
  return s.isSection() && s.name.data() == s.section->name.data();
}
static uint32_t getNameHash(const OutputSection &sec) { return sec.nameHash; }
static uint32_t getNameHash(const Symbol &s) {
  return isKnownName(s) ? s.section->nameHash : StringTable::hashOf(s.name);
}

/// Calls fn(item, hash of its name) for each section or symbol; the hash is 0
/// for a name that is marked as unique. Names lie all over the inputs and their
/// slots all over the table; in large links each is waited for unless the cache
/// is asked in time. So the items are taken in blocks: while one is added, the
/// cache fetches names of the next block, and the items of the block after
/// that.
template <class Item, class Function>
static void forEachName(ArrayRef<Item *> items, const OutputStrings &table,
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
      *hash = item->hasUniqueName ? 0 : getNameHash(*item);
      if (*hash)
        table.prefetch(*hash);
      ++hash;
    }
    hash = hashes.data();
    for (Item *item : block)
      fn(*item, *hash++);
  }
}

/// Adds the name of a section or symbol, as forEachName() passes it.
template <class Item>
static uint32_t addName(OutputStrings &table, const Item &item, uint32_t hash) {
  return item.hasUniqueName  ? table.addUnique(item.name)
         : isKnownName(item) ? table.addCompared(item.name, hash)
                             : table.add(item.name, hash);
}
/// Adds the name of a section or symbol whose hash isn't known.
template <class Item>
static uint32_t addName(OutputStrings &table, const Item &item) {
  return item.hasUniqueName ? table.addUnique(item.name) : table.add(item.name);
}

/// A section that the finalizer renames keeps the room of its old name
/// [string-section-names]; one that isn't written keeps the name
/// [string-empty-renamed].
static void addSectionNames(const Inputs &inputs, const Program &program,
                            Numbered &numbered, OutputStrings &names) {
  const bool isMercury = inputs.isMercury();
  auto add = [&](OutputSection &sec, uint32_t hash) {
    if (!sec.reachable || isDeleted(inputs, sec))
      return;
    if (!isMercury) {
      sec.nameOffset = addName(names, sec, hash);
      if (sec.companion == Companion::Noted)
        names.addCompanion(sec, isKnownName(sec));
      return;
    }
    const std::string mergeName = getMergeName(sec);
    if (!mergeName.empty() && !sec.written) {
      names.add(mergeName);
      return;
    }
    sec.nameOffset = addName(names, sec, hash);
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

/// Adds the name of a section symbol, with that of the companion: the symbol of
/// .rel.nv.constant0.K is in front of that of .nv.constant0.K.
static void addWithCompanion(OutputStrings &strings, Symbol &s, uint32_t hash) {
  const bool comesFirst = !s.name.starts_with(InfoPrefix);
  if (comesFirst)
    strings.addCompanion(s, isKnownName(s));
  s.nameOffset = addName(strings, s, hash);
  if (!comesFirst)
    strings.addCompanion(s, isKnownName(s));
}

/// Adds prototypes, then the names of all named symbols [string-symbol-names].
/// Symbols of renamed sections keep the old name at their place; the new names
/// come at the end.
static void addSymbolNames(const Inputs &inputs, Program &program,
                           const Numbered &numbered, OutputStrings &strings) {
  for (auto &[prototype, offset] : program.prototypeStrings)
    offset = strings.add(prototype.val(), prototype.hash());
  std::vector<Symbol *> renamed;
  auto add = [&](Symbol &s, uint32_t hash) {
    // Symbols of CUDA 12 without a name get an empty one.
    if (s.named && (!s.name.empty() || inputs.rules.leavesNamelessSymbols()))
      s.nameOffset = s.mercuryNameOffset = addName(strings, s, hash);
  };
  const bool isMercury = inputs.isMercury();
  auto addLocal = [&](Symbol &s, uint32_t hash) {
    if (s.named && s.namesCompanion)
      return addWithCompanion(strings, s, hash);
    if (!isMercury || !s.named || !s.isSection())
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
    s->nameOffset = addName(strings, *s);
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
static void addNamesInOrder(const Numbered &numbered, OutputStrings &names) {
  constexpr size_t Room = 36;
  for (OutputSection *sec : numbered.finalSections)
    sec->nameOffset = addName(names, *sec);
  names.addPadding(Room);
}

/// Prototypes in the order in which the call graph's records name them.
static void addPrototypesInOrder(const Inputs &inputs, Program &program,
                                 OutputStrings &strings) {
  auto add = [&](StringRef prototype) {
    auto it = program.prototypeStrings.find(hashed(prototype));
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
                              const Numbered &numbered,
                              OutputStrings &strings) {
  auto mergeNameOf = [](const Symbol &s) {
    return s.isSection() ? getMergeName(*s.section) : std::string();
  };
  for (Symbol *s : numbered.finalSymbols) {
    const bool isRenamed =
        s->isSection() && s->section->kind == SectionKind::Literals;
    s->nameOffset = isRenamed         ? strings.add(mergeNameOf(*s))
                    : s->name.empty() ? 0
                                      : addName(strings, *s);
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

/// Makes a table the section's contents. Returns false if the table has a
/// conflict, so that it must be made again.
static bool finishTable(const Inputs &inputs, OutputStrings &table,
                        OutputSection &sec) {
  if (table.hasConflict())
    return false;
  sec.setContents(inputs.memory.keep(table.takeContents()));
  return true;
}

void buildStringTables(const Inputs &inputs, Program &program,
                       Numbered &numbered) {
  const bool isWrittenAnew =
      inputs.isMercury() && inputs.rules.finalizerWritesFile();
  const SectionNames sections = isWrittenAnew
                                    ? SectionNames{program.sections.size()}
                                    : hashSectionNames(inputs, program);
  auto buildNames = [&](bool trustsMarks) {
    OutputStrings names(program, trustsMarks, sections.others, sections.size);
    if (isWrittenAnew)
      addNamesInOrder(numbered, names);
    else
      addSectionNames(inputs, program, numbered, names);
    return finishTable(inputs, names, *program.shstrtab);
  };
  size_t stringsSize = numbered.symbolNamesSize;
  for (const auto &[prototype, offset] : program.prototypeStrings)
    stringsSize += prototype.size() + 1;
  auto buildStrings = [&](bool trustsMarks) {
    OutputStrings strings(program, trustsMarks, numbered.otherNameCount,
                          stringsSize);
    if (isWrittenAnew)
      addStringsInOrder(inputs, program, numbered, strings);
    else
      addSymbolNames(inputs, program, numbered, strings);
    return finishTable(inputs, strings, *program.strtab);
  };
  parallelForEach(inputs, 2, program.locals.size(), [&](size_t i) {
    if (i)
      buildNames(sections.areMarkedRightly) || buildNames(false);
    else
      buildStrings(sections.areMarkedRightly) || buildStrings(false);
  });
  // Offsets into string tables have 32 bits.
  if (std::max(program.shstrtab->size, program.strtab->size) > UINT32_MAX)
    inputs.diag.report(
        DiagId::FormatLimit,
        {"The names of sections or symbols take more than 4 GiB"});
}

} // namespace lld::cuda
