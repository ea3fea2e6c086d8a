//===- RenameSymbols.h - Renames symbols of a cubin -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Copies a cubin with other names for some of its symbols. The linker calls it
/// when all inputs are read, before it selects members of libraries, for the
/// options of ld.cuda that change names (SymbolControl.cpp). Everything that
/// refers to symbols by number stays: relocations, the call graph, attributes
/// and prototypes. The sections of a renamed function that is defined in the
/// cubin are renamed, too, since they are named after it. That is done for the
/// native code and, from sm_100 on, also for the second form in which a cubin
/// holds its code, "Mercury" (docs/reference/mercury.md).
///
/// Debug information keeps the names that the source has.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_OBJECT_RENAMESYMBOLS_H
#define LLD_CUDA_OBJECT_RENAMESYMBOLS_H

#include "lld-cuda/Object/Cubin.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

namespace lld::cuda {

/// The new names, by the index of the symbol in `file.symtab()`.
using SymbolNames = llvm::DenseMap<uint32_t, llvm::StringRef>;

/// Returns the bytes of the copy. Fails if a string table becomes larger than
/// the format allows, and for damaged cubins whose tables of symbols and of
/// sections share bytes.
llvm::Expected<llvm::SmallVector<char, 0>>
renameSymbols(const CubinFile &file, const SymbolNames &names);

} // namespace lld::cuda

#endif
