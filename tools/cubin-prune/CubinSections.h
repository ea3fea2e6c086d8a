//===- CubinSections.h - What sections of cubins are about -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What a section of a cubin is for, as far as it matters when kernels or debug
/// information are removed. Asked by all of cubin-prune's sources that look
/// into cubins.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_CUBIN_PRUNE_CUBINSECTIONS_H
#define LLD_CUDA_CUBIN_PRUNE_CUBINSECTIONS_H

#include "lld-cuda/Object/Cubin.h"

namespace lld::cuda {

// By type, of either view of the code.
bool isRelocationType(uint32_t type);
bool isSymbolTable(uint32_t type);
bool isCallGraph(uint32_t type);
/// A call graph or prototypes: pairs of words.
bool isPairSection(uint32_t type);
bool isCode(const Elf_Shdr &section);
/// Whether sh_info is a symbol's number, in its lower 24 bits.
bool hasInfoSymbol(const Elf_Shdr &section);
/// Whether sh_info is a section's number. Before CUDA 12.4 no flag says so.
bool hasInfoSection(const Elf_Shdr &section);

/// Whether debugging is all that the section is for: .debug_*, .nv_debug_* and
/// the like, and what relocates them. .debug_frame isn't, which code has that
/// was compiled without debug information.
bool isDebugSection(const CubinFile &file, unsigned index);

/// The section of code that a section is about: the code itself, attributes,
/// constants, relocations of these, and their Mercury twins. 0: none.
unsigned getCodeSection(const CubinFile &file, unsigned index);

/// Reads a call graph or prototypes [call-graph-format].
class PairReader {
public:
  static constexpr size_t Size = 2 * sizeof(uint32_t);
  struct Pair {
    uint32_t first, second;
    bool isMarker, namesSymbols; ///< The second word is a symbol or a string.
  };

  PairReader(const CubinFile &file, unsigned index);
  /// Goes on to the next pair. False: there is none.
  bool next(Pair &pair);

private:
  llvm::ArrayRef<uint8_t> bytes;
  bool isGraph, namesSymbols = false;
};

} // namespace lld::cuda

#endif
