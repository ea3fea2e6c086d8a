//===- FirstRecords.h - First records that kernels reach --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// For some attributes, which of the records that a kernel reaches was read
/// first. Resources.cpp orders the attributes that a kernel inherits by it
/// (rule [attribute-created-order] of docs/reference).
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_ANALYSIS_FIRSTRECORDS_H
#define LLD_CUDA_ANALYSIS_FIRSTRECORDS_H

#include "Analysis/Resources.h"
#include "CallGraph.h"
#include <algorithm>

namespace lld::cuda {

/// Has a row for each component of the call graph, with a column for each of
/// the attributes: few of the created ones are in a link.
class FirstRecords {
public:
  /// `attributes` are positions in CreatedAttributes.
  FirstRecords(const CallGraph &graph, const Resources &res,
               llvm::ArrayRef<uint8_t> attributes)
      : graph(graph), count(attributes.size()),
        positions(size_t(graph.componentCount()) * count, ~0u) {
    uint32_t *const all = positions.data();
    for (unsigned c = 0; count && c != graph.componentCount(); ++c) {
      uint32_t *const into = all + c * count;
      for (const Function *f : graph.members(c)) {
        if (!f->reachable || !f->defined)
          continue;
        const auto &first = res.of(*f).firstRecord;
        for (size_t i = 0; i != count; ++i)
          into[i] = std::min(into[i], first[attributes[i]]);
      }
      for (uint32_t s : graph.successors(c))
        for (size_t i = 0; i != count; ++i)
          into[i] = std::min(into[i], all[s * count + i]);
    }
  }

  /// Returns the reading position (FunctionResources::firstRecord) of the first
  /// record of each of the attributes that the function reaches; ~0u if there
  /// is none.
  llvm::ArrayRef<uint32_t> of(const Function &f) const {
    return llvm::ArrayRef(positions).slice(graph.component(f) * count, count);
  }

private:
  const CallGraph &graph;
  const size_t count;
  std::vector<uint32_t> positions;
};

} // namespace lld::cuda

#endif
