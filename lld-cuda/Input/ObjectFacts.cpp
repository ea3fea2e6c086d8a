//===- ObjectFacts.cpp - What an object says by itself --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// findObjectFacts() is called where an object's bytes have just been read and
/// checked: by the reader of inputs (UnpackCubins.cpp), which reads several at
/// once, or by mergeFile() for an object that may not be needed. Each fact is
/// found by one walk over a table.
///
/// A section of code belongs to the first function symbol in it that has its
/// name: .text.F to F, .nv.uft.rel.F to the stub of F. Twins, sections of the
/// Mercury view (docs/reference/mercury.md) and their native ones, have related
/// names, too; where a relocatable link left several local functions of one
/// name, the twins stand in the same order as their native sections.
///
//===----------------------------------------------------------------------===//

#include "Input/ObjectFacts.h"
#include "FactMemory.h"
#include "Input/CheckObject.h"
#include "LinkMemory.h"
#include "OutputSection.h"
#include "Twins.h"
#include "lld-cuda/BinaryFormat/ELF.h"
#include "lld-cuda/Object/Note.h"
#include "llvm/ADT/CachedHashString.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"
#include <array>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

using namespace llvm;
using namespace lld::cuda::elf;

namespace lld::cuda {

// The arena destroys nothing.
static_assert(std::is_trivially_destructible_v<ObjectFacts>);

namespace {

class FactFinder {
public:
  FactFinder(const CubinFile &file, bool isMercury, FactMemory &memory)
      : file(file), isMercury(isMercury), memory(memory), facts(allocate()) {}
  const ObjectFacts *run(bool withDecisions);

private:
  ObjectFacts &allocate();
  bool isStub(const Elf_Sym &sym, StringRef section) const;
  void findOwner(unsigned symbol);
  void findTwins();
  bool isAboutWeakFunction(const Elf_Shdr &shdr) const;
  void countRecords();

  const CubinFile &file;
  const bool isMercury;
  FactMemory &memory;
  MutableArrayRef<uint32_t> textOwner;
  MutableArrayRef<ObjectFacts::RecordCount> records;
  ObjectFacts &facts;
};

} // namespace

/// A stub, __cuda_uf_stub_F, is the code in the table slot of function F.
bool FactFinder::isStub(const Elf_Sym &sym, StringRef section) const {
  StringRef name = file.symtab().name(sym);
  return sym.getBinding() == STB_LOCAL && sym.st_value == 0 &&
         name.consume_front("__cuda_uf_stub_") &&
         section.consume_front(".nv.uft.rel.") && name == section;
}

/// Notes that a function is that of its section, if it is.
void FactFinder::findOwner(unsigned i) {
  const Elf_Sym &sym = file.symtab().symbols[i];
  if (sym.st_shndx == SHN_UNDEF || file.isCommon(i))
    return;
  const uint32_t section = file.sectionIndex(i);
  if (section >= textOwner.size())
    return;
  const uint8_t binding = sym.getBinding();
  facts.definesWeakFunction |= binding != STB_GLOBAL && binding != STB_LOCAL;
  const Elf_Shdr &shdr = file.sections()[section];
  constexpr uint64_t CodeFlags = SHF_ALLOC | SHF_EXECINSTR;
  if (textOwner[section] ||
      (shdr.sh_flags & (CodeFlags | SHF_CUDA_MERCURY)) != CodeFlags)
    return;
  StringRef name = file.sectionName(section);
  if (shdr.sh_type == SHT_PROGBITS
          ? name.consume_front(".text.") && name == file.symtab().name(sym)
          : shdr.sh_type == SHT_CUDA_UFT && isStub(sym, name))
    textOwner[section] = i;
}

void FactFinder::findTwins() {
  if (file.mercurySymtab().empty() || file.smNumber() < FirstMercurySM)
    return;
  const size_t count = file.sections().size();
  MutableArrayRef<uint32_t> twins(memory.arena.Allocate<uint32_t>(count),
                                  count);
  std::uninitialized_fill_n(twins.begin(), count, 0);
  facts.twins = twins;
  // Relocatable output has several local functions of one name; their twins
  // stand in the same order.
  DenseMap<CachedHashStringRef, uint32_t> natives; ///< The next of a name.
  SmallVector<uint32_t, 0> following(twins.size());
  for (unsigned i = file.sections().size(); i-- > 1;)
    if (!(file.sections()[i].sh_flags & SHF_CUDA_MERCURY))
      following[i] =
          std::exchange(natives[CachedHashStringRef(file.sectionName(i))], i);
  for (unsigned i = 1; i < file.sections().size(); ++i) {
    if (!(file.sections()[i].sh_flags & SHF_CUDA_MERCURY))
      continue;
    std::string name = getNativeName(file.sectionName(i));
    auto it = natives.find(CachedHashStringRef(name));
    if (it == natives.end() || !it->second)
      continue;
    const uint32_t native = it->second;
    it->second = following[native];
    twins[native] = i;
    textOwner[i] = textOwner[native];
  }
}

/// Whether an object can have a summary of a symbol: it defines the symbol,
/// which isn't a section's.
static bool mayBeSummarized(const Elf_Sym &sym) {
  return sym.getType() != STT_SECTION && sym.st_shndx != SHN_UNDEF;
}

bool hasUsualSymbols(ArrayRef<Elf_Sym> all, NvInfoSymbols symbols,
                     const NvInfoRecord &r, View view) {
  const unsigned count = r.wordCount();
  if (!count || r.word(0) >= all.size())
    return false;
  for (unsigned i = 1; symbols == NvInfoSymbols::All && i != count; ++i)
    if (r.word(i) >= all.size())
      return false;
  return !isFunctionSummary(r.code) || (count >= 2 && view == View::Native &&
                                        mayBeSummarized(all[r.word(0)]));
}

namespace {

/// What has to be right in a record that counts as it is.
enum class RecordCheck : uint8_t {
  Nothing,
  FirstSymbol,
  AllSymbols,
  Summary, ///< Of a function, the first symbol.
  Version,
  Unusual ///< The merge looks at it.
};

} // namespace

static constexpr std::array<RecordCheck, 256> makeRecordChecks() {
  std::array<RecordCheck, 256> checks = {};
#define NV_INFO(NAME, CODE, SYMBOLS, OFFSETS, POLICY, DESCRIPTION)             \
  static_assert(!isFunctionSummary(CODE) ||                                    \
                NvInfoSymbols::SYMBOLS == NvInfoSymbols::First);               \
  checks[CODE] = isFunctionSummary(CODE) ? RecordCheck::Summary                \
                 : NvInfoSymbols::SYMBOLS == NvInfoSymbols::None               \
                     ? RecordCheck::Nothing                                    \
                 : NvInfoSymbols::SYMBOLS == NvInfoSymbols::First              \
                     ? RecordCheck::FirstSymbol                                \
                     : RecordCheck::AllSymbols;
#include "lld-cuda/BinaryFormat/NvInfo.def"
  checks[EIATTR_MERCURY_ISA_VERSION] = RecordCheck::Version;
  checks[EIATTR_AT_ENTRY_FRAGMENTS] = RecordCheck::Unusual;
  return checks;
}
static constexpr std::array<RecordCheck, 256> RecordChecks = makeRecordChecks();

ObjectFacts::RecordCount countUsualRecords(ArrayRef<Elf_Sym> symbols,
                                           ArrayRef<uint8_t> contents,
                                           View view) {
  using support::endian::read32le;
  constexpr ptrdiff_t Word = sizeof(uint32_t);
  const uint8_t *const end = contents.end();
  uint32_t count = 0;
  bool summarizes = false;
  std::optional<bool> isOldest;
  for (const uint8_t *at = contents.begin(); at != end; ++count) {
    if (end - at < ptrdiff_t(NvInfoHeaderSize))
      return ObjectFacts::RecordCount::unknown();
    const uint8_t *const next = at + sizeOfNvInfoRecord(at);
    if (next > end)
      return ObjectFacts::RecordCount::unknown();
    const uint8_t *const payload = at + NvInfoHeaderSize;
    switch (RecordChecks[at[1]]) {
    case RecordCheck::Nothing:
      break;
    case RecordCheck::FirstSymbol:
      if (next - payload < Word || read32le(payload) >= symbols.size())
        return ObjectFacts::RecordCount::unknown();
      break;
    case RecordCheck::AllSymbols:
      if (next - payload < Word)
        return ObjectFacts::RecordCount::unknown();
      for (const uint8_t *word = payload; next - word >= Word; word += Word)
        if (read32le(word) >= symbols.size())
          return ObjectFacts::RecordCount::unknown();
      break;
    case RecordCheck::Summary:
      if (next - payload < 2 * Word || view != View::Native ||
          read32le(payload) >= symbols.size() ||
          !mayBeSummarized(symbols[read32le(payload)]))
        return ObjectFacts::RecordCount::unknown();
      summarizes = true;
      break;
    case RecordCheck::Version:
      isOldest = readNvInfoRecord(at).value <= OldestMercuryVersion;
      break;
    case RecordCheck::Unusual:
      return ObjectFacts::RecordCount::unknown();
    }
    at = next;
  }
  if (count > ObjectFacts::RecordCount::MaxCount)
    return ObjectFacts::RecordCount::unknown();
  ObjectFacts::RecordCount result(count);
  if (isOldest)
    result.setVersion(*isOldest);
  if (summarizes)
    result.setSummarizes();
  return result;
}

/// Whether a section is about functions of which other objects may have the
/// definitions that count.
bool FactFinder::isAboutWeakFunction(const Elf_Shdr &shdr) const {
  const uint32_t owner =
      shdr.sh_info < textOwner.size() ? textOwner[shdr.sh_info] : 0;
  return owner ? file.symtab().symbols[owner].getBinding() == STB_WEAK
               : facts.definesWeakFunction;
}

void FactFinder::countRecords() {
  const ArrayRef<Elf_Sym> symbols = file.symtab().symbols;
  for (unsigned i = 1; i < records.size(); ++i) {
    const Elf_Shdr &shdr = file.sections()[i];
    const bool isNative = shdr.sh_type == SHT_CUDA_INFO;
    if ((isNative || shdr.sh_type == SHT_CUDA_MERC_INFO) &&
        !isAboutWeakFunction(shdr))
      records[i] = countUsualRecords(symbols, file.contents(i),
                                     isNative ? View::Native : View::Mercury);
  }
}

/// Allocates the facts and the lists that every object has, in one block.
ObjectFacts &FactFinder::allocate() {
  const size_t count = file.sections().size();
  constexpr size_t Front =
      divideCeil(sizeof(ObjectFacts), sizeof(uint64_t)); // For alignment.
  uint64_t *const block = memory.arena.Allocate<uint64_t>(Front + count);
  uint32_t *const lists = reinterpret_cast<uint32_t *>(block + Front);
  std::uninitialized_fill_n(lists, count, 0);
  textOwner = {lists, count};
  auto *first = reinterpret_cast<ObjectFacts::RecordCount *>(lists + count);
  std::uninitialized_value_construct_n(first, count);
  records = {first, count};
  auto *result = new (block) ObjectFacts();
  result->textOwner = textOwner;
  result->records = records;
  return *result;
}

const ObjectFacts *FactFinder::run(bool withDecisions) {
  const ArrayRef<Elf_Sym> symbols = file.symtab().symbols;
  for (unsigned i = 1; i < symbols.size(); ++i)
    if (symbols[i].getType() == STT_FUNC)
      findOwner(i);
  findTwins();
  facts.isSound = !checkObject(file, facts, isMercury, memory, facts.memory);
  if (!facts.isSound)
    return &facts;
  countRecords();
  if (withDecisions && !isMercury)
    facts.decisions = findDecisions(file, facts, memory);
  return &facts;
}

const ObjectFacts *findObjectFacts(const CubinFile &file, bool isMercury,
                                   FactMemory &memory, bool withDecisions) {
  return FactFinder(file, isMercury, memory).run(withDecisions);
}

Error FactMemory::checkNotes(ArrayRef<uint8_t> notes, bool isToolkit) {
  std::atomic<const ArrayRef<uint8_t> *> &last = correctNotes[isToolkit];
  const ArrayRef<uint8_t> *known = last.load(std::memory_order_acquire);
  if (known && *known == notes)
    return Error::success();
  if (Error e = lld::cuda::checkNotes(notes))
    return e;
  // Notes are small, unless many sections of a hostile file have the same
  // bytes.
  constexpr size_t MaxCopied = 4096;
  if (notes.size() > MaxCopied)
    return Error::success();
  uint8_t *const copy = arena.Allocate<uint8_t>(notes.size());
  llvm::copy(notes, copy);
  last.store(new (arena.Allocate<ArrayRef<uint8_t>>(1))
                 ArrayRef<uint8_t>(copy, notes.size()),
             std::memory_order_release);
  return Error::success();
}

} // namespace lld::cuda
