//===- RenameSymbols.h - A cubin with other names for its symbols -*- C++
//-*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The bytes of a cubin in which some symbols have other names, and nothing
/// else is changed: relocations, the call graph, attributes and prototypes
/// refer to symbols by number. What goes by names follows: the sections of a
/// function that is defined there, which are named after it, in both views.
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

/// New names by the number of the symbol in `file.symtab()`.
using SymbolNames = llvm::DenseMap<uint32_t, llvm::StringRef>;

/// An error if a table of strings becomes larger than the format allows.
llvm::Expected<llvm::SmallVector<char, 0>>
renameSymbols(const CubinFile &file, const SymbolNames &names);

} // namespace lld::cuda

#endif
