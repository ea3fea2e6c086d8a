//===- CallGraph.h - .nv.callgraph and .nv.prototype ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Readers of the call graph sections. Both are sequences of pairs of 32-bit
/// words [call-graph-format].
///
/// .nv.callgraph holds four groups; the markers (0, -1) to (0, -4) open them:
///
///   Calls       (caller symbol, callee symbol)
///   AddressTaken(function symbol, offset of its prototype in .strtab)
///   Indirect    (caller symbol, offset of the called prototype in .strtab)
///   Takes       (function symbol, function symbol whose address it takes)
///
/// .nv.prototype holds pairs (function symbol, offset of its prototype).
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_OBJECT_CALLGRAPH_H
#define LLD_CUDA_OBJECT_CALLGRAPH_H

#include "lld-cuda/Object/Cubin.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace lld::cuda {

enum class CallGraphGroup : int32_t {
  Calls = -1,
  AddressTaken = -2,
  Indirect = -3,
  Takes = -4,
};

struct CallGraphRecord {
  CallGraphGroup group;
  uint32_t symbol;           ///< In range, and a function of the symbol table.
  uint32_t other;            ///< Calls, Takes: a symbol index in range.
  llvm::StringRef prototype; ///< AddressTaken, Indirect.
};

/// Visits the records of a SHT_CUDA_CALLGRAPH section in file order. Errors:
/// odd size, a record before the first marker, an unknown marker, a symbol
/// index or string offset out of range, a symbol that is not a function.
llvm::Error forEachCallGraphRecord(
    const CubinFile &file, unsigned section,
    llvm::function_ref<llvm::Error(const CallGraphRecord &)> visit);

/// Visits the records of a SHT_CUDA_PROTOTYPE section; the same errors.
llvm::Error forEachPrototype(
    const CubinFile &file, unsigned section,
    llvm::function_ref<llvm::Error(uint32_t symbol, llvm::StringRef prototype)>
        visit);

} // namespace lld::cuda

#endif
