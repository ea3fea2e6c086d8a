//===- PropagateNativeCallees.cpp - Native callees of what kernels reach --===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// From sm_107 on some instructions for textures are calls of the driver's
/// functions __cuda_syscall_bw_*, in native code only (NativeCallees.h).
/// propagateNativeCallees() adds what follows from these calls: the callees are
/// added to the EXTERNS list of every kernel that reaches a caller, and to
/// .nv.callgraph as edges [native-callees]. writeOutput() in Link.cpp calls it
/// after propagateResources(), when sections have their numbers, since callers
/// are visited in the order of their code. That order shows in the output: a
/// kernel has no edge to a callee that an earlier caller has put into its list.
///
//===----------------------------------------------------------------------===//

#include "Analysis/Resources.h"
#include "Inputs.h"
#include "Merge/NativeCallees.h"
#include "Numbered.h"
#include "Program.h"
#include "llvm/ADT/DenseSet.h"

using namespace llvm;

namespace lld::cuda {

static bool callsAnything(const Function &f) {
  return !f.callees.empty() || !f.indirectCalls.empty();
}

/// Returns for each caller the kernels that reach it, as numbers in `native`.
static std::vector<SmallVector<unsigned, 4>>
findReachingKernels(const Program &program, const Resources &native,
                    ArrayRef<Function *> callers) {
  std::vector<SmallVector<unsigned, 4>> kernels(callers.size());
  std::vector<std::vector<Function *>> items;
  for (Function *f : callers)
    items.push_back({f});
  program.callGraph.forEachReachingKernel(
      items, native.kernels,
      [&](unsigned item, unsigned kernel) { kernels[item].push_back(kernel); });
  return kernels;
}

/// Kernels that call nothing keep the Mercury view's stack size, unless no
/// function calls anything.
static void settleLeafStacks(const Program &program, Resources &native,
                             const Resources &mercury) {
  if (none_of(program.functions, [](const Function &f) {
        return f.reachable && callsAnything(f);
      }))
    return;
  for (size_t e = 0; e != native.kernels.size(); ++e)
    if (!callsAnything(*native.kernels[e]))
      native.ofKernel[e].minStackSize = mercury.ofKernel[e].minStackSize;
}

/// A callee is added to the lists of all kernels that reach it. What a kernel
/// calls itself gets an edge only if it isn't in the kernel's list by then.
void propagateNativeCallees(const Inputs &inputs, const Program &program,
                            const Numbered &numbered, Resources &native,
                            const Resources &mercury) {
  if (program.nativeCallees->empty())
    return;
  const std::vector<Function *> callers = findNativeCallers(program, numbered);
  std::vector<SmallVector<unsigned, 4>> reaching(callers.size());
  if (!inputs.isRelocatable()) {
    reaching = findReachingKernels(program, native, callers);
    settleLeafStacks(program, native, mercury);
  }
  std::vector<DenseSet<const Symbol *>> listed(native.kernels.size());
  for (size_t i = 0; i != callers.size(); ++i) {
    const int32_t own = native.kernelIndex[callers[i]->ordinal];
    const bool isListed = !inputs.isRelocatable() && own >= 0;
    for (Symbol *s : program.nativeCallees->of(*callers[i])) {
      if (!isListed || !listed[own].contains(s))
        program.nativeCallees->edges.push_back({callers[i], s});
      for (unsigned e : reaching[i])
        if (listed[e].insert(s).second)
          native.ofKernel[e].nativeCallees.push_back(s);
    }
  }
}

} // namespace lld::cuda
