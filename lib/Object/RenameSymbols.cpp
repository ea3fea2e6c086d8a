//===- RenameSymbols.cpp - A cubin with other names for its symbols -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Makes a copy of a cubin in which some symbols have other names. The linker
/// (SymbolControl.cpp) calls renameSymbols() while it reads inputs, for options
/// such as --wrap and --rename-prefix; the rest of the link then reads the
/// copy.
///
/// The string tables are copied to the end of the file, and new names are added
/// after the old ones, so all old offsets, those of prototypes among them, stay
/// valid.
///
//===----------------------------------------------------------------------===//

#include "lld-cuda/Object/RenameSymbols.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/MathExtras.h"
#include <cstdint>
#include <map>
#include <string>

using namespace llvm;
using namespace lld::cuda::elf;

namespace lld::cuda {

namespace {

class SymbolRenamer {
public:
  SymbolRenamer(const CubinFile &file, const SymbolNames &names)
      : file(file), names(names), functionOf(file.sections().size()),
        bytes(file.buffer().getBufferStart(), file.buffer().getBufferEnd()) {}
  Expected<SmallVector<char, 0>> run();

private:
  struct Table {
    std::string text;
    StringMap<uint32_t> added;
  };

  Error checkPlaces() const;
  void findCode();
  void findOthers();
  bool follows(unsigned section) const;
  uint32_t add(unsigned table, StringRef name);
  void renameIn(const CubinSymbolTable &table);
  void renameSections();
  Error appendTables();

  template <typename T> T &at(uint64_t offset) {
    return *reinterpret_cast<T *>(bytes.data() + offset);
  }
  Elf_Shdr &header(unsigned section) {
    return at<Elf_Shdr>(file.header().e_shoff + section * sizeof(Elf_Shdr));
  }
  unsigned sectionNames() const {
    const uint32_t index = file.header().e_shstrndx;
    return index == SHN_XINDEX ? uint32_t(file.sections()[0].sh_link) : index;
  }
  StringRef nameOf(uint32_t symbol) const {
    return file.symtab().name(file.symtab().symbols[symbol]);
  }

  const CubinFile &file;
  const SymbolNames &names;
  /// For each section, the renamed function that it is named after, or 0.
  std::vector<uint32_t> functionOf;
  std::map<unsigned, Table> tables; ///< By section.
  SmallVector<char, 0> bytes;
};

} // namespace

static bool isRelocations(uint32_t type) {
  return type == SHT_REL || type == SHT_RELA || type == SHT_CUDA_MERC_RELA ||
         type == SHT_CUDA_RESOLVED_RELA || type == SHT_CUDA_MERC_RESOLVED_RELA;
}

/// What is written must not be part of something else that is written: a name
/// would change a section. Both views may have one table of symbols.
Error SymbolRenamer::checkPlaces() const {
  using Place = std::pair<uint64_t, uint64_t>; // Begin and end.
  SmallVector<Place, 3> places;
  places.push_back(
      {file.header().e_shoff,
       file.header().e_shoff + file.sections().size() * sizeof(Elf_Shdr)});
  for (const CubinSymbolTable *table : {&file.symtab(), &file.mercurySymtab()})
    if (!table->empty()) {
      const uint64_t begin = file.sections()[table->section].sh_offset;
      places.push_back(
          {begin, begin + table->symbols.size() * sizeof(Elf_Sym)});
    }
  for (size_t i = 1; i < places.size(); ++i)
    for (const Place &other : ArrayRef(places).take_front(i))
      if (places[i] != other && places[i].first < other.second &&
          other.first < places[i].second)
        return createStringError("the tables of symbols and sections overlap, "
                                 "so no symbol can be renamed");
  return Error::success();
}

/// The code of the functions, by its name: .text.F, .nv.capmerc.text.F.
void SymbolRenamer::findCode() {
  DenseMap<StringRef, uint32_t> renamed;
  for (const auto &[symbol, name] : names) {
    const Elf_Sym &sym = file.symtab().symbols[symbol];
    if (sym.getType() == STT_FUNC && sym.st_shndx != SHN_UNDEF &&
        !file.isCommon(symbol))
      renamed[nameOf(symbol)] = symbol;
  }
  if (renamed.empty())
    return;
  for (unsigned i = 1; i < file.sections().size(); ++i) {
    StringRef name = file.sectionName(i);
    if (name.consume_front(".text.") || name.consume_front(".nv.capmerc.text."))
      functionOf[i] = renamed.lookup(name);
  }
}

bool SymbolRenamer::follows(unsigned section) const {
  const uint32_t info = file.sections()[section].sh_info;
  if (functionOf[section] || info >= functionOf.size() || !functionOf[info])
    return false;
  StringRef name = file.sectionName(section);
  return name.consume_back(nameOf(functionOf[info])) && name.ends_with(".");
}

/// Finds the other sections of renamed functions: those that belong to code,
/// then the relocations of all these. The sh_info of code itself isn't a
/// section.
void SymbolRenamer::findOthers() {
  for (bool relocations : {false, true})
    for (unsigned i = 1; i < file.sections().size(); ++i) {
      const Elf_Shdr &shdr = file.sections()[i];
      if (isRelocations(shdr.sh_type) == relocations &&
          !(shdr.sh_flags & SHF_EXECINSTR) &&
          shdr.sh_type != SHT_CUDA_CAPMERC && follows(i))
        functionOf[i] = functionOf[shdr.sh_info];
    }
}

/// The offset of a name in a table of strings.
uint32_t SymbolRenamer::add(unsigned table, StringRef name) {
  Table &t = tables[table];
  if (t.text.empty())
    t.text = toStringRef(file.contents(table)).str();
  auto [it, isNew] = t.added.try_emplace(name, t.text.size());
  if (isNew)
    t.text.append(name.begin(), name.end()).push_back('\0');
  return it->second;
}

/// Both views have the same symbols under the same numbers, the Mercury one
/// fewer.
void SymbolRenamer::renameIn(const CubinSymbolTable &table) {
  if (table.empty())
    return;
  const Elf_Shdr &shdr = file.sections()[table.section];
  for (const auto &[symbol, name] : names)
    if (symbol < table.symbols.size())
      at<Elf_Sym>(shdr.sh_offset + symbol * sizeof(Elf_Sym)).st_name =
          add(shdr.sh_link, name);
}

void SymbolRenamer::renameSections() {
  for (unsigned i = 1; i < functionOf.size(); ++i) {
    if (!functionOf[i])
      continue;
    StringRef name = file.sectionName(i);
    name.consume_back(nameOf(functionOf[i]));
    header(i).sh_name =
        add(sectionNames(), (name + names.lookup(functionOf[i])).str());
  }
}

Error SymbolRenamer::appendTables() {
  for (const auto &[section, table] : tables) {
    if (table.text.size() > UINT32_MAX)
      return createStringError("the table of names has more than 4 GB");
    header(section).sh_offset = bytes.size();
    header(section).sh_size = table.text.size();
    bytes.append(table.text.begin(), table.text.end());
  }
  return Error::success();
}

Expected<SmallVector<char, 0>> SymbolRenamer::run() {
  if (Error e = checkPlaces())
    return e;
  findCode();
  findOthers();
  renameIn(file.symtab());
  renameIn(file.mercurySymtab());
  renameSections();
  if (Error e = appendTables())
    return e;
  return bytes;
}

Expected<SmallVector<char, 0>> renameSymbols(const CubinFile &file,
                                             const SymbolNames &names) {
  return SymbolRenamer(file, names).run();
}

} // namespace lld::cuda
