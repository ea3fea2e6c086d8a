//===- Names.cpp - Names for a cubin's numbers, labels --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Gives names to the numbers in a cubin's headers ("FUNC", "ALLOC") and labels
/// to its sections and symbols. The readers of facts in this folder call it for
/// each field, while cubin-dump prints a cubin, cubin-diff compares two, or
/// cubin-prune verifies its result. cubin-dump makes a cubin's labels once,
/// with Labels::forReaders(); the other tools make labels of their own. A label
/// has no index as long as the name is the only one of its kind: two symbols
/// named f are "f#3" and "f#7".
///
//===----------------------------------------------------------------------===//

#include "lld-cuda/Dump/Names.h"
#include "lld-cuda/BinaryFormat/Relocations.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace llvm;

namespace lld::cuda {
namespace {

struct NumberName {
  uint64_t number;
  StringLiteral name;
};

constexpr NumberName FileTypes[] = {{elf::ET_NONE, "NONE"},
                                    {elf::ET_REL, "REL"},
                                    {elf::ET_EXEC, "EXEC"},
                                    {elf::ET_DYN, "DYN"},
                                    {elf::ET_CUDA_EWP, "CUDA_EWP"}};

constexpr NumberName OsAbis[] = {{elf::ELFOSABI_CUDA_12, "CUDA_12"},
                                 {elf::ELFOSABI_CUDA_13, "CUDA_13"}};

constexpr NumberName SegmentTypes[] = {
    {elf::PT_NULL, "NULL"}, {elf::PT_LOAD, "LOAD"}, {elf::PT_PHDR, "PHDR"}};

constexpr NumberName SegmentFlags[] = {
    {elf::PF_R, "R"}, {elf::PF_W, "W"}, {elf::PF_X, "X"}};

constexpr NumberName SectionFlags[] = {{elf::SHF_WRITE, "WRITE"},
                                       {elf::SHF_ALLOC, "ALLOC"},
                                       {elf::SHF_EXECINSTR, "EXECINSTR"},
                                       {elf::SHF_INFO_LINK, "INFO_LINK"},
                                       {elf::SHF_CUDA_MERCURY, "CUDA_MERCURY"}};

constexpr NumberName SymbolBindings[] = {{elf::STB_LOCAL, "LOCAL"},
                                         {elf::STB_GLOBAL, "GLOBAL"},
                                         {elf::STB_WEAK, "WEAK"}};

constexpr NumberName Visibilities[] = {{elf::STV_INTERNAL, "INTERNAL"},
                                       {elf::STV_HIDDEN, "HIDDEN"},
                                       {elf::STV_PROTECTED, "PROTECTED"}};

StringRef findName(ArrayRef<NumberName> table, uint64_t number) {
  for (const NumberName &row : table)
    if (row.number == number)
      return row.name;
  return {};
}

std::string orHex(StringRef name, uint64_t number) {
  return name.empty() ? hexText(number) : name.str();
}

std::string nameOf(ArrayRef<NumberName> table, uint64_t number) {
  return orHex(findName(table, number), number);
}

/// Names of the set bits; bits without a name are left in `bits`.
std::vector<std::string> takeFlags(ArrayRef<NumberName> table, uint64_t &bits) {
  std::vector<std::string> names;
  for (const NumberName &row : table) {
    if (!(bits & row.number))
      continue;
    names.push_back(row.name.str());
    bits &= ~row.number;
  }
  return names;
}

} // namespace

std::string hexText(uint64_t number) {
  return "0x" + utohexstr(number, /*LowerCase=*/true);
}

std::string fileTypeName(unsigned type) { return nameOf(FileTypes, type); }
std::string osAbiName(unsigned osAbi) { return nameOf(OsAbis, osAbi); }
std::string segmentTypeName(unsigned type) {
  return nameOf(SegmentTypes, type);
}

std::string symbolTypeName(unsigned type) {
  return orHex(elf::getSymbolTypeName(type), type);
}

std::string noteTypeName(uint32_t type) {
  return orHex(elf::getNoteTypeName(type), type);
}

std::string symbolBindingName(unsigned binding) {
  return nameOf(SymbolBindings, binding);
}

std::string sectionTypeName(unsigned type) {
  return orHex(elf::getSectionTypeName(type), type);
}

std::string relocationName(uint32_t type) {
  return orHex(elf::getRelocationName(type), type);
}

std::vector<std::string> segmentFlagNames(uint32_t flags) {
  uint64_t rest = flags;
  std::vector<std::string> names = takeFlags(SegmentFlags, rest);
  if (rest)
    names.push_back(hexText(rest));
  return names;
}

std::vector<std::string> sectionFlagNames(uint64_t flags) {
  uint64_t rest = flags;
  std::vector<std::string> names = takeFlags(SectionFlags, rest);
  // In sections of notes these bits are flags.
  if (flags & elf::SHF_EXECINSTR && rest & elf::SHF_CUDA_BARRIER_MASK) {
    names.push_back("BARRIERS:" + utostr((rest & elf::SHF_CUDA_BARRIER_MASK) >>
                                         elf::SHF_CUDA_BARRIER_SHIFT));
    rest &= ~uint64_t(elf::SHF_CUDA_BARRIER_MASK);
  }
  if (rest)
    names.push_back(hexText(rest));
  return names;
}

std::vector<std::string> symbolOtherNames(uint8_t other, unsigned symbolType) {
  std::vector<std::string> names;
  unsigned rest = other;
  auto take = [&](unsigned mask, StringRef name) {
    if (name.empty())
      return;
    names.push_back(name.str());
    rest &= ~mask;
  };
  take(3, findName(Visibilities, other & 3));
  if (symbolType == elf::STT_FUNC) {
    take(elf::STO_CUDA_ENTRY, other & elf::STO_CUDA_ENTRY ? "ENTRY" : "");
  } else {
    take(elf::STO_CUDA_MANAGED, other & elf::STO_CUDA_MANAGED ? "MANAGED" : "");
    take(elf::STO_CUDA_SPACE_MASK, elf::getSymbolSpaceName(other));
  }
  if (rest)
    names.push_back(hexText(rest));
  return names;
}

/// Replaces empty names by "#index" and repeated ones by "name#index".
static void makeDistinct(std::vector<std::string> &names) {
  StringMap<unsigned> count;
  for (const std::string &name : names)
    ++count[name];
  for (size_t i = 0; i != names.size(); ++i)
    if (names[i].empty() || count.lookup(names[i]) > 1)
      names[i] += "#" + utostr(i);
}

static std::vector<std::string> symbolLabels(const CubinSymbolTable &table) {
  std::vector<std::string> names;
  names.reserve(table.symbols.size());
  for (const Elf_Sym &sym : table.symbols)
    names.push_back(table.name(sym).str());
  makeDistinct(names);
  return names;
}

Labels Labels::forReaders(const CubinFile &file) {
  Labels labels;
  for (unsigned i = 0; i != file.sections().size(); ++i)
    labels.sections.push_back(file.sectionName(i).str());
  makeDistinct(labels.sections);
  labels.symbols = symbolLabels(file.symtab());
  labels.mercurySymbols = symbolLabels(file.mercurySymtab());
  return labels;
}

std::string Labels::sectionOfSymbol(const CubinFile &file,
                                    const CubinSymbolTable &table,
                                    unsigned symbol) const {
  unsigned raw = table.symbols[symbol].st_shndx;
  switch (raw) {
  case elf::SHN_UNDEF:
    return "UNDEF";
  case elf::SHN_ABS:
    return "ABS";
  case elf::SHN_COMMON:
    return "COMMON";
  }
  unsigned index = table.section == file.symtab().section
                       ? file.sectionIndex(symbol)
                       : file.mercurySectionIndex(symbol);
  return index < sections.size() ? sections[index] : ("#" + Twine(index)).str();
}

const CubinSymbolTable &symbolTableFor(const CubinFile &file,
                                       unsigned section) {
  const CubinSymbolTable &mercury = file.mercurySymtab();
  if (mercury.section && file.sections()[section].sh_link == mercury.section)
    return mercury;
  return file.symtab();
}

const std::vector<std::string> &Labels::symbolsFor(const CubinFile &file,
                                                   unsigned section) const {
  return &symbolTableFor(file, section) == &file.symtab() ? symbols
                                                          : mercurySymbols;
}

std::string Labels::symbol(const CubinFile &file, unsigned section,
                           uint32_t index) const {
  if (!index)
    return "none";
  const std::vector<std::string> &table = symbolsFor(file, section);
  return index < table.size() ? table[index] : "#" + utostr(index);
}

} // namespace lld::cuda
