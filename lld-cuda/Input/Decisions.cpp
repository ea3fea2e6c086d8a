//===- Decisions.cpp - What the merge decides about plain objects ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// findDecisions() makes the list of what the merge of a plain object has to
/// decide: which functions it has and mentions, and which of its sections are
/// shared with other objects. findObjectFacts() calls it for large links, in
/// parallel with other objects. MergeBatch.cpp goes through the list, and
/// leaves the rest of the object to other threads.
///
/// An object is plain if everything that isn't in the list belongs to one
/// function that it defines. That excludes what only few objects have, and what
/// brings sections or local symbols where only the merge knows: variables of
/// its own, memory that is shared by a block of threads, aliases and inner
/// functions, tables of unified functions. It also excludes weak functions, of
/// which other objects may have the definition that counts, and sections of
/// attributes that have to be read record by record.
///
//===----------------------------------------------------------------------===//

#include "FactMemory.h"
#include "Input/ObjectFacts.h"
#include "LinkMemory.h"
#include "NameHash.h"
#include "lld-cuda/BinaryFormat/ELF.h"
#include "lld-cuda/BinaryFormat/SectionKinds.h"
#include "llvm/ADT/SmallVector.h"
#include <memory>
#include <type_traits>

using namespace llvm;
using namespace lld::cuda::elf;

namespace lld::cuda {

// The arena destroys nothing.
static_assert(std::is_trivially_destructible_v<Decisions>);

namespace {

class DecisionFinder {
public:
  DecisionFinder(const CubinFile &file, const ObjectFacts &facts)
      : file(file), facts(facts) {}
  /// Returns false if the object isn't plain.
  bool run();
  const Decisions *save(SharedArena &arena) const;

private:
  bool addSymbol(unsigned i);
  bool isPlainFunction(unsigned i) const;
  bool addSection(unsigned i);
  bool addRecords(unsigned i);
  bool addRelocations(unsigned i);
  void addShared(unsigned i) { shared.push_back({i, records}); }
  uint32_t ownerOf(const Elf_Shdr &shdr) const {
    return shdr.sh_info < facts.textOwner.size() ? facts.textOwner[shdr.sh_info]
                                                 : 0;
  }

  const CubinFile &file;
  const ObjectFacts &facts;
  SmallVector<Decisions::Name, 64> functions, variables;
  SmallVector<Decisions::SharedSection, 8> shared;
  uint32_t records = 0;
};

} // namespace

/// Its definition, if it has one, is at the beginning of a section of its own.
bool DecisionFinder::isPlainFunction(unsigned i) const {
  const Elf_Sym &sym = file.symtab().symbols[i];
  if (sym.st_shndx == SHN_UNDEF)
    return sym.getBinding() != STB_LOCAL;
  return !file.isCommon(i) && file.sectionIndex(i) < facts.textOwner.size() &&
         facts.textOwner[file.sectionIndex(i)] == i;
}

bool DecisionFinder::addSymbol(unsigned i) {
  const Elf_Sym &sym = file.symtab().symbols[i];
  const Decisions::Name name = {i, hashOfName(file.symtab().name(sym))};
  switch (sym.getType()) {
  case STT_FUNC:
    functions.push_back(name);
    return isPlainFunction(i);
  case STT_OBJECT:
  case STT_CUDA_OBJECT:
  case STT_CUDA_TEXTURE:
  case STT_CUDA_SAMPLER:
  case STT_CUDA_SURFACE:
    variables.push_back(name);
    return sym.st_shndx == SHN_UNDEF && sym.getBinding() != STB_LOCAL;
  default:
    return true;
  }
}

/// Attributes of a function, or of the image.
bool DecisionFinder::addRecords(unsigned i) {
  const Elf_Shdr &shdr = file.sections()[i];
  if (!facts.records[i].isKnown(/*losesDefinitions=*/false))
    return false;
  if (!ownerOf(shdr))
    addShared(i);
  records += facts.records[i].count();
  return true;
}

bool DecisionFinder::addRelocations(unsigned i) {
  const Elf_Shdr &shdr = file.sections()[i];
  if (!shdr.sh_size || shdr.sh_info >= file.sections().size())
    return !shdr.sh_size;
  if (facts.textOwner[shdr.sh_info])
    return true; // Of a function's code.
  const Elf_Shdr &target = file.sections()[shdr.sh_info];
  addShared(i);
  // Whether a function's constants get relocations depends on other objects.
  return !isConstantBank(target.sh_type) || !ownerOf(target);
}

bool DecisionFinder::addSection(unsigned i) {
  const Elf_Shdr &shdr = file.sections()[i];
  if (facts.textOwner[i])
    return shdr.sh_type == SHT_PROGBITS;
  if (shdr.sh_flags & SHF_EXECINSTR)
    return false;
  switch (shdr.sh_type) {
  case SHT_NULL:
  case SHT_SYMTAB:
  case SHT_STRTAB:
    return true;
  case SHT_CUDA_INFO:
    return addRecords(i);
  case SHT_REL:
  case SHT_RELA:
    return addRelocations(i);
  case SHT_CUDA_SHARED:
  case SHT_CUDA_UFT:
  case SHT_CUDA_UDT:
    return false;
  default:
    if (!isConstantBank(shdr.sh_type) || !ownerOf(shdr))
      addShared(i);
    return !isUnifiedTable(shdr.sh_type);
  }
}

bool DecisionFinder::run() {
  if (facts.definesWeakFunction || !facts.twins.empty())
    return false;
  for (unsigned i = 1; i < file.symtab().symbols.size(); ++i)
    if (!addSymbol(i))
      return false;
  for (unsigned i = 1; i < file.sections().size(); ++i)
    if (!addSection(i))
      return false;
  return true;
}

template <typename T>
static ArrayRef<T> saveList(SharedArena &arena, ArrayRef<T> list) {
  T *copy = arena.Allocate<T>(list.size());
  std::uninitialized_copy(list.begin(), list.end(), copy);
  return {copy, list.size()};
}

const Decisions *DecisionFinder::save(SharedArena &arena) const {
  auto *result = new (arena.Allocate<Decisions>(1)) Decisions();
  result->functions = saveList<Decisions::Name>(arena, functions);
  result->variables = saveList<Decisions::Name>(arena, variables);
  result->sections = saveList<Decisions::SharedSection>(arena, shared);
  result->records = records;
  return result;
}

const Decisions *findDecisions(const CubinFile &file, const ObjectFacts &facts,
                               FactMemory &memory) {
  DecisionFinder finder(file, facts);
  return finder.run() ? finder.save(memory.arena) : nullptr;
}

} // namespace lld::cuda
