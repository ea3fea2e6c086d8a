//===- CubinCopy.h - A cubin without some of its parts ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Writes a cubin anew without some of its sections and symbols. PruneCubin.cpp
/// decides what goes and calls this; VerifyCubin.h compares the result with the
/// original.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_CUBIN_PRUNE_CUBINCOPY_H
#define LLD_CUDA_CUBIN_PRUNE_CUBINCOPY_H

#include "lld-cuda/Object/Cubin.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/SmallVector.h"

namespace lld::cuda {

/// What goes. Symbols are those of .symtab; of the Mercury symbol table, which
/// has the same ones, those of the same number go.
struct CubinCut {
  llvm::BitVector sections, symbols;

  explicit CubinCut(const CubinFile &file)
      : sections(file.sections().size()),
        symbols(file.symtab().symbols.size()) {}
  bool empty() const { return sections.none() && symbols.none(); }
};

/// The cubin without what goes. All that is numbered gets new numbers: sections
/// and symbols wherever headers, symbols, relocations, attributes, call graph
/// and prototypes name them. A relocation, attribute or edge that names a
/// symbol that goes goes, too; where one of a debug section said where code
/// begins, the code's length behind it becomes 0, as nvlink leaves it
/// [relocation-removed-function]. Strings that nothing names any more go. What
/// stays keeps its order.
///
/// Fails for a file with sections in which numbers may stand that aren't known,
/// or that isn't laid out as compilers and linkers do.
llvm::Expected<llvm::SmallVector<char, 0>> copyCubin(const CubinFile &file,
                                                     const CubinCut &cut);

} // namespace lld::cuda

#endif
