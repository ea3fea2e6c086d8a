//===- CubinSections.h - What sections of cubins are for --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Questions about what a cubin's section is for. All of cubin-prune's sources
/// that look into cubins (PruneCubin.cpp, CubinCopy.cpp, VerifyCubin.cpp) ask
/// them when kernels or debug information are removed. From sm_100 on a cubin
/// holds its code twice, native and in NVIDIA's "Mercury" form; a "Mercury
/// twin" is the section of the second form that corresponds to a native one.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_CUBIN_PRUNE_CUBINSECTIONS_H
#define LLD_CUDA_CUBIN_PRUNE_CUBINSECTIONS_H

#include "lld-cuda/Object/Cubin.h"

namespace lld::cuda {

// These functions tell native and Mercury sections alike by their types.
bool isRelocationType(uint32_t type);
bool isSymbolTable(uint32_t type);
bool isCallGraph(uint32_t type);
/// Returns whether it is a call graph or a section of prototypes: pairs of
/// 32-bit words.
bool isPairSection(uint32_t type);
bool isCode(const Elf_Shdr &section);
/// Returns whether the lower 24 bits of sh_info are a symbol's index.
bool hasInfoSymbol(const Elf_Shdr &section);
/// Returns whether sh_info is a section's index. Decided by type, since cubins
/// before CUDA 12.4 have no flag for it.
bool hasInfoSection(const Elf_Shdr &section);

/// Returns whether the section is only for debugging: .debug_*, .nv_debug_* and
/// the like, and their relocations. .debug_frame doesn't count, since code
/// compiled without debug information has it, too.
bool isDebugSection(const CubinFile &file, unsigned index);

/// Returns the index of the code section that section `index` belongs to, or 0
/// if it belongs to none. Code, attributes, constants, their relocations, and
/// the Mercury twins of these belong to one.
unsigned getCodeSection(const CubinFile &file, unsigned index);

/// Reads a call graph or prototypes (rule [call-graph-format] of
/// docs/reference), pair by pair. The file must outlive the reader.
class PairReader {
public:
  static constexpr size_t Size = 2 * sizeof(uint32_t); ///< Bytes of a pair.
  struct Pair {
    uint32_t first, second;
    bool isMarker, namesSymbols; ///< `isMarker`: the pair says what the pairs
                                 ///< after it are. `namesSymbols`: `second` is
                                 ///< a symbol's index, else a string's offset.
  };

  PairReader(const CubinFile &file, unsigned index);
  /// Reads the next pair. Returns false at the end.
  bool next(Pair &pair);

private:
  llvm::ArrayRef<uint8_t> bytes;
  bool isGraph, namesSymbols = false;
};

} // namespace lld::cuda

#endif
