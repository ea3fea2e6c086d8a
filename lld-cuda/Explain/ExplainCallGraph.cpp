//===- ExplainCallGraph.cpp - Chains of calls below messages --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// These functions show, below a message about a kernel, the chain of calls
/// that is to blame: from the kernel into a recursion, when its stack has no
/// bound (Analysis/Undefined.cpp), or to the function that needs too many
/// registers (Analysis/RegisterLimits.cpp). Both passes call them right after
/// their message. The chain shown is a shortest one, found by a breadth-first
/// search over the call graph. Chains of more than twelve calls are cut in the
/// middle.
///
//===----------------------------------------------------------------------===//

#include "Explain/Explain.h"
#include "Explain/SourcePlaces.h"
#include "Input/ObjectFile.h"
#include "Inputs.h"
#include "Program.h"
#include "lld-cuda/Demangle/Demangle.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace lld::cuda {

namespace {

/// A call: direct, or through a pointer with a prototype.
struct Step {
  const Function *caller, *callee;
  StringRef prototype; ///< Empty: direct.
  bool isIndirect = false;
};

class PathFinder {
public:
  explicit PathFinder(const Inputs &inputs, const Program &program)
      : inputs(inputs), program(program) {}
  /// The steps to the nearest function for which `isGoal` holds, itself
  /// included unless `atLeastOneStep`; `enters` restricts the way.
  std::vector<Step> find(const Function &from,
                         function_ref<bool(const Function &)> isGoal,
                         function_ref<bool(const Function &)> enters,
                         bool atLeastOneStep);
  void explain(ArrayRef<Step> path);
  /// A name in full the first time, and what is short of it later.
  std::string name(const Function &f);
  /// The message says the name as explanations do, if it is lld's.
  void noteShown(const Function &f) {
    if (inputs.config.isLld())
      shownNames.insert(&f);
  }

private:
  void explainTargets(StringRef prototype);

  const Inputs &inputs;
  const Program &program;
  DenseSet<StringRef> shownPrototypes;
  DenseSet<const Function *> shownNames;
};

} // namespace

std::vector<Step> PathFinder::find(const Function &from,
                                   function_ref<bool(const Function &)> isGoal,
                                   function_ref<bool(const Function &)> enters,
                                   bool atLeastOneStep) {
  std::vector<Step> path;
  if (!atLeastOneStep && isGoal(from))
    return path;
  std::vector<std::optional<Step>> cameBy(program.functions.size());
  DenseSet<StringRef> seenPrototypes;
  std::vector<const Function *> queue{&from};
  const Function *goal = nullptr;
  for (size_t head = 0; head != queue.size() && !goal; ++head) {
    const Function *f = queue[head];
    auto visit = [&](const Function &g, StringRef prototype, bool indirect) {
      if (goal || cameBy[g.ordinal] || !enters(g))
        return;
      cameBy[g.ordinal] = {f, &g, prototype, indirect};
      queue.push_back(&g);
      if (isGoal(g))
        goal = &g;
    };
    for (const Function *g : f->callees)
      visit(*g, {}, false);
    // All that a prototype leads to is reached the first time.
    for (StringRef prototype : f->indirectCalls)
      if (seenPrototypes.insert(prototype).second)
        for (const Function *g : program.callGraph.indirectTargets(prototype))
          visit(*g, prototype, true);
  }
  for (const Function *f = goal; f;) {
    const Step &step = *cameBy[f->ordinal];
    path.push_back(step);
    f = step.caller == &from ? nullptr : step.caller;
  }
  std::reverse(path.begin(), path.end());
  return path;
}

std::string PathFinder::name(const Function &f) {
  std::string text = inputs.diag.display(f.name);
  const bool isFirst = shownNames.insert(&f).second;
  return isFirst || !inputs.config.lld.demangle ? text : shortenName(text);
}

void PathFinder::explain(ArrayRef<Step> path) {
  constexpr size_t MaxShown = 12;
  for (size_t i = 0; i != path.size(); ++i) {
    const Step &s = path[i];
    if (path.size() > MaxShown && i == MaxShown - 2) {
      size_t skipped = path.size() - MaxShown + 1;
      inputs.diag.explain("... " + Twine(skipped) + " more calls ...");
      i += skipped - 1;
      continue;
    }
    const std::string caller = name(*s.caller);
    std::vector<SourceLine> places;
    if (s.isIndirect)
      places = SourcePlaces::of(inputs, program).indirectCalls(*s.caller);
    else if (auto place = SourcePlaces::of(inputs, program)
                              .reference(*s.caller, *s.callee))
      places.push_back(*place);
    const std::string callee =
        s.caller == s.callee ? "itself" : name(*s.callee);
    inputs.diag.explain(
        caller + (s.isIndirect ? " may call " : " calls ") + callee +
            (s.isIndirect ? " through a pointer" : "") +
            (places.empty() ? "" : " (" + describePlaces(places) + ")"),
        places.empty() ? nullptr : &places.front());
    if (s.isIndirect)
      explainTargets(s.prototype);
  }
}

/// A pointer may lead to any function of its type whose address is taken.
void PathFinder::explainTargets(StringRef prototype) {
  constexpr size_t MaxTargets = 4;
  ArrayRef<Function *> targets = program.callGraph.indirectTargets(prototype);
  if (targets.size() < 2 || !shownPrototypes.insert(prototype).second)
    return;
  std::string text = "  functions of that type whose addresses are taken: ";
  for (size_t i = 0; i != std::min(targets.size(), MaxTargets); ++i)
    text += (i ? ", " : "") + name(*targets[i]);
  if (targets.size() > MaxTargets)
    text += " and " + utostr(targets.size() - MaxTargets) + " more";
  inputs.diag.explain(text);
}

void explainUnboundedStack(const Inputs &inputs, const Program &program,
                           const Function &kernel) {
  if (!inputs.diag.explains(DiagId::StackSizeUnknown))
    return;
  const CallGraph &graph = program.callGraph;
  auto anywhere = [](const Function &) { return true; };
  // A function is in a cycle if one of its calls stays in its component.
  auto isRecursive = [&](const Function &f) {
    auto staysIn = [&](const Function *g) {
      return graph.component(*g) == graph.component(f);
    };
    return any_of(f.callees, staysIn) ||
           any_of(f.indirectCalls, [&](StringRef prototype) {
             return any_of(graph.indirectTargets(prototype), staysIn);
           });
  };
  PathFinder finder(inputs, program);
  finder.noteShown(kernel);
  std::vector<Step> path = finder.find(kernel, isRecursive, anywhere, false);
  const Function &first = path.empty() ? kernel : *path.back().callee;
  std::vector<Step> cycle = finder.find(
      first, [&](const Function &f) { return &f == &first; },
      [&](const Function &f) {
        return graph.component(f) == graph.component(first);
      },
      true);
  finder.explain(path);
  finder.explain(cycle);
}

void explainStackLimit(const Inputs &inputs) {
  if (inputs.diag.explains())
    inputs.diag.explain(
        "the program has to reserve enough stack for its deepest chain of "
        "calls, with cudaDeviceSetLimit(cudaLimitStackSize, bytes per thread); "
        "--why-stack=<kernel> shows what each call needs");
}

void explainRegisterLimit(const Inputs &inputs, Program &program,
                          const Function &kernel, const Function &function,
                          uint32_t excess) {
  if (!inputs.diag.explains(DiagId::RegisterLimit))
    return;
  PathFinder finder(inputs, program);
  finder.noteShown(kernel);
  finder.noteShown(function);
  finder.explain(finder.find(
      kernel, [&](const Function &f) { return &f == &function; },
      [](const Function &) { return true; }, false));
  const auto place = SourcePlaces::of(inputs, program).definition(function);
  inputs.diag.explain(finder.name(function) + " in '" +
                          program.objects[function.definedIn].label + "'" +
                          describePlace(" (", place, ")") + " has " +
                          Twine(excess) +
                          " registers more than the kernel allows; compile it "
                          "with a lower -maxrregcount, or relax the kernel's "
                          "__launch_bounds__ or __maxnreg__",
                      orNull(place));
}

} // namespace lld::cuda
