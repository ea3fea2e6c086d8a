//===- Why.cpp - Where resources and functions of a link come from --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The class Why answers why a kernel needs its stack, registers, barriers or
/// shared memory, and why a function is in the output, with the chain of calls
/// that is the reason. WhyReport.cpp asks it for --why-live and its like, and
/// ResourceBudget.cpp when a kernel is over a limit of --budget; both when it
/// is known what kernels inherit, before the image is written. Chains are
/// shortest paths, found by breadth-first search. The chain for the stack is
/// instead the one that needs the most, found by the largest sums over the call
/// graph's components, callees first.
///
//===----------------------------------------------------------------------===//

#include "Report/Why.h"
#include "Input/ObjectFile.h"
#include "Inputs.h"
#include "Program.h"
#include "lld-cuda/BinaryFormat/Architectures.h"

using namespace llvm;
using namespace lld::cuda::elf;

namespace lld::cuda {

//===----------------------------------------------------------------------===//
// Paths
//===----------------------------------------------------------------------===//

WhyPath Why::findPath(ArrayRef<const Function *> from,
                      function_ref<bool(const Function &)> isGoal, bool takes) {
  WhyPath path;
  std::vector<std::optional<WhyStep>> cameBy(program.functions.size());
  std::vector<bool> isStart(program.functions.size());
  DenseSet<StringRef> seenPrototypes;
  std::vector<const Function *> queue(from.begin(), from.end());
  for (const Function *f : from) {
    if (isGoal(*f))
      return path;
    isStart[f->ordinal] = true;
  }
  const Function *goal = nullptr;
  for (size_t head = 0; head != queue.size() && !goal; ++head) {
    const Function *f = queue[head];
    auto visit = [&](const Function *g, WhyStep::Kind kind, StringRef type) {
      if (goal || isStart[g->ordinal] || cameBy[g->ordinal])
        return;
      cameBy[g->ordinal] = {f, g, kind, type};
      queue.push_back(g);
      if (isGoal(*g))
        goal = g;
    };
    for (const Function *g : f->callees)
      visit(g, WhyStep::Call, {});
    // All that a prototype leads to is reached the first time.
    for (StringRef type : f->indirectCalls)
      if (seenPrototypes.insert(type).second)
        for (const Function *g : program.callGraph.indirectTargets(type))
          visit(g, WhyStep::IndirectCall, type);
    if (takes)
      for (const Function *g : f->takes)
        visit(g, WhyStep::AddressTaken, {});
  }
  for (const Function *f = goal; f && !isStart[f->ordinal];) {
    path.push_back(*cameBy[f->ordinal]);
    f = path.back().caller;
  }
  std::reverse(path.begin(), path.end());
  return path;
}

/// Whether some call of the function stays in its component of the call graph.
bool Why::isRecursive(const Function &f) const {
  const CallGraph &graph = program.callGraph;
  auto staysIn = [&](const Function *g) {
    return graph.component(*g) == graph.component(f);
  };
  return any_of(f.callees, staysIn) ||
         any_of(f.indirectCalls, [&](StringRef type) {
           return any_of(graph.indirectTargets(type), staysIn);
         });
}

WhyStep Why::step(const Function &caller, const Function &callee) const {
  if (is_contained(caller.callees, &callee))
    return {&caller, &callee, WhyStep::Call, {}};
  return {&caller, &callee, WhyStep::IndirectCall, callee.prototype};
}

/// The shortest way from a recursive function back to itself: a first step in
/// the component, and the fewest from there.
WhyPath Why::findCycle(const Function &f) {
  const CallGraph &graph = program.callGraph;
  WhyPath best;
  auto consider = [&](const Function &g) {
    if (graph.component(g) != graph.component(f))
      return;
    WhyPath path{step(f, g)};
    if (&g != &f)
      append_range(path,
                   findPath(&g, [&](const Function &x) { return &x == &f; }));
    if (best.empty() || path.size() < best.size())
      best = std::move(path);
  };
  for (const Function *g : f.callees)
    consider(*g);
  for (StringRef type : f.indirectCalls)
    for (const Function *g : graph.indirectTargets(type))
      consider(*g);
  return best;
}

//===----------------------------------------------------------------------===//
// Resources
//===----------------------------------------------------------------------===//

void Why::measureDepths() {
  const CallGraph &graph = program.callGraph;
  if (!depths.empty())
    return;
  depths.resize(graph.componentCount());
  for (unsigned c = 0; c != graph.componentCount(); ++c) {
    Depth &d = depths[c];
    for (uint32_t s : graph.successors(c))
      if (d.next < 0 || depths[s].bytes > d.bytes) {
        d.bytes = depths[s].bytes;
        d.next = s;
      }
    for (const Function *f : graph.members(c))
      d.bytes += frameSize(*f);
  }
}

WhyStack Why::stack(const Function &kernel) {
  const CallGraph &graph = program.callGraph;
  WhyStack why;
  if (graph.reachesCycle(kernel)) {
    why.path =
        findPath(&kernel, [&](const Function &f) { return isRecursive(f); });
    why.cycle = findCycle(why.path.empty() ? kernel : *why.path.back().callee);
    return why;
  }
  measureDepths();
  const Depth *d = &depths[graph.component(kernel)];
  why.size = d->bytes;
  // The path ends where further callees would add nothing.
  const Function *last = &kernel;
  while (d->next >= 0 && depths[d->next].bytes) {
    ArrayRef<Function *> members = graph.members(d->next);
    if (!members.empty()) {
      why.path.push_back(step(*last, *members.front()));
      last = members.front();
    }
    d = &depths[d->next];
  }
  return why;
}

WhyOrigin Why::registers(const Function &kernel) {
  WhyOrigin why;
  why.own = why.total = ownRegisters(kernel);
  why.origin = &kernel;
  if (const KernelResources *r = resources.kernelOf(kernel)) {
    why.total = r->registers;
    why.isReconfigured =
        r->values[createdIndex(EIATTR_REG_RECONFIG)].has_value();
  }
  if (why.total == why.own)
    return why;
  why.path = findPath(
      &kernel, [&](const Function &f) { return ownRegisters(f) == why.total; });
  if (!why.path.empty())
    why.origin = why.path.back().callee;
  return why;
}

WhyOrigin Why::barriers(const Function &kernel) {
  WhyOrigin why;
  why.own = why.total = ownBarriers(kernel);
  why.origin = &kernel;
  if (const KernelResources *r = resources.kernelOf(kernel))
    why.total = r->values[createdIndex(EIATTR_NUM_BARRIERS)].value_or(0);
  if (why.total <= why.own)
    return why;
  auto hasAll = [&](const Function &f) {
    return f.reachable && f.defined && ownBarriers(f) == why.total;
  };
  why.path = findPath(&kernel, hasAll);
  if (!why.path.empty()) {
    why.origin = why.path.back().callee;
    return why;
  }
  why.isUnreached = true;
  for (const Function &f : program.functions)
    if (hasAll(f)) {
      why.origin = &f;
      break;
    }
  return why;
}

std::vector<const Function *> Why::users(const Variable &variable) {
  std::vector<const Function *> result;
  for (const Function &f : program.functions)
    if (is_contained(f.sharedUses, &variable))
      result.push_back(&f);
  return result;
}

WhyShared Why::shared(const Function &kernel) {
  WhyShared why;
  why.dynamicOffset = kernel.dynamicSharedOffset;
  if (!kernel.shared)
    return why;
  why.size = kernel.shared->size;
  if (!inputs.config.disableSmemReservation)
    why.reserved = std::min<uint64_t>(
        why.size, getArchitectureLimits(inputs.sm())->reservedShared);
  DenseSet<const Variable *> seen;
  auto add = [&](const Variable *v) {
    if (v->address && v->size && seen.insert(v).second)
      why.parts.push_back({*v->address, v->size, v, nullptr, {}});
  };
  for (const Variable *v : kernel.ownShared)
    add(v);
  for (const Function *f : program.callGraph.reachable(kernel))
    for (const Variable *v : f->sharedUses)
      add(v);
  llvm::stable_sort(why.parts, [](const auto &a, const auto &b) {
    return std::pair(a.offset, a.variable->name) <
           std::pair(b.offset, b.variable->name);
  });
  for (WhyShared::Part &part : why.parts) {
    auto uses = [&](const Function &f) {
      return is_contained(f.sharedUses, part.variable);
    };
    part.path = findPath(&kernel, uses);
    part.user = !part.path.empty() ? part.path.back().callee
                : uses(kernel)     ? &kernel
                                   : nullptr;
  }
  // What is between them belongs to other kernels, or is padding.
  uint64_t end = 0;
  std::vector<WhyShared::Part> gaps;
  for (const WhyShared::Part &part : why.parts) {
    if (part.offset > end)
      gaps.push_back({end, part.offset - end, nullptr, nullptr, {}});
    end = std::max(end, part.offset + part.size);
  }
  if (const uint64_t size = why.size - why.reserved; size > end && end)
    gaps.push_back({end, size - end, nullptr, nullptr, {}});
  append_range(why.parts, gaps);
  llvm::stable_sort(why.parts, [](const auto &a, const auto &b) {
    return a.offset < b.offset;
  });
  return why;
}

//===----------------------------------------------------------------------===//
// What stays
//===----------------------------------------------------------------------===//

namespace {
/// Initializers of an object's variables that hold a function's address.
class InitializerScan {
public:
  InitializerScan(const ObjectFile &obj, const Function &function,
                  std::vector<WhyTaker> &takers)
      : obj(obj), function(function), takers(takers) {}
  void run();

private:
  template <typename Rel> void scan(ArrayRef<Rel> entries, unsigned target);
  StringRef nameAt(unsigned section, uint64_t offset) const;

  const ObjectFile &obj;
  const Function &function;
  std::vector<WhyTaker> &takers;
};
} // namespace

StringRef InitializerScan::nameAt(unsigned section, uint64_t offset) const {
  for (unsigned i = 1; i < obj.symbols.size(); ++i) {
    const Elf_Sym &sym = obj.inputSymbol(i);
    if (sym.getType() != STT_SECTION && obj.file.sectionIndex(i) == section &&
        sym.st_value <= offset && offset - sym.st_value < sym.st_size)
      return obj.file.symtab().name(sym);
  }
  return obj.file.sectionName(section);
}

template <typename Rel>
void InitializerScan::scan(ArrayRef<Rel> entries, unsigned target) {
  for (const Rel &r : entries) {
    const uint32_t index = r.getSymbol(false);
    if (index >= obj.symbols.size() || obj.symbols[index] != &function)
      continue;
    StringRef name = nameAt(target, r.r_offset);
    if (takers.empty() || takers.back().variable != name)
      takers.push_back({nullptr, name, &obj});
  }
}

void InitializerScan::run() {
  if (!is_contained(obj.symbols, &function))
    return;
  for (unsigned i = 1; i < obj.file.sections().size(); ++i) {
    const Elf_Shdr &shdr = obj.file.sections()[i];
    if ((shdr.sh_type != SHT_REL && shdr.sh_type != SHT_RELA) ||
        shdr.sh_flags & SHF_CUDA_MERCURY ||
        shdr.sh_info >= obj.file.sections().size())
      continue;
    const uint64_t flags = obj.file.sections()[shdr.sh_info].sh_flags;
    if (!(flags & SHF_ALLOC) || flags & SHF_EXECINSTR)
      continue;
    if (shdr.sh_type == SHT_RELA)
      scan(obj.file.relas(i), shdr.sh_info);
    else
      scan(obj.file.rels(i), shdr.sh_info);
  }
}

std::vector<WhyTaker> Why::takers(const Function &function) {
  std::vector<WhyTaker> result;
  for (const Function &f : program.functions)
    if (is_contained(f.takes, &function))
      result.push_back({&f, {}, &program.objects[f.definedIn]});
  for (const ObjectFile &obj : program.objects)
    InitializerScan(obj, function, result).run();
  return result;
}

WhyLive Why::live(const Function &function) {
  WhyLive why;
  const LldConfig &lld = inputs.config.lld;
  if (!function.defined)
    why.reason = WhyLive::Undefined;
  else if (!function.reachable)
    why.reason = WhyLive::LeftOut;
  else if (function.isCounted)
    why.reason = WhyLive::Kernel;
  if (why.reason == WhyLive::Kernel)
    return why;
  auto calls = [&](const Function &f) {
    return is_contained(f.callees, &function);
  };
  if (why.reason == WhyLive::LeftOut && !function.reachable) {
    for (const Function &f : program.functions)
      if (f.defined && calls(f))
        why.callers.push_back(&f);
    return why;
  }
  std::vector<const Function *> kernels;
  for (const Function &f : program.functions)
    if (f.isCounted && f.defined)
      kernels.push_back(&f);
  auto isIt = [&](const Function &f) { return &f == &function; };
  why.path = findPath(kernels, isIt);
  if (why.reason == WhyLive::Undefined)
    return why;
  if (!why.path.empty()) {
    why.reason = WhyLive::Reached;
  } else if (function.addressTaken) {
    why.reason = WhyLive::AddressTaken;
    why.takers = takers(function);
    why.path = findPath(kernels, isIt, /*takes=*/true);
  } else if (is_contained(lld.undefinedNames, function.name) ||
             is_contained(lld.requiredNames, function.name)) {
    why.reason = WhyLive::Asked;
  } else {
    why.reason = WhyLive::KeepsAll;
  }
  return why;
}

std::vector<SourceLine> Why::linesOf(const WhyStep &step) {
  if (step.kind == WhyStep::IndirectCall)
    return places.indirectCalls(*step.caller);
  if (std::optional<SourceLine> line =
          places.reference(*step.caller, *step.callee))
    return {*line};
  return {};
}

} // namespace lld::cuda
