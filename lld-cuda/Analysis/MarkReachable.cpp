//===- MarkReachable.cpp - Which kernels count, and which functions stay --===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// discountUnusedKernels() and markReachable() decide which kernels and
/// functions a link keeps. layoutImage() in Link.cpp calls
/// discountUnusedKernels() when all objects are merged: kernels that no host
/// code names aren't counted, and with -e only the named ones are. It calls
/// markReachable() when the call graph is built: every function that no counted
/// kernel reaches is removed, with its sections. A function whose address is
/// taken stays, but what only such a function calls is removed, if it is
/// defined in the link [reachable], [reachable-address-taken].
///
/// Variables are never removed here [variables-stay]. Constants are removed
/// where they need too much room (LayoutUserConstants.cpp).
///
//===----------------------------------------------------------------------===//

#include "Companions.h"
#include "Explain/Explain.h"
#include "Input/InputFiles.h"
#include "Input/NamePatterns.h"
#include "Input/ObjectFile.h"
#include "Inputs.h"
#include "Passes.h"
#include "Program.h"

using namespace llvm;
using namespace lld::cuda::elf;

namespace lld::cuda {

namespace {

/// The names of kernels that host code refers to.
class HostReferences {
public:
  /// Returns false if the lists are incomplete or empty, so that all kernels
  /// stay.
  bool collect(const Inputs &inputs);
  bool names(const Function &f) const {
    return (f.isLocal() ? internal : external).matches(f.name);
  }

private:
  NamePatterns external, internal;
};

} // namespace

bool HostReferences::collect(const Inputs &inputs) {
  bool anyLongList = false;
  for (const InputFile &file : inputs.files) {
    if (file.dropped)
      continue;
    for (const InputUnit &unit : file.units) {
      if (unit.host.countsForHostInfo && !unit.host.hasHostLists)
        return false;
      // The device runtime library's list alone is none.
      anyLongList |=
          !file.systemLibrary && (unit.host.kernelsExternal.size() > 1 ||
                                  unit.host.kernelsInternal.size() > 1);
      external.add(unit.host.kernelsExternal);
      internal.add(unit.host.kernelsInternal);
    }
  }
  return anyLongList;
}

/// Unless --kernels-used leaves exactly one kernel, those that device code
/// launches are counted after all.
static void countLaunchedKernels(const Inputs &inputs, Program &program) {
  if (!inputs.config.hasKernelFilter() || inputs.isRelocatable() ||
      count_if(program.functions,
               [](const Function &f) { return f.isCounted && f.defined; }) == 1)
    return;
  for (Function &f : program.functions)
    f.isCounted |= f.isKernel() && f.defined && f.addressTaken;
}

/// -e: the kernels that it doesn't name aren't counted.
static void countNamedKernels(const Inputs &inputs, Program &program) {
  DenseSet<StringRef> names;
  for (const std::string &name : inputs.config.lld.entryNames) {
    names.insert(name);
    Symbol *s = program.named.lookup(hashed(name));
    if (!s || !s->defined || !s->isFunction() ||
        !static_cast<Function *>(s)->isKernel()) {
      inputs.diag.report(DiagId::KernelNotFound,
                         {"-e: no kernel has the name ", diag::symbol(name)});
      explainMissingName(inputs, program, name, /*kernelsOnly=*/true);
    }
  }
  for (Function &f : program.functions) {
    if (!f.isCounted || names.contains(f.name))
      continue;
    f.isCounted = false;
    if (OutputSection *shared = getSharedSection(inputs, program, f))
      shared->owner = nullptr;
  }
}

/// -u and --require-defined: functions that stay though nobody refers to them.
static void markNamedFunctions(const Inputs &inputs, const Program &program,
                               std::vector<bool> &reached) {
  auto mark = [&](StringRef name) {
    Symbol *s = program.named.lookup(hashed(name));
    if (s && s->defined && s->isFunction())
      reached[program.callGraph.component(*static_cast<Function *>(s))] = true;
    return s && s->defined;
  };
  for (const std::string &name : inputs.config.lld.undefinedNames)
    mark(name);
  for (const std::string &name : inputs.config.lld.requiredNames)
    if (!mark(name)) {
      inputs.diag.report(DiagId::UndefinedReference,
                         {"undefined symbol: ", diag::symbol(name).bare(),
                          ", which --require-defined asks for"});
      explainMissingName(inputs, program, name, /*kernelsOnly=*/false);
    }
}

void discountUnusedKernels(const Inputs &inputs, Program &program) {
  countLaunchedKernels(inputs, program);
  program.prunesKernels = inputs.config.hasKernelFilter() &&
                          !inputs.isRelocatable() && !inputs.keepsDebugShared();
  for (Function &f : program.functions)
    if (f.defined && f.shared && (f.addressTaken || inputs.keepsDeadCode()))
      f.shared->owner = &f;
  if (!inputs.config.lld.entryNames.empty() && !inputs.isRelocatable())
    return countNamedKernels(inputs, program);
  if (inputs.isRelocatable() || inputs.keepsDebugShared() ||
      inputs.config.ignoreHostInfo || inputs.config.hasKernelFilter())
    return;
  HostReferences host;
  if (!host.collect(inputs))
    return;
  program.prunesKernels = true;
  for (Function &f : program.functions) {
    // A kernel that device code launches is never demoted [host-references].
    if (!f.isCounted || f.addressTaken || host.names(f))
      continue;
    f.isCounted = false;
    // Found by the kernel it belonged to, so the name survives the kernel.
    OutputSection *shared =
        inputs.keepsDeadCode() ? nullptr : getSharedSection(inputs, program, f);
    if (shared)
      shared->owner = nullptr;
  }
}

/// -astoolspatch: every function is compiled to be put into other code; nothing
/// of it is left out [option-tools-patch].
void checkToolsPatch(const Inputs &inputs, Program &program) {
  if (!inputs.config.isToolsPatch)
    return;
  auto isPatch = [](const InfoRecord &r) {
    return r.record.code == EIATTR_TOOLS_PATCH_FUNC;
  };
  constexpr unsigned FirstWithOneDash = 134;
  const StringRef dash =
      inputs.rules.isSince(FirstWithOneDash) ? "" : "-"; // nvlink 13.3 has two.
  for (const Function &f : program.functions)
    if (f.defined && none_of(f.infoRecords[unsigned(View::Native)], isPatch))
      return inputs.diag.report(
          DiagId::NoToolsPatch,
          {"Function ", diag::symbol(f.name), " in ",
           diag::file(program.objects[f.definedIn].label),
           " is missing EIATTR_TOOLS_PATCH_FUNC attribute required by ", dash,
           "-astoolspatch option"});
}

void markReachable(const Inputs &inputs, Program &program) {
  if (inputs.keepsDeadCode() || inputs.config.isToolsPatch ||
      !inputs.config.lld.gcSections)
    return;
  const CallGraph &graph = program.callGraph;
  std::vector<bool> reached(graph.componentCount());
  for (Function &f : program.functions)
    if (f.isCounted && f.defined)
      reached[graph.component(f)] = true;
  markNamedFunctions(inputs, program, reached);
  // Callers have larger numbers than their callees.
  for (unsigned c = graph.componentCount(); c-- != 0;)
    if (reached[c])
      for (uint32_t s : graph.successors(c))
        reached[s] = true;
  for (Function &f : program.functions) {
    f.isOnlyTaken = f.addressTaken && !reached[graph.component(f)];
    f.reachable = reached[graph.component(f)] || f.addressTaken;
  }
  // A function that stays only for its address doesn't keep its callees, except
  // those that are defined nowhere (vprintf, free).
  for (const Function &f : program.functions)
    if (f.isOnlyTaken)
      for (Function *callee : f.callees)
        callee->reachable |= !callee->defined;

  // [constants-of-replaced-pruned]
  // Sections of relocations are created after those to which they apply.
  for (OutputSection *sec : program.sections)
    if ((sec->owner && !sec->owner->reachable) ||
        (sec->target && !sec->target->reachable))
      sec->reachable = false;
}

} // namespace lld::cuda
