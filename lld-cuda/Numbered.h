//===- Numbered.h - Last stage: final sections and symbols ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// assignNumbers() fills it. Tables with numbers of sections or symbols are
/// written after that; none is added or dropped any more.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_NUMBERED_H
#define LLD_CUDA_NUMBERED_H

#include <cstdint>
#include <vector>

namespace lld::cuda {

struct OutputSection;
struct Symbol;

struct Numbered {
  std::vector<OutputSection *>
      finalSections;                  ///< In header order, from index 1.
  std::vector<Symbol *> finalSymbols; ///< In table order, from index 1.
  /// Where the symbols that were created global begin.
  uint32_t firstGlobalSymbol = 0;
  /// Size of .shstrtab before the finalizer adds names; sm_100 and later.
  uint64_t mergedNamesSize = 0;
};

} // namespace lld::cuda

#endif
