//===- Numbered.h - Last stage: final sections and symbols ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The last of a link's four stages (see Inputs.h): the final lists of sections
/// and symbols, in the order of the output. assignNumbers() in OutputOrder.cpp
/// fills it. The passes that write tables with numbers of sections or symbols
/// (Output/), the check of the output (Check/) and the map file read it. From
/// then on no section or symbol is added or removed.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_NUMBERED_H
#define LLD_CUDA_NUMBERED_H

#include <cstdint>
#include <vector>

namespace lld::cuda {

struct OutputSection;
struct Symbol;

/// The lists. Sections and symbols belong to the Program.
struct Numbered {
  /// The sections in the order of their headers, from index 1 on.
  std::vector<OutputSection *> finalSections;
  /// The symbols in the order of the symbol table, from index 1 on.
  std::vector<Symbol *> finalSymbols;
  /// The index in finalSymbols of the first symbol that was created global.
  uint32_t firstGlobalSymbol = 0;
  /// The sizes in bytes of the names in .strtab, with their NULs, if all of
  /// them differ.
  uint64_t symbolNamesSize = 0;
  /// How many of these aren't marked (Symbol::hasUniqueName).
  size_t otherNameCount = 0;
  /// From sm_100 on: the size of .shstrtab in bytes without the names of the
  /// sections that nvlink's finalizer adds.
  uint64_t mergedNamesSize = 0;
};

} // namespace lld::cuda

#endif
