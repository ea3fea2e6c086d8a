//===- DebugTables.cpp - Line tables and registers of sm_100 and later ----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// rebuildLineTables() and finalizeRegisterRanges() make the native line tables
/// (.debug_line, .nv_debug_line_sass) and register ranges
/// (.nv_debug_info_reg_sass) fit the code that the finalizer writes: each
/// input's part is rewritten (FinalCode/Debug.h), and the parts are joined
/// again. rebuildDebugTables() in Link.cpp calls them from sm_100 on, when the
/// edits of code are planned and before relocations are processed. After that
/// no relocation of a line table is left to process, and each section notes
/// where its units have moved, for the sections that refer to them.
///
//===----------------------------------------------------------------------===//

#include "Finalize/Finalizer.h"
#include "Input/InputFiles.h"
#include "Input/ObjectFile.h"
#include "Inputs.h"
#include "Passes.h"
#include "Program.h"
#include "lld-cuda/BinaryFormat/Relocations.h"
#include "lld-cuda/FinalCode/CodeEdit.h"
#include "lld-cuda/FinalCode/Debug.h"
#include "lld-cuda/Sass/Code.h"
#include <deque>

using namespace llvm;
using namespace lld::cuda::elf;

namespace lld::cuda {

namespace {

class LineTableRebuilder {
public:
  LineTableRebuilder(const Inputs &inputs, const Program &program,
                     OutputSection &sec);
  void run();

private:
  void readReferences(const RelocationGroup &g);
  void readMercuryRows(const RelocationGroup &g);
  void translateReplaced(const RelocationGroup &g);
  void patchHeaders(const RelocationGroup &mercury, RebuiltLineTable &table);
  void reportDamage(const RelocationGroup *group, StringRef what);
  bool rebuildPart(const SectionPart &part, const RelocationGroup *group,
                   const RelocationGroup *mercury);

  const Inputs &inputs;
  OutputSection &sec;
  /// The order in which functions will be numbered.
  DenseMap<const Symbol *, uint32_t> orders;
  /// References in the part at hand, sorted by offset.
  std::vector<std::pair<DebugReference, Function *>> references;
  /// Sequences of the Mercury part that belongs to it, by function and number
  /// among the function's sequences.
  DenseMap<std::pair<const Symbol *, size_t>, ArrayRef<uint8_t>> mercuryRows;
  std::deque<MercuryOffsets> offsets;
  /// Functions known by an alias, if that matters.
  DenseSet<Function *> knownByAlias;
  SmallVector<char, 0> out;
};

} // namespace

/// Says of a function that an input's debug section is about whether its code
/// is in the output, was replaced, and how it is edited.
static DebugFunction getDebugFunction(const ObjectFile &obj, Symbol *s,
                                      uint32_t symbolIndex) {
  DebugFunction result;
  if (!s || !s->isFunction() || obj.isLost(symbolIndex))
    return result;
  auto *f = static_cast<Function *>(s);
  if (f->aliasOf)
    f = f->aliasOf;
  const bool inForce = f->definedIn == obj.ordinal;
  result.reachable = f->reachable && f->defined && inForce;
  result.isReplaced = f->reachable && f->defined && !inForce;
  result.edit = f->edit;
  return result;
}

LineTableRebuilder::LineTableRebuilder(const Inputs &inputs,
                                       const Program &program,
                                       OutputSection &sec)
    : inputs(inputs), sec(sec) {
  for (const std::vector<Symbol *> *list : {&program.locals, &program.globals})
    for (Symbol *s : *list)
      if (s->isFunction())
        orders.try_emplace(s, orders.size());
  if (inputs.rules.knowsFunctionsByAlias())
    knownByAlias = findFunctionsKnownByAlias(inputs, program);
}

/// nvlink applies a replaced definition's lines to the code of the one in
/// force: wrong, so they are left out unless asked for. And it doesn't find the
/// code of a function that it knows by an alias.
void LineTableRebuilder::translateReplaced(const RelocationGroup &g) {
  auto isTranslated = [&](const auto &r) {
    return r.first.function.isReplaced
               ? inputs.rules.translatesReplacedDebugOffsets()
               : r.first.function.reachable &&
                     (knownByAlias.contains(r.second) ||
                      g.file->knownByAlias.contains(r.second));
  };
  if (none_of(references, isTranslated))
    return;
  readMercuryRows(g);
  DenseMap<const Symbol *, size_t> count;
  for (auto &r : references) {
    auto &[reference, f] = r;
    const size_t number = count[f]++;
    if (!isTranslated(r))
      continue;
    ArrayRef<uint8_t> rows = mercuryRows.lookup({f, number});
    if (!knownByAlias.contains(f)) {
      const MercuryOffsets &known = offsets.emplace_back(getMercuryOffsets(*f));
      if (!known.isKnown())
        continue;
      reference.offsets = &known;
      reference.codeSize = f->text->parts[0].bytes.size();
    }
    if (rows.empty())
      continue;
    reference.mercuryRows = rows;
    reference.function.reachable = true;
  }
}

void LineTableRebuilder::readMercuryRows(const RelocationGroup &g) {
  mercuryRows.clear();
  const ObjectFile &obj = *g.file;
  const uint32_t twin = obj.twinOf(g.inputSection);
  if (!twin)
    return;
  std::vector<std::pair<DebugReference, const Symbol *>> entries;
  for (const Elf_Rela &r : obj.file.relas(twin)) {
    uint64_t base;
    Symbol *s = obj.resolve(r.getSymbol(false), base, View::Mercury);
    if (!s || !s->isFunction())
      continue;
    auto *f = static_cast<Function *>(s);
    DebugReference reference{r.r_offset, {}};
    reference.function.reachable = true;
    entries.push_back({reference, f->aliasOf ? f->aliasOf : f});
  }
  llvm::stable_sort(entries, [](const auto &a, const auto &b) {
    return a.first.offset < b.first.offset;
  });
  std::vector<DebugReference> plain;
  plain.reserve(entries.size());
  for (const auto &entry : entries)
    plain.push_back(entry.first);
  auto rows = splitLineTable(
      obj.file.contents(obj.file.sections()[twin].sh_info), plain);
  if (!rows)
    return consumeError(rows.takeError());
  DenseMap<const Symbol *, size_t> count;
  for (size_t i = 0; i != entries.size(); ++i) {
    const Symbol *s = entries[i].second;
    mercuryRows[{s, count[s]++}] = (*rows)[i];
  }
}

void LineTableRebuilder::readReferences(const RelocationGroup &g) {
  const ObjectFile &obj = *g.file;
  for (const Elf_Rela &r : obj.file.relas(g.inputSection)) {
    const uint32_t index = r.getSymbol(false);
    Symbol *s = obj.symbols[index];
    if (r.getType(false) != R_CUDA_64 || !s || !s->isFunction())
      continue;
    auto *f = static_cast<Function *>(s);
    if (f->aliasOf)
      f = f->aliasOf;
    DebugFunction function = getDebugFunction(obj, s, index);
    if (sec.kind == SectionKind::DebugTileLine) {
      function.reachable = f->reachable && f->defined; // [debug-tile]
      function.isReplaced = false;
      function.edit = f->edit;
    } else if (g.sequence < f->debugPurgedBefore) {
      function.reachable = function.isReplaced = false;
    }
    function.order = orders.lookup(f);
    references.push_back({{r.r_offset, function}, f});
  }
  llvm::stable_sort(references, [](const auto &a, const auto &b) {
    return a.first.offset < b.first.offset;
  });
}

/// Headers are the Mercury view's: where code was inlined, they refer to a
/// section of names, and only the Mercury view has the relocation for that.
void LineTableRebuilder::patchHeaders(const RelocationGroup &mercury,
                                      RebuiltLineTable &table) {
  const ObjectFile &obj = *mercury.file;
  const uint32_t section = obj.file.sections()[mercury.inputSection].sh_info;
  ArrayRef<uint8_t> bytes = obj.file.contents(section);
  std::vector<uint64_t> starts; // Of the units.
  for (uint64_t at = 0; bytes.size() - at >= sizeof(uint32_t);) {
    starts.push_back(at);
    const uint64_t size =
        sizeof(uint32_t) + uint64_t(support::endian::read32le(&bytes[at]));
    if (size > bytes.size() - at)
      return;
    at += size;
  }
  if (starts.size() != table.units.size())
    return;
  for (const Elf_Rela &r : obj.file.relas(mercury.inputSection)) {
    uint64_t base;
    Symbol *s = obj.resolve(r.getSymbol(false), base, View::Mercury);
    const RelocationInfo *info = getRelocationInfo(r.getType(false));
    auto next = upper_bound(starts, uint64_t(r.r_offset));
    if (!s || !s->isSection() || !info || next == starts.begin())
      continue;
    const size_t unit = next - starts.begin() - 1;
    const uint64_t offset = r.r_offset - starts[unit];
    if (offset >= table.units[unit].headerSize)
      continue;
    patchRelocation(MutableArrayRef(table.bytes)
                        .drop_front(table.units[unit].newOffset + offset),
                    *info, base + r.r_addend, 0, /*implicitAddend=*/false);
  }
}

void LineTableRebuilder::reportDamage(const RelocationGroup *group,
                                      StringRef what) {
  const MessagePart section = diag::section(sec.name).bare();
  if (group)
    inputs.diag.report(DiagId::DamagedInput, {diag::file(group->file->label),
                                              ": ", section, ": ", what});
  else
    inputs.diag.report(DiagId::DamagedInput, {section, ": ", what});
}

bool LineTableRebuilder::rebuildPart(const SectionPart &part,
                                     const RelocationGroup *group,
                                     const RelocationGroup *mercury) {
  references.clear();
  if (group) {
    readReferences(*group);
    translateReplaced(*group);
  }
  std::vector<DebugReference> plain;
  plain.reserve(references.size());
  for (const auto &[reference, function] : references)
    plain.push_back(reference);
  Expected<RebuiltLineTable> table =
      rebuildLineTable(part.bytes, plain, inputs.rules.finalizerWritesFile());
  if (!table) {
    reportDamage(group, toString(table.takeError()));
    return false;
  }
  if (mercury)
    patchHeaders(*mercury, *table);
  const uint64_t base = out.size();
  for (const RebuiltLineTable::Unit &unit : table->units)
    sec.makeExtras().moved.push_back(
        {part.offset + unit.oldOffset, base + unit.newOffset, 0});
  if (sec.rela)
    for (const RebuiltLineTable::Reference &r : table->references)
      sec.rela->kept.push_back(
          inputs.memory.shared,
          {base + r.newOffset, R_CUDA_64, references[r.index].second, 0});
  out.append(table->bytes.begin(), table->bytes.end());
  return true;
}

void LineTableRebuilder::run() {
  std::vector<const RelocationGroup *> groups(sec.parts.size()),
      mercury(sec.parts.size());
  for (const RelocationGroup &g : sec.relocations)
    groups[g.part] = &g;
  if (sec.mercury && sec.mercury->parts.size() == sec.parts.size() &&
      inputs.rules.rebuildsLinesFromMercury())
    for (const RelocationGroup &g : sec.mercury->relocations)
      mercury[g.part] = &g;
  for (size_t i = 0; i != sec.parts.size(); ++i)
    if (!rebuildPart(sec.parts[i], groups[i], mercury[i]))
      return;
  sec.relocations.clear();
  sec.setContents(inputs.memory.save(out));
  // Without any sequence the finalizer has nothing to do, and both views share
  // the bytes. But -r may have left sequences without a function.
  if (sec.mercury && sec.mercury->relocations.empty() &&
      sec.mercury->size == out.size())
    sec.mercury->isSharedCopy = true;
}

void rebuildLineTables(const Inputs &inputs, const Program &program) {
  if (!inputs.isMercury())
    return;
  for (SectionKind kind : {SectionKind::DebugLine, SectionKind::DebugSassLine,
                           SectionKind::DebugTileLine}) {
    OutputSection *sec = findNamedSection(program, kind);
    if (sec && sec->reachable && !inputs.diag.stopped())
      LineTableRebuilder(inputs, program, *sec).run();
  }
}

namespace {

/// Rewrites .nv_debug_info_reg_sass [debug-registers-by-name]. The finalizer
/// looks for functions by name:
/// of several local ones it knows the first.
class RegisterRewriter {
public:
  RegisterRewriter(const Inputs &inputs, const Program &program,
                   OutputSection &sec);
  void run();

private:
  Error rewritePart(const ObjectFile &obj, uint32_t section, SectionPart &part);
  DebugFunction findFunction(const ObjectFile &obj, StringRef name);
  std::vector<LocationRange> translate(const ObjectFile &obj, uint32_t section,
                                       StringRef name);

  const Inputs &inputs;
  const Program &program;
  OutputSection &sec;
  DenseMap<CachedHashStringRef, Symbol *> known;
  DenseSet<CachedHashStringRef> seen;
  /// Functions known by an alias, if that matters.
  DenseSet<Function *> knownByAlias;
  /// Symbols of the object at hand by name.
  DenseMap<CachedHashStringRef, uint32_t> byName;
};

} // namespace

RegisterRewriter::RegisterRewriter(const Inputs &inputs, const Program &program,
                                   OutputSection &sec)
    : inputs(inputs), program(program), sec(sec) {
  for (const std::vector<Symbol *> *list : {&program.locals, &program.globals})
    for (Symbol *s : *list)
      if (s->isFunction() && static_cast<Function *>(s)->reachable)
        known.try_emplace(CachedHashStringRef(s->name), s);
  if (inputs.rules.knowsFunctionsByAlias())
    knownByAlias = findFunctionsKnownByAlias(inputs, program);
}

DebugFunction RegisterRewriter::findFunction(const ObjectFile &obj,
                                             StringRef name) {
  const CachedHashStringRef key(name);
  Symbol *s = known.lookup(key);
  auto it = byName.find(key);
  DebugFunction function;
  if (it != byName.end() && s == obj.symbols[it->second])
    function = getDebugFunction(obj, s, it->second);
  function.isReplaced = function.reachable && obj.knownByAlias.contains(s);
  if (!inputs.rules.describesRegistersByFirstName())
    return function;
  // nvlink describes each function once, by what was read first, whatever code
  // that was about, and none that it knows by an alias.
  if (!seen.insert(key).second ||
      (s && knownByAlias.contains(static_cast<Function *>(s))))
    return {};
  function.isReplaced |= s && !function.reachable;
  return function;
}

/// Returns the new offset of the last native instruction that a Mercury
/// instruction stands for. What was inserted after them counts as well
/// [mercury-instruction-groups].
static uint64_t findLastInstruction(const Function &f,
                                    const MercuryOffsets::Pair &pair) {
  const uint64_t end = !f.edit          ? pair.end
                       : pair.endsBlock ? f.edit->newStart(pair.end)
                                        : f.edit->newOffset(pair.end);
  return end - sass::InstructionSize;
}

/// The Mercury ranges of a definition that isn't in the output, taken for those
/// of the function that is. nvlink reads beyond its table of instructions for
/// offsets after them; here they are 0, like all that fit no instruction.
std::vector<LocationRange> RegisterRewriter::translate(const ObjectFile &obj,
                                                       uint32_t section,
                                                       StringRef name) {
  auto &f =
      *static_cast<const Function *>(known.lookup(CachedHashStringRef(name)));
  const MercuryOffsets offsets = getMercuryOffsets(f);
  const uint32_t twin = obj.twinOf(section);
  if (!twin || !offsets.isKnown())
    return {};
  Expected<std::vector<LocationRange>> ranges =
      readRegisterRanges(obj.file.contents(twin), name);
  if (!ranges) {
    consumeError(ranges.takeError());
    return {};
  }
  for (auto &[start, end] : *ranges) {
    const MercuryOffsets::Pair *first = offsets.find(start);
    const MercuryOffsets::Pair *last = offsets.find(end);
    start = first ? findLastInstruction(f, *first) : 0;
    end = !last ? 0 : f.edit ? f.edit->newOffset(last->native) : last->native;
    // [file-of-finalizer]
    if (!end && inputs.rules.finalizerWritesFile())
      start = 0;
  }
  return std::move(*ranges);
}

Error RegisterRewriter::rewritePart(const ObjectFile &obj, uint32_t section,
                                    SectionPart &part) {
  byName.clear();
  for (uint32_t i = 0; i != obj.symbols.size(); ++i)
    if (Symbol *s = obj.symbols[i]; s && s->isFunction())
      byName.try_emplace(CachedHashStringRef(s->name), i);
  return rewriteRegisterRanges(
      part.writable(inputs),
      [&](StringRef name) { return findFunction(obj, name); },
      [&](StringRef name) { return translate(obj, section, name); });
}

void RegisterRewriter::run() {
  for (const ObjectFile &obj : program.objects)
    for (unsigned i = 1; i < obj.file.sections().size(); ++i)
      if (const SectionPlacement p = obj.placement(i); p.section == &sec)
        if (Error e = rewritePart(obj, i, sec.parts[p.part])) {
          inputs.diag.report(DiagId::DamagedInput,
                             {diag::file(obj.label), ": ",
                              diag::section(sec.name).bare(), ": ",
                              toString(std::move(e))});
          return;
        }
}

void finalizeRegisterRanges(const Inputs &inputs, const Program &program) {
  OutputSection *sec =
      inputs.isMercury()
          ? findNamedSection(program, SectionKind::DebugRegisters)
          : nullptr;
  if (sec && sec->reachable)
    RegisterRewriter(inputs, program, *sec).run();
}

} // namespace lld::cuda
