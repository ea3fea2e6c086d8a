//===- ObjectFile.h - An input cubin in the link ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// An input cubin in the link, with the map from its symbols to the link's
/// symbols and from its sections to parts of output sections. The merge
/// (Merge/Merge.cpp) creates one for each cubin that is linked and fills it;
/// all later passes use it to follow indices of the input.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_INPUT_OBJECTFILE_H
#define LLD_CUDA_INPUT_OBJECTFILE_H

#include "Input/ObjectFacts.h"
#include "Symbols.h"
#include "lld-cuda/Object/Cubin.h"
#include "lld-cuda/Object/Note.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Allocator.h"
#include <vector>

namespace lld::cuda {

struct LoadedCubin;

/// The place of an input section in an output section.
struct SectionPlacement {
  OutputSection *section = nullptr; ///< Null if it isn't in the output.
  uint32_t part = 0;
  uint64_t base = 0; ///< Offset of this file's contribution, in bytes.
};

struct ObjectFile {
  /// Refers to `file` and `facts`, and allocates the lists by symbol and
  /// section in `arena`; all must outlive the object, and so must `label`.
  ObjectFile(const CubinFile &file, const ObjectFacts &facts,
             llvm::StringRef label, unsigned ordinal,
             llvm::BumpPtrAllocator &arena);

  const CubinFile &file;
  const ObjectFacts &facts;
  llvm::StringRef label; ///< Name in messages.
  unsigned ordinal;      ///< Index in Program::objects, the order of the merge.
  CompiledFor compiledFor;

  /// Indexed by input symbol; null for symbols that aren't in the link.
  llvm::MutableArrayRef<Symbol *> symbols;
  /// Input symbols of functions whose definition lost against an earlier one.
  llvm::SmallBitVector lost;
  /// The functions with an alias before them in this object's symbol table, as
  /// earlier links with -r write it. nvlink's finalizer didn't find their code,
  /// so that debug information of the native view has offsets of Mercury code.
  /// That of the Mercury view is right.
  llvm::SmallPtrSet<const Symbol *, 0> knownByAlias;
  /// As in the facts.
  llvm::ArrayRef<uint32_t> textOwner, twins;
  /// Byte ranges of .nv.global.init that belong to weak variables whose
  /// definition lost; sorted. Their relocations are dropped
  /// (rule [relocation-in-lost-variable] of docs/reference).
  std::vector<std::pair<uint64_t, uint64_t>> lostInitRanges;
  uint32_t lostInitSection = 0;
  /// Returns whether an input section, .nv.global.init or its twin, has such
  /// ranges.
  bool hasLostRanges(uint32_t section) const {
    return !lostInitRanges.empty() &&
           (section == lostInitSection || section == twinOf(lostInitSection));
  }
  /// Returns whether an offset in such a section belongs to a variable that
  /// lost.
  bool isInLostRange(uint64_t offset) const {
    auto it =
        llvm::upper_bound(lostInitRanges, std::make_pair(offset, ~uint64_t(0)));
    return it != lostInitRanges.begin() && offset < std::prev(it)->second;
  }
  /// Indexed by input section: entries that replace those of a RELA section.
  llvm::MapVector<uint32_t, std::vector<Elf_Rela>> movedRelas;

  /// Returns the entries of a RELA section that the link applies.
  llvm::ArrayRef<Elf_Rela> relas(unsigned section) const {
    auto it = movedRelas.find(section);
    return it == movedRelas.end() ? file.relas(section)
                                  : llvm::ArrayRef(it->second);
  }

  const Elf_Sym &inputSymbol(unsigned i) const {
    return file.symtab().symbols[i];
  }
  /// Returns the input symbol of the function that a per-function section
  /// belongs to, or 0.
  uint32_t ownerOf(unsigned section) const {
    // Objects of ptxas before 12.4 have no SHF_INFO_LINK.
    const uint32_t info = file.sections()[section].sh_info;
    return info < textOwner.size() ? textOwner[info] : 0;
  }
  /// Returns the link's function that a per-function section belongs to, or
  /// null.
  Function *functionOf(unsigned section) const {
    const uint32_t owner = ownerOf(section);
    return owner ? static_cast<Function *>(symbols[owner]) : nullptr;
  }
  bool isLost(unsigned symbolIndex) const {
    return symbolIndex < lost.size() && lost.test(symbolIndex);
  }
  SectionPlacement placement(unsigned section) const {
    const uint32_t number = placementNumbers[section];
    return number ? placements[number - 1] : SectionPlacement();
  }
  void place(unsigned section, const SectionPlacement &placement);
  bool hasMercury() const { return !twins.empty(); }
  /// Returns whether its Mercury code has version 1.0, that of CUDA 12
  /// [mercury12-input].
  bool hasOldestMercury() const {
    return hasMercury() && compiledFor.toolkit < FirstToolkitOf13;
  }
  uint32_t twinOf(unsigned section) const {
    return twins.empty() ? 0 : twins[section];
  }
  /// Returns the link's symbol that an input symbol stands for. For a section
  /// symbol it is the output section's, and `base` is set to the offset of this
  /// file's contribution in bytes.
  Symbol *resolve(unsigned symbolIndex, uint64_t &base,
                  View view = View::Native) const {
    // Both symbol tables have the same symbols under the same numbers.
    const CubinSymbolTable &table =
        view == View::Native ? file.symtab() : file.mercurySymtab();
    base = 0;
    if (symbolIndex >= table.symbols.size())
      return nullptr;
    if (table.symbols[symbolIndex].getType() != elf::STT_SECTION)
      return symbols[symbolIndex];
    return resolveSection(symbolIndex, base, view);
  }

private:
  Symbol *resolveSection(unsigned symbolIndex, uint64_t &base, View view) const;

  /// Indexed by input section: 1 + the index of its placement, or 0. There are
  /// only a few placements, since most sections are in none or in a function.
  llvm::MutableArrayRef<uint32_t> placementNumbers;
  llvm::SmallVector<SectionPlacement, 4> placements;
};

} // namespace lld::cuda

#endif
