//===- MergeMetadata.cpp - Call graph and attributes of an object ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The last passes over an object that is merged: Merger::run() in Merge.cpp
/// calls them for .nv.callgraph, .nv.prototype and .nv.info sections, in the
/// order of the section headers, when all symbols of the object are known. They
/// add call edges, prototypes and attribute records to the functions of the
/// link, with the link's symbols in place of the input's numbers. Records of
/// definitions that lost are skipped, except prototypes [call-graph-order],
/// [attribute-order]. NvInfoOutput.cpp writes the records at the end of the
/// link.
///
//===----------------------------------------------------------------------===//

#include "Explain/Explain.h"
#include "Input/ObjectFacts.h"
#include "Inputs.h"
#include "Merge/Merge.h"
#include "Merge/NativeCallees.h"
#include "lld-cuda/Object/CallGraph.h"
#include "llvm/Support/Compiler.h"

using namespace llvm;
using namespace lld::cuda::elf;

namespace lld::cuda {

/// Prototypes are compared as whole strings [prototypes].
void Merger::internPrototype(StringRef prototype) {
  program.prototypeStrings.insert({hashed(prototype), 0});
}

/// nvlink's -r keeps the first of equal edges, a final link all of them.
static bool isNewEdge(const Inputs &inputs,
                      DenseSet<std::pair<Function *, Function *>> &known,
                      Function &from, Function &to) {
  return !inputs.rules.dropsEqualEdges() || known.insert({&from, &to}).second;
}

/// Whether this object's definition isn't the one in force. What it says of the
/// prototype doesn't count [address-taken-of-replaced].
bool Merger::isReplaced(const Function &f, uint32_t symbol) const {
  return f.defined && f.definedIn != obj.ordinal &&
         sym(symbol).st_shndx != SHN_UNDEF;
}

void Merger::mergeCallGraph(unsigned section) {
  Error e = forEachCallGraphRecord(
      file, section, [&](const CallGraphRecord &r) -> Error {
        const bool hasPrototype = r.group == CallGraphGroup::AddressTaken ||
                                  r.group == CallGraphGroup::Indirect;
        if (hasPrototype)
          internPrototype(r.prototype);
        Symbol *s = obj.symbols[r.symbol];
        if (!s || !s->isFunction() || obj.isLost(r.symbol))
          return Error::success();
        auto &f = *static_cast<Function *>(s);
        Symbol *other = hasPrototype ? nullptr : obj.symbols[r.other];
        if (other && other->kind == Symbol::Kind::NativeCallee)
          program.nativeCallees->byCaller[&f].push_back(other);
        if (!hasPrototype && (!other || !other->isFunction()))
          return Error::success();
        auto *g = static_cast<Function *>(other);
        switch (r.group) {
        case CallGraphGroup::Calls:
          if (isNewEdge(inputs, state.knownCalls, f, *g))
            f.callees.push_back(inputs.memory.arena, g);
          break;
        case CallGraphGroup::AddressTaken:
          f.addressTaken = true;
          if (!isReplaced(f, r.symbol)) {
            f.hasPrototype = true;
            f.prototype = r.prototype;
          }
          break;
        case CallGraphGroup::Indirect:
          f.indirectCalls.push_back(inputs.memory.arena, r.prototype);
          break;
        case CallGraphGroup::Takes:
          if (isNewEdge(inputs, state.knownTakes, f, *g))
            f.takes.push_back(inputs.memory.arena, g);
          g->addressTaken = true;
          break;
        }
        return Error::success();
      });
  if (e)
    inputs.diag.report(DiagId::DamagedInput,
                       {diag::file(obj.label), ": ", toString(std::move(e))});
}

void Merger::setPrototype(Function &f, StringRef prototype) {
  if (f.hasPrototype && f.prototype != prototype) {
    const uint32_t first = f.defined ? f.definedIn : f.mentionedIn;
    inputs.diag.report(DiagId::PrototypeMismatch,
                       {"Prototype doesn't match for ", diag::symbol(f.name),
                        " in ", diag::file(obj.label), ", first defined in ",
                        diag::file(labelOf(first))});
    explainMismatch(inputs, program, f.name, first,
                    describePrototype(f.prototype), obj,
                    describePrototype(prototype));
    return;
  }
  f.hasPrototype = true;
  f.prototype = prototype;
}

void Merger::mergePrototypes(unsigned section) {
  Error e = forEachPrototype(
      file, section, [&](uint32_t symbol, StringRef prototype) -> Error {
        internPrototype(prototype);
        if (Symbol *s = obj.symbols[symbol]; s && s->isFunction())
          setPrototype(*static_cast<Function *>(s), prototype);
        return Error::success();
      });
  if (e)
    inputs.diag.report(DiagId::DamagedInput,
                       {diag::file(obj.label), ": ", toString(std::move(e))});
}

/// Tensor memory code of 12.x marks its entries with the fragments 4 and 5,
/// that of 13.0 with 6 and 7; they don't go together [tensor-memory-mixed]. An
/// object of CUDA 13 with a Mercury view counts as New whatever it has.
void Merger::checkFragments(const NvInfoRecord &r) {
  constexpr uint8_t Old = 1, New = 2;
  if (inputs.rules.writesOldFiles())
    return; // All are of CUDA 12.
  uint8_t generations = obj.hasMercury() && !obj.hasOldestMercury() ? New : 0;
  for (unsigned i = 0; i != r.wordCount(); ++i) {
    if (r.word(i) == 4 || r.word(i) == 5)
      generations |= Old;
    if (r.word(i) == 6 || r.word(i) == 7)
      generations |= New;
  }
  const bool disagrees =
      (state.fragmentGenerations | generations) == (Old | New);
  if (!disagrees || fragmentsReported) {
    state.fragmentGenerations |= generations;
    return;
  }
  fragmentsReported = true;
  inputs.diag.report(
      DiagId::TensorCodeMismatch,
      {"Object ", diag::file(obj.label),
       " cannot be linked due to version mismatch. Objects using "
       "tcgen05 in 12.x cannot be linked with 13.0 or later, they "
       "must be rebuilt with latest compiler"});
}

/// nvlink 13.5 sorts those of an object's symbols that the Mercury view's table
/// says are in front of the global ones, local ones first, and takes numbers in
/// some records for places among the sorted ones [symbols-misread].
void Merger::sortMisreadSymbols() {
  if (!inputs.isMercury() || !inputs.rules.misreadsSymbols())
    return;
  ArrayRef<Elf_Sym> symbols = file.symtab().symbols;
  const uint32_t firstGlobal =
      file.sections()[file.mercurySymtab().section].sh_info;
  std::vector<uint32_t> others;
  for (unsigned i = 0; i != std::min<size_t>(symbols.size(), firstGlobal); ++i)
    (symbols[i].getBinding() == STB_LOCAL ? sortedSymbols : others)
        .push_back(i);
  sortedSymbols.insert(sortedSymbols.end(), others.begin(), others.end());
  // A record may come to name any function.
  program.mayHaveOutdatedRecords = true;
}

/// Whether nvlink 13.5 misreads records of that code.
static bool isMisread(uint8_t code) {
  return code == EIATTR_EXTERNS || code == EIATTR_MAX_STACK_SIZE;
}

/// Such a record as nvlink 13.5 reads it; none if nothing is left of it.
/// Sections don't count, and in a final link, which has only symbols that it
/// needs, no variables.
std::optional<NvInfoRecord> Merger::misread(const NvInfoRecord &record) const {
  const bool isList = record.code == EIATTR_EXTERNS;
  constexpr size_t Word = sizeof(uint32_t);
  SmallVector<char, 64> payload;
  for (unsigned i = 0; i != record.wordCount(); ++i) {
    uint32_t word = record.word(i);
    if (isList || i == 0) {
      if (word < sortedSymbols.size())
        word = sortedSymbols[word];
      const unsigned type = sym(word).getType();
      if (type == STT_SECTION || (!inputs.isRelocatable() && type != STT_FUNC))
        continue;
    }
    payload.resize(payload.size() + Word);
    support::endian::write32le(payload.end() - Word, word);
  }
  if (payload.size() < (isList ? Word : 2 * Word))
    return std::nullopt;
  NvInfoRecord result = record;
  result.value = payload.size();
  result.payload = inputs.memory.save(payload);
  return result;
}

/// The record for functions whose compiler writes none.
static constexpr uint8_t OldestVersion[] = {
    EIFMT_HVAL, EIATTR_MERCURY_ISA_VERSION, OldestMercuryVersion & 0xff,
    OldestMercuryVersion >> 8};

/// Symbols that a record names have to be there. Sets `isKept` to false for one
/// of a definition that lost.
Error Merger::checkSymbols(size_t offset, const NvInfoRecord &r, View view,
                           bool &isKept) const {
  const size_t symbolCount = file.symtab().symbols.size();
  const NvInfoAttribute &attribute = *getNvInfoAttribute(r.code);
  const unsigned words = !r.hasPayload() ? 0
                         : attribute.symbols == NvInfoSymbols::All
                             ? r.wordCount()
                             : 1;
  if (!r.hasPayload() || (words == 1 && r.wordCount() == 0))
    return createStringError("offset 0x%zx: %s without a symbol", offset,
                             attribute.name.data());
  for (unsigned i = 0; i != words; ++i)
    if (r.word(i) >= symbolCount)
      return createStringError("offset 0x%zx: %s names symbol %u of %zu",
                               offset, attribute.name.data(), r.word(i),
                               symbolCount);
  if (!isFunctionSummary(r.code))
    return Error::success();
  if (r.wordCount() < 2)
    return createStringError("offset 0x%zx: %s without a value", offset,
                             attribute.name.data());
  const CubinSymbolTable &table =
      view == View::Native ? file.symtab() : file.mercurySymtab();
  if (r.word(0) < table.symbols.size() &&
      table.symbols[r.word(0)].getType() == STT_SECTION)
    return createStringError("offset 0x%zx: %s of symbol %u, which "
                             "is a section's",
                             offset, attribute.name.data(), r.word(0));
  isKept = !obj.isLost(r.word(0));
  // Another object's function.
  program.mayHaveOutdatedRecords |= sym(r.word(0)).st_shndx == SHN_UNDEF;
  return Error::success();
}

/// Codes of records that the merge looks at: those with symbols, and two more.
static constexpr NvInfoCodes makeCheckedCodes() {
  NvInfoCodes checked = {};
#define NV_INFO(NAME, CODE, SYMBOLS, OFFSETS, POLICY, DESCRIPTION)             \
  checked[CODE] = NvInfoSymbols::SYMBOLS != NvInfoSymbols::None;
#include "lld-cuda/BinaryFormat/NvInfo.def"
  checked[EIATTR_MERCURY_ISA_VERSION] = true;
  checked[EIATTR_AT_ENTRY_FRAGMENTS] = true;
  return checked;
}
static constexpr NvInfoCodes CheckedCodes = makeCheckedCodes();

/// Reads a section's records and calls keep(offset) for each that counts as it
/// is, change(offset, record) for one that counts as another record. Null
/// stands for none.
template <typename Keep, typename Change>
Error Merger::readInfo(ArrayRef<uint8_t> contents, View view, Function *f,
                       Keep keep, Change change) {
  auto visit = [&](size_t offset, const NvInfoRecord &r) -> Error {
    const NvInfoAttribute &attribute = *getNvInfoAttribute(r.code);
    bool isKept = true;
    if (attribute.symbols != NvInfoSymbols::None) {
      if (hasUsualSymbols(file.symtab().symbols, attribute.symbols, r, view))
        isKept = !isFunctionSummary(r.code) || !obj.isLost(r.word(0));
      else if (Error e = checkSymbols(offset, r, view, isKept))
        return e;
    }
    if (f && r.code == EIATTR_MERCURY_ISA_VERSION)
      f->isOldest = r.value <= OldestMercuryVersion;
    if (r.code == EIATTR_AT_ENTRY_FRAGMENTS &&
        (view == View::Mercury) == obj.hasMercury())
      checkFragments(r);
    if (isKept && (sortedSymbols.empty() || !isMisread(r.code))) {
      keep(offset);
      return Error::success();
    }
    const std::optional<NvInfoRecord> changed =
        isKept ? misread(r) : std::nullopt;
    change(offset, changed ? &*changed : nullptr);
    return Error::success();
  };
  return forEachNvInfoRecordOf(CheckedCodes, contents, visit, keep);
}

/// Sets `contents` to the section's records as they count, and `count` to their
/// number.
LLVM_ATTRIBUTE_NOINLINE Error Merger::readRecords(ArrayRef<uint8_t> &contents,
                                                  uint32_t &count, View view,
                                                  Function *f) {
  bool isChanged = false;
  SmallVector<char, 0> changed; // All records, if one differs.
  count = 0;
  auto keep = [&](size_t offset) {
    ++count;
    if (isChanged)
      writeNvInfoRecord(readNvInfoRecord(contents.data() + offset), changed);
  };
  auto change = [&](size_t offset, const NvInfoRecord *r) {
    if (!std::exchange(isChanged, true))
      changed.append(contents.begin(), contents.begin() + offset);
    if (!r)
      return;
    ++count;
    writeNvInfoRecord(*r, changed);
  };
  if (Error e = readInfo(contents, view, f, keep, change))
    return e;
  if (isChanged)
    contents = inputs.memory.save(changed);
  return Error::success();
}

/// Adds the records of a section to those of a function, or of the image if `f`
/// is null.
Error Merger::mergeRecords(unsigned section, View view, Function *f) {
  ArrayRef<uint8_t> contents = file.contents(section);
  ObjectFacts::RecordCount known = obj.facts.records[section];
  // Summaries of definitions that are lost don't count, so that the number of
  // all wouldn't help.
  if (!known.isCounted() && (f || obj.lost.empty()))
    known = countUsualRecords(file.symtab().symbols, contents, view);
  uint32_t count;
  if (known.isKnown(!obj.lost.empty()) && sortedSymbols.empty()) {
    count = known.count();
    if (f && known.hasVersion())
      f->isOldest = known.isOldest();
  } else if (Error e = readRecords(contents, count, view, f)) {
    return e;
  }
  InfoRecords &list =
      (f ? f->infoRecords : program.globalInfoRecords)[unsigned(view)];
  list.add(inputs.memory.shared, contents, &obj, state.infoSequence);
  state.infoSequence += count;
  if (!f || !obj.hasOldestMercury() || inputs.rules.writesOldFiles())
    return Error::success();
  f->isOldest = true;
  list.add(inputs.memory.shared, OldestVersion, &obj, state.infoSequence++);
  return Error::success();
}

void Merger::mergeInfo(unsigned section) {
  uint32_t owner = obj.ownerOf(section);
  Function *f = obj.functionOf(section);
  if (owner && obj.isLost(owner))
    return;
  const View view = file.sections()[section].sh_type == SHT_CUDA_INFO
                        ? View::Native
                        : View::Mercury;
  // nvlink finds the first one's section for local functions of one name.
  if (Error e = mergeRecords(getFirstOfName(section), view, f))
    fatal(section, std::move(e));
}

} // namespace lld::cuda
