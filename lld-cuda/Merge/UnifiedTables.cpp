//===- UnifiedTables.cpp - Tables of unified functions and variables ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A function or variable with PTX's `.attribute(.unified(a, b))` has an entry
/// in .nv.uft.entry or .nv.udt.entry. With -r, MergeSections.cpp calls
/// mergeUnifiedTable() for each such section of an object, and writeTables() in
/// Link.cpp calls finishUnifiedTables() when symbols have their final numbers,
/// which are filled in there (test/corpus/unified.test). In a final link
/// checkUnifiedSymbols() refuses such objects, because nvlink needs an index
/// file then, whose format isn't known.
///
//===----------------------------------------------------------------------===//

#include "Input/CheckObject.h"
#include "Input/ObjectFile.h"
#include "Inputs.h"
#include "Merge/Merge.h"
#include "Passes.h"
#include "llvm/Support/Endian.h"

using namespace llvm;
using namespace lld::cuda::elf;

namespace lld::cuda {

namespace {
struct TableEntry {
  support::ulittle32_t symbol;
  support::ulittle32_t flags;
  support::ulittle64_t offset; ///< The symbol's value.
  support::ulittle64_t id[2];  ///< The attribute's operands.
};
static_assert(sizeof(TableEntry) == UnifiedEntrySize);
} // namespace

/// The flags that nvlink adds to the compiler's 1, whatever else is set.
constexpr uint32_t LinkedFlags = 6;

bool checkUnifiedSymbols(const Inputs &inputs, const ObjectFile &obj) {
  auto isUnified = [](const Elf_Shdr &shdr) {
    return isUnifiedTable(shdr.sh_type) || shdr.sh_type == SHT_CUDA_UFT ||
           shdr.sh_type == SHT_CUDA_UDT;
  };
  if (inputs.isRelocatable() || none_of(obj.file.sections(), isUnified))
    return true;
  inputs.diag.report(DiagId::UnifiedSymbols,
                     {"Unified symbols found but index file not specified."});
  return false;
}

/// A definition doesn't change what the first mention, mostly a declaration,
/// says about `unified`. By default -r tells what is so.
uint8_t Merger::otherOf(const Symbol &first, unsigned i,
                        uint8_t unified) const {
  const uint8_t kept = inputs.rules.unifiedBitsOfFirstMention() ? unified : 0;
  return (sym(i).st_other & ~kept) | (first.other & kept);
}

/// What nvlink 13.5 makes of sh_link of a table: a number that counts the
/// object's sections of code and of memory without contents
/// [unified-table-link].
static uint32_t misreadLink(const CubinFile &file, const Elf_Shdr &table) {
  constexpr uint32_t SymbolTable = 6, Compat = 5;
  const ArrayRef<Elf_Shdr> sections = file.sections();
  const uint32_t link = table.sh_link;
  const uint32_t type =
      link < sections.size() ? sections[link].sh_type : uint32_t(ELF::SHT_NULL);
  if (type == SHT_CUDA_COMPAT_INFO)
    return Compat;
  const uint32_t count = count_if(sections, [](const Elf_Shdr &shdr) {
    return !(shdr.sh_flags & SHF_CUDA_MERCURY) &&
           (shdr.sh_flags & ELF::SHF_EXECINSTR ||
            shdr.sh_type == SHT_CUDA_SHARED || shdr.sh_type == SHT_CUDA_GLOBAL);
  });
  return count + (type == ELF::SHT_SYMTAB ? SymbolTable : link);
}

/// The first object with a table decides.
void Merger::noteTableLink(unsigned section) {
  const Elf_Shdr &shdr = file.sections()[section];
  std::optional<uint32_t> &link = shdr.sh_type == SHT_CUDA_UFT_ENTRY
                                      ? program.functionTableLink
                                      : program.variableTableLink;
  if (!link && inputs.mislinksUnifiedTables())
    link = misreadLink(file, shdr);
}

/// The offset is the symbol's value when the object has been merged: if a later
/// object's definition replaces it, an earlier one's entry keeps the old value.
void Merger::mergeUnifiedTable(unsigned section) {
  const SectionPlacement placement = obj.placement(section);
  if (!placement.section)
    return;
  SectionPart &part = placement.section->parts[placement.part];
  auto *entries = reinterpret_cast<TableEntry *>(part.writable(inputs).data());
  for (size_t i = 0; i != part.bytes.size() / sizeof(TableEntry); ++i) {
    TableEntry &e = entries[i];
    Symbol *s = obj.symbols[e.symbol];
    if (!s) {
      fatal(section, createStringError("symbol " + Twine(e.symbol) +
                                       " is not in the link"));
      return;
    }
    e.flags = e.flags | LinkedFlags;
    e.offset = s->value;
    program.unifiedEntries.push_back({reinterpret_cast<uint8_t *>(&e), s});
  }
}

void finishUnifiedTables(const Inputs &inputs, const Program &program) {
  for (auto [bytes, symbol] : program.unifiedEntries) {
    auto *e = reinterpret_cast<TableEntry *>(bytes);
    e->symbol = symbol->index;
    if (!inputs.rules.unifiedOffsetsWhenMerged())
      e->offset = symbol->value;
  }
}

} // namespace lld::cuda
