//===- MarkLive.cpp - Which kernels count, and which functions stay -===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Kernels that no host code names stop being entries. Then every function
/// that no entry reaches goes, with all its pieces; functions whose address is
/// taken stay, but what only they call goes, too (spec: symbols, section 5).
/// Variables are never removed.
///
//===----------------------------------------------------------------------===//

#include "Ctx.h"
#include "Passes.h"

using namespace llvm;
using namespace lld::cuda::elf;

namespace lld::cuda {

namespace {

/// The names of kernels that host code refers to: patterns in which '*' is any
/// run of characters, anchored at both ends (spec: inputs, section 7.1).
class HostReferences {
public:
  /// False: the lists are incomplete or empty, all kernels stay.
  bool collect(Ctx &ctx);
  bool names(const Function &f) const {
    return matches(f.isLocal() ? internal : external, f.name);
  }

private:
  struct Patterns {
    DenseSet<CachedHashStringRef> exact;
    std::vector<StringRef> globs;
  };
  static void add(Patterns &patterns, StringRef list);
  static bool matches(const Patterns &patterns, StringRef name);
  Patterns external, internal;
};

} // namespace

void HostReferences::add(Patterns &patterns, StringRef list) {
  for (StringRef name : splitNames(list)) {
    if (name.contains('*'))
      patterns.globs.push_back(name);
    else
      patterns.exact.insert(CachedHashStringRef(name));
  }
}

bool HostReferences::collect(Ctx &ctx) {
  bool anyLongList = false;
  for (const InputFile &file : ctx.inputs) {
    if (file.dropped)
      continue;
    for (const InputUnit &unit : file.units) {
      if (unit.countsForHostInfo && !unit.hasHostLists)
        return false;
      anyLongList |=
          unit.kernelsExternal.size() > 1 || unit.kernelsInternal.size() > 1;
      add(external, unit.kernelsExternal);
      add(internal, unit.kernelsInternal);
    }
  }
  return anyLongList;
}

static bool matchesGlob(StringRef pattern, StringRef name) {
  auto [head, rest] = pattern.split('*');
  if (!name.consume_front(head))
    return false;
  while (rest.contains('*')) {
    auto [piece, tail] = rest.split('*');
    size_t at = name.find(piece);
    if (at == StringRef::npos)
      return false;
    name = name.drop_front(at + piece.size());
    rest = tail;
  }
  return name.ends_with(rest);
}

bool HostReferences::matches(const Patterns &patterns, StringRef name) {
  if (patterns.exact.contains(CachedHashStringRef(name)))
    return true;
  return any_of(patterns.globs,
                [&](StringRef p) { return matchesGlob(p, name); });
}

/// If --kernels-used leaves no kernel at all, those that device code launches
/// are entries after all.
static void restoreLaunchedEntries(Ctx &ctx) {
  if (!ctx.config.hasKernelFilter() || ctx.isRelocatable() ||
      any_of(ctx.functions,
             [](const Function &f) { return f.isEntry && f.defined; }))
    return;
  for (Function &f : ctx.functions)
    f.isEntry = f.isKernel() && f.defined && f.addressTaken;
}

void demoteUnusedEntries(Ctx &ctx) {
  restoreLaunchedEntries(ctx);
  for (Function &f : ctx.functions)
    if (f.defined && f.shared && (f.addressTaken || ctx.keepsDeadCode()))
      f.shared->owner = &f;
  if (ctx.keepsDeadCode() || ctx.config.ignoreHostInfo ||
      ctx.config.hasKernelFilter())
    return;
  HostReferences host;
  if (!host.collect(ctx))
    return;
  for (Function &f : ctx.functions) {
    // A kernel that device code launches is never demoted (spec: seams, 15).
    if (!f.isEntry || f.addressTaken || host.names(f))
      continue;
    f.isEntry = false;
    // Found by the kernel it belonged to, so the name survives the kernel.
    if (f.shared)
      f.shared->owner = nullptr;
  }
}

void markLive(Ctx &ctx) {
  if (ctx.keepsDeadCode())
    return;
  const CallGraph &graph = ctx.callGraph;
  std::vector<bool> reached(graph.componentCount());
  for (Function &f : ctx.functions)
    if (f.isEntry && f.defined)
      reached[graph.component(f)] = true;
  // Callers have larger numbers than their callees.
  for (unsigned c = graph.componentCount(); c-- != 0;)
    if (reached[c])
      for (uint32_t s : graph.successors(c))
        reached[s] = true;
  for (Function &f : ctx.functions)
    f.live = reached[graph.component(f)] || f.addressTaken;

  for (OutputSection *sec : ctx.sections)
    if (sec->owner && !sec->owner->live && !sec->orphan)
      sec->live = false;
  for (OutputSection *sec : ctx.sections)
    if (sec->target && !sec->target->live)
      sec->live = false;
}

} // namespace lld::cuda
