//===- CallGraph.h - The call graph of a link -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The call graph of a link: functions and the calls between them. Link.cpp
/// builds it in Program::callGraph when all objects are merged; the passes in
/// Analysis/ and the reports ask it what kernels reach.
///
/// An indirect call may reach every function whose address is taken and whose
/// prototype is the same string. One virtual node for each prototype stands for
/// all of these functions, so that the graph's size is linear in the input's.
///
/// All questions that a link asks ("the maximum over all functions this kernel
/// reaches") are answered over the strongly connected components, numbered so
/// that callees come before callers. Maxima and unions of bits cost one pass;
/// "which kernels reach a carrier of X" costs one pass per 64 X.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_CALLGRAPH_H
#define LLD_CUDA_CALLGRAPH_H

#include "Symbols.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <vector>

namespace lld::cuda {

struct Program;

/// Refers to the functions of the Program, which must outlive it.
class CallGraph {
public:
  /// Builds the graph from all functions' edges and finds its components.
  void build(Program &program);

  /// Returns the number of strongly connected components. Callees have smaller
  /// numbers than their callers.
  unsigned componentCount() const { return successorStart.size() - 1; }
  unsigned component(const Function &f) const {
    return llvm::ArrayRef(componentOf)[f.ordinal];
  }
  /// Returns the other components that this one calls directly.
  llvm::ArrayRef<uint32_t> successors(unsigned component) const {
    return part(llvm::ArrayRef(successorList), successorStart, component);
  }
  /// Returns the functions of a component; there are none if it consists of
  /// virtual nodes.
  llvm::ArrayRef<Function *> members(unsigned component) const {
    return part(llvm::ArrayRef(memberList), memberStart, component);
  }
  bool reachesCycle(const Function &f) const { return cyclic[component(f)]; }
  bool hasCycles() const { return anyCyclic; }
  /// Returns the functions with this prototype whose address is taken, in the
  /// order of their creation.
  llvm::ArrayRef<Function *> indirectTargets(llvm::StringRef prototype) const;
  /// Returns how many of these functions reach a cycle.
  unsigned cyclicIndirectTargets(llvm::StringRef prototype) const;

  /// Returns a value for each component. It starts as `identity`; own(f, value)
  /// adds what each member has, and merge(value, other) the value of each
  /// component that is called. As merge() may see a part of a value more than
  /// once, it must be idempotent (maximum, minimum, OR, union).
  template <typename T, typename Own, typename Merge>
  std::vector<T> closure(const T &identity, Own own, Merge merge) const {
    std::vector<T> values(componentCount(), identity);
    T *const list = values.data();
    // Each component's members and successors follow those of the one before.
    Function *const *member = memberList.data();
    const uint32_t *successor = successorList.data();
    const uint32_t *memberEnd = memberStart.data(),
                   *successorEnd = successorStart.data();
    for (T *value = list, *end = list + values.size(); value != end; ++value) {
      for (Function *const *last = memberList.data() + *++memberEnd;
           member != last; ++member)
        own(**member, *value);
      for (const uint32_t *last = successorList.data() + *++successorEnd;
           successor != last; ++successor)
        merge(*value, list[*successor]);
    }
    return values;
  }

  /// Finds out for items 0..n-1, each of which some functions carry, which
  /// kernels reach a carrier. Calls visit(item, index in `kernels`) for every
  /// kernel that reaches a carrier or is one.
  void forEachReachingKernel(
      llvm::ArrayRef<std::vector<Function *>> carriers,
      llvm::ArrayRef<Function *> kernels,
      llvm::function_ref<void(unsigned item, unsigned kernel)> visit) const;

  /// Returns all functions that `root` reaches, itself included, in an
  /// unspecified order.
  std::vector<Function *> reachable(const Function &root) const;

private:
  class ListsByComponent;
  /// Returns the elements of `list` that belong to a component.
  template <typename T>
  static llvm::ArrayRef<T> part(llvm::ArrayRef<T> list,
                                llvm::ArrayRef<uint32_t> start,
                                unsigned component) {
    return list.slice(start[component],
                      start[component + 1] - start[component]);
  }
  struct PrototypeNode {
    std::vector<Function *> targets;
    unsigned node = 0;
    unsigned cyclicTargets = 0;
  };

  void findComponents(llvm::ArrayRef<uint32_t> edgeStart,
                      llvm::ArrayRef<uint32_t> edges);
  void linkComponents(Program &program, llvm::ArrayRef<uint32_t> edgeStart,
                      llvm::ArrayRef<uint32_t> edges);

  llvm::MapVector<llvm::StringRef, PrototypeNode> prototypes;
  /// Indexed by node: functions by ordinal, then prototypes.
  std::vector<uint32_t> componentOf;
  unsigned componentTotal = 0;
  std::vector<uint32_t> successorStart{0}, successorList;
  std::vector<uint32_t> memberStart;
  std::vector<Function *> memberList;
  /// Indexed by component: whether it reaches a cycle.
  std::vector<bool> cyclic;
  bool anyCyclic = false; ///< Some component does.
};

} // namespace lld::cuda

#endif
