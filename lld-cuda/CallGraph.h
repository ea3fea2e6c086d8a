//===- CallGraph.h - The call graph and what flows along it -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Functions and the calls between them. An indirect call may reach every
/// function whose address is taken and whose prototype is the same string; one
/// virtual node per prototype stands for "any of these", so the graph's size
/// stays linear in the input.
///
/// All questions that a link asks ("the maximum over all functions this kernel
/// reaches") are answered over the strongly connected components, numbered so
/// that callees come before callers. Maxima and unions of bits cost one pass;
/// "which kernels reach a carrier of X" costs one pass per 64 X.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_CALLGRAPH_H
#define LLD_CUDA_CALLGRAPH_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <vector>

namespace lld::cuda {

struct Program;
struct Function;

class CallGraph {
public:
  /// Builds the graph from all functions' edges and finds its components.
  void build(Program &program);

  unsigned componentCount() const { return successorStart.size() - 1; }
  unsigned component(const Function &f) const;
  /// Other components that this one calls directly; all have smaller numbers.
  llvm::ArrayRef<uint32_t> successors(unsigned component) const {
    return llvm::ArrayRef(successorList)
        .slice(successorStart[component],
               successorStart[component + 1] - successorStart[component]);
  }
  /// Functions of a component; empty for a lone virtual node.
  llvm::ArrayRef<Function *> members(unsigned component) const {
    return llvm::ArrayRef(memberList)
        .slice(memberStart[component],
               memberStart[component + 1] - memberStart[component]);
  }
  bool reachesCycle(const Function &f) const { return cyclic[component(f)]; }
  /// Functions with this prototype whose address is taken, in creation order.
  llvm::ArrayRef<Function *> indirectTargets(llvm::StringRef prototype) const;
  /// How many of them reach a cycle.
  unsigned cyclicIndirectTargets(llvm::StringRef prototype) const;

  /// One value per component: `own(f)` of every member, and the values of all
  /// it reaches, combined with `merge(into, from)`. The merge must not mind
  /// seeing a value more than once (maximum, minimum, OR, union).
  template <typename T, typename Own, typename Merge>
  std::vector<T> closure(T identity, Own own, Merge merge) const {
    std::vector<T> values(componentCount(), identity);
    for (unsigned c = 0; c != componentCount(); ++c) {
      for (Function *f : members(c))
        own(*f, values[c]);
      for (uint32_t s : successors(c))
        merge(values[c], values[s]);
    }
    return values;
  }

  /// For items 0..n-1, each carried by some functions: calls
  /// visit(item, kernel index) for every kernel that reaches a carrier (itself
  /// included), items ascending in blocks, kernels ascending within an item.
  void forEachReachingKernel(
      llvm::ArrayRef<std::vector<Function *>> carriers,
      llvm::ArrayRef<Function *> kernels,
      llvm::function_ref<void(unsigned item, unsigned kernel)> visit) const;

  /// All functions that `root` reaches, itself included, in no useful order.
  std::vector<Function *> reachable(const Function &root) const;

private:
  class ListsByComponent;
  struct PrototypeNode {
    std::vector<Function *> targets;
    unsigned node = 0;
    unsigned cyclicTargets = 0;
  };

  void findComponents(llvm::ArrayRef<uint32_t> edgeStart,
                      llvm::ArrayRef<uint32_t> edges);
  void linkComponents(Program &program, llvm::ArrayRef<uint32_t> edgeStart,
                      llvm::ArrayRef<uint32_t> edges);

  llvm::DenseMap<llvm::StringRef, PrototypeNode> prototypes;
  std::vector<uint32_t> componentOf; ///< By node: functions, then prototypes.
  unsigned componentTotal = 0;
  std::vector<uint32_t> successorStart{0}, successorList;
  std::vector<uint32_t> memberStart;
  std::vector<Function *> memberList;
  std::vector<bool> cyclic; ///< By component: reaches a cycle.
};

} // namespace lld::cuda

#endif
