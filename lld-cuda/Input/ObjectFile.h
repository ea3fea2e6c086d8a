//===- ObjectFile.h - A cubin while it is merged -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// One input cubin and how its numbers map to the link: symbols to symbols,
/// sections to parts of output sections.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_INPUT_OBJECTFILE_H
#define LLD_CUDA_INPUT_OBJECTFILE_H

#include "Symbols.h"
#include "lld-cuda/Object/Cubin.h"
#include "lld-cuda/Object/Note.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Allocator.h"
#include <vector>

namespace lld::cuda {

struct LoadedCubin;

/// Where an input section went.
struct SectionPlacement {
  OutputSection *section = nullptr; ///< Null: nowhere.
  uint32_t part = 0;
  uint64_t base = 0; ///< Offset of this file's contribution.
};

struct ObjectFile {
  /// What it has for each symbol and section is in the arena.
  ObjectFile(const CubinFile &file, llvm::StringRef label, unsigned ordinal,
             llvm::BumpPtrAllocator &arena);

  const CubinFile &file;
  llvm::StringRef label; ///< Name in messages.
  unsigned ordinal;      ///< Merge order.
  CompiledFor compiledFor;

  /// By input symbol index; null: not in the link.
  llvm::MutableArrayRef<Symbol *> symbols;
  /// Function symbols whose definition lost against an earlier one.
  llvm::SmallBitVector lost;
  /// Functions with an alias before them in the symbol table, which -r
  /// makes: it doesn't find their code, and debug information of the native
  /// view has Mercury offsets. The Mercury view's is right.
  llvm::SmallPtrSet<const Symbol *, 0> knownByAlias;
  /// By input section index: the symbol of the function whose .text or
  /// .nv.capmerc.text it is, or 0.
  llvm::MutableArrayRef<uint32_t> textOwner;
  /// By input section index: the section's twin in the Mercury view, or 0.
  /// Empty without a Mercury view.
  std::vector<uint32_t> twins;
  /// Byte ranges of .nv.global.init that weak variables lost; sorted. Their
  /// relocations are dropped [relocation-in-lost-variable].
  std::vector<std::pair<uint64_t, uint64_t>> lostInitRanges;
  uint32_t lostInitSection = 0;
  /// By input section index: what stands for the entries of a RELA section.
  llvm::DenseMap<uint32_t, std::vector<Elf_Rela>> movedRelas;

  /// The entries of a RELA section as they apply.
  llvm::ArrayRef<Elf_Rela> relas(unsigned section) const {
    auto it = movedRelas.find(section);
    return it == movedRelas.end() ? file.relas(section)
                                  : llvm::ArrayRef(it->second);
  }

  const Elf_Sym &inputSymbol(unsigned i) const {
    return file.symtab().symbols[i];
  }
  /// The input function symbol that a per-function section belongs to, or 0.
  uint32_t ownerOf(unsigned section) const;
  /// The output function of a per-function section, or null.
  Function *functionOf(unsigned section) const;
  bool isLost(unsigned symbolIndex) const {
    return symbolIndex < lost.size() && lost.test(symbolIndex);
  }
  SectionPlacement placement(unsigned section) const {
    const uint32_t number = placementNumbers[section];
    return number ? placements[number - 1] : SectionPlacement();
  }
  void place(unsigned section, const SectionPlacement &placement);
  bool hasMercury() const { return !twins.empty(); }
  /// Its Mercury code is of version 1.0, of CUDA 12 [mercury12-input].
  bool hasOldestMercury() const {
    return hasMercury() && compiledFor.toolkit < FirstToolkitOf13;
  }
  uint32_t twinOf(unsigned section) const {
    return twins.empty() ? 0 : twins[section];
  }
  /// The output symbol an input symbol stands for: for section symbols the
  /// output section's, with `base` the offset of this file's contribution.
  Symbol *resolve(unsigned symbolIndex, uint64_t &base,
                  View view = View::Native) const;

private:
  void findTwins();

  /// Most sections go nowhere, or to a function: so there are a few placements,
  /// and by input section index the number of its placement from 1 on, or 0.
  llvm::MutableArrayRef<uint32_t> placementNumbers;
  llvm::SmallVector<SectionPlacement, 4> placements;
};

} // namespace lld::cuda

#endif
