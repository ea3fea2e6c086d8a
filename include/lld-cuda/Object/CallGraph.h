//===- CallGraph.h - Readers of .nv.callgraph and .nv.prototype -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Readers of a cubin's call graph sections, .nv.callgraph and .nv.prototype. A
/// link calls them for each object that it merges (MergeMetadata.cpp) and when
/// it checks its own image (lld-cuda/Check); cubin-dump and cubin-diff read
/// them through lib/Dump, and cubin-prune reads the groups of calls. Both
/// sections are sequences of pairs of 32-bit words (rule [call-graph-format] of
/// docs/reference).
///
/// .nv.callgraph has four groups; the markers (0, -1) to (0, -4) begin them:
///
///   Calls       (caller symbol, callee symbol)
///   AddressTaken(function symbol, offset of its prototype in .strtab)
///   Indirect    (caller symbol, offset of the called prototype in .strtab)
///   Takes       (function symbol, function symbol whose address it takes)
///
/// .nv.prototype has pairs (function symbol, offset of its prototype).
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_OBJECT_CALLGRAPH_H
#define LLD_CUDA_OBJECT_CALLGRAPH_H

#include "lld-cuda/Object/Cubin.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace lld::cuda {

/// The groups of .nv.callgraph, with the second words of their markers.
enum class CallGraphGroup : int32_t {
  Calls = -1,
  AddressTaken = -2,
  Indirect = -3,
  Takes = -4,
};

/// A checked record of .nv.callgraph.
struct CallGraphRecord {
  CallGraphGroup group;
  /// An index into CubinFile::symtab(), in range, of a function.
  uint32_t symbol;
  uint32_t other;            ///< Calls, Takes: a symbol index in range.
  llvm::StringRef prototype; ///< AddressTaken, Indirect: the string.
};

/// Calls `visit` for each record of the SHT_CUDA_CALLGRAPH section with the
/// index `section`, in file order. Returns the first error of `visit`, or an
/// error for a damaged section: an odd size, a record before the first marker,
/// an unknown marker, a symbol index or string offset out of range, or a symbol
/// that is not a function.
llvm::Error forEachCallGraphRecord(
    const CubinFile &file, unsigned section,
    llvm::function_ref<llvm::Error(const CallGraphRecord &)> visit);

/// Calls `visit` for each record of a SHT_CUDA_PROTOTYPE section. Its errors
/// are those of forEachCallGraphRecord().
llvm::Error forEachPrototype(
    const CubinFile &file, unsigned section,
    llvm::function_ref<llvm::Error(uint32_t symbol, llvm::StringRef prototype)>
        visit);

} // namespace lld::cuda

#endif
