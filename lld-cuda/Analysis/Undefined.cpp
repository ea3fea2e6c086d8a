//===- Undefined.cpp - Undefined symbols, recursion, unused functions -----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// checkUndefined() reports the symbols that a final link needs and no input
/// defines [undefined-symbols]. warnRecursion() warns of kernels whose stack
/// has no bound, since what they call is recursive
/// [call-graph-recursion-warning], and warnUncalled() of functions whose
/// address is taken though no kernel reaches them. layoutImage() in Link.cpp
/// calls the two functions that warn right after it has removed dead functions,
/// and checkUndefined() later, between the layouts of constants and of
/// textures: that order of messages is nvlink's [messages-order]. An undefined
/// function matters only if a function that stays calls it; an undefined
/// variable always does, even if nothing refers to it.
///
//===----------------------------------------------------------------------===//

#include "Explain/Explain.h"
#include "Inputs.h"
#include "Merge/Merge.h"
#include "Passes.h"
#include "lld-cuda/BinaryFormat/DriverFunctions.h"

using namespace llvm;
using namespace lld::cuda::elf;

namespace lld::cuda {

/// A function is missed if it is kept or a kept function calls it directly; a
/// variable always is, even if nothing refers to it.
static bool isMissed(const Symbol &s, const std::vector<bool> &called) {
  if (s.defined || s.isWeak())
    return false;
  if (s.isFunction())
    return called[static_cast<const Function &>(s).ordinal] &&
           !mayStayUndefined(s.name);
  auto &v = static_cast<const Variable &>(s);
  return !v.isReserved && !isReservedWeakName(v.name) && !v.isTexture() &&
         !v.isDynamicShared();
}

/// -extrawarn, in links that remove dead code: functions that stay although no
/// kernel reaches them [call-graph-uncalled-warning].
void warnUncalled(const Inputs &inputs, const Program &program) {
  if (!inputs.config.extraWarnings)
    return;
  for (const Function &f : program.functions)
    if (f.isOnlyTaken)
      inputs.diag.report(DiagId::UncalledFunction,
                         {"Function ", diag::symbol(f.name),
                          " has address taken but no calls to it found"});
}

void checkUndefined(Inputs &inputs, Program &program) {
  if (inputs.isRelocatable())
    return;
  std::vector<bool> called(program.functions.size());
  for (Function &f : program.functions) {
    if (!f.reachable)
      continue;
    called[f.ordinal] = true;
    for (Function *callee : f.callees)
      called[callee->ordinal] = true;
  }
  std::vector<const Symbol *> missed;
  for (Symbol *s : program.globals)
    if (!s->isWeak() && isMissed(*s, called))
      missed.push_back(s);
  reportUndefined(inputs, program, missed);
}

void warnRecursion(const Inputs &inputs, Program &program) {
  if (inputs.isRelocatable() || inputs.config.suppressStackSizeWarning)
    return;
  const CallGraph &graph = program.callGraph;
  if (!graph.hasCycles())
    return;
  bool isToldOf = false;
  // More than any program has; hostile inputs can ask for billions.
  uint64_t left = 10000;
  for (Function *kernel : program.countedKernels()) {
    if (!graph.reachesCycle(*kernel))
      continue;
    // One line for each edge of the kernel that leads to a cycle.
    uint64_t edges = 0;
    for (Function *callee : kernel->callees)
      edges += graph.reachesCycle(*callee);
    for (StringRef prototype : kernel->indirectCalls)
      edges += graph.cyclicIndirectTargets(prototype);
    for (bool isFirst = true; edges && left; --edges, --left, isFirst = false) {
      inputs.diag.report(DiagId::StackSizeUnknown,
                         {"Stack size for entry function ",
                          diag::symbol(kernel->name),
                          " cannot be statically determined"});
      if (isFirst)
        explainUnboundedStack(inputs, program, *kernel);
      if (!isToldOf)
        explainStackLimit(inputs);
      isToldOf = true;
    }
  }
}

} // namespace lld::cuda
