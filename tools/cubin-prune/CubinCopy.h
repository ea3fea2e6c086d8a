//===- CubinCopy.h - Writes a cubin without some parts ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A writer of a cubin without some of its sections and symbols. PruneCubin.cpp
/// calls copyCubin() for each cubin, after it has decided what is removed;
/// VerifyCubin.h then compares the result with the original.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_CUBIN_PRUNE_CUBINCOPY_H
#define LLD_CUDA_CUBIN_PRUNE_CUBINCOPY_H

#include "lld-cuda/Object/Cubin.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/SmallVector.h"

namespace lld::cuda {

/// The sections and symbols to be removed, as bits. Symbols are indexed like
/// .symtab. From sm_100 on a cubin has a second symbol table with the same
/// symbols, for NVIDIA's "Mercury" form of its code; those of the same index
/// are removed there.
struct CubinCut {
  llvm::BitVector sections, symbols;

  explicit CubinCut(const CubinFile &file)
      : sections(file.sections().size()),
        symbols(file.symtab().symbols.size()) {}
  bool empty() const { return sections.none() && symbols.none(); }
};

/// Returns the cubin without what `cut` has. Sections and symbols are
/// renumbered wherever headers, symbols, relocations, attributes, call graph
/// and prototypes name them. A relocation, attribute or edge that names a
/// removed symbol is removed, too; where a relocation of a debug section gave
/// the start of code, the code's length after it becomes 0, as nvlink leaves it
/// (rule [relocation-removed-function] of docs/reference). Strings that nothing
/// names any more are removed. Everything else keeps its order.
/// Fails for a file with sections that may contain indices in an unknown
/// format, or whose layout isn't that of compilers and linkers.
llvm::Expected<llvm::SmallVector<char, 0>> copyCubin(const CubinFile &file,
                                                     const CubinCut &cut);

} // namespace lld::cuda

#endif
