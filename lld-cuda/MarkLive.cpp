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
#include <set>

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
  /// nvcc names a kernel by its mangled name up to the parameters and a '*', so
  /// there are as many patterns as kernels. They are found by the text in front
  /// of the first '*'; few different lengths of it occur.
  struct Patterns {
    DenseSet<CachedHashStringRef> exact;
    DenseMap<CachedHashStringRef, SmallVector<StringRef, 1>> globsByPrefix;
    std::set<size_t> prefixLengths;
  };
  static void add(Patterns &patterns, StringRef list);
  static bool matches(const Patterns &patterns, StringRef name);
  Patterns external, internal;
};

} // namespace

void HostReferences::add(Patterns &patterns, StringRef list) {
  for (StringRef name : splitNames(list)) {
    auto [prefix, rest] = name.split('*');
    if (prefix.size() == name.size()) {
      patterns.exact.insert(CachedHashStringRef(name));
      continue;
    }
    patterns.prefixLengths.insert(prefix.size());
    SmallVector<StringRef, 1> &globs =
        patterns.globsByPrefix[CachedHashStringRef(prefix)];
    if (!is_contained(globs, rest))
      globs.push_back(rest);
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

/// Whether `name`, of which the text in front of a pattern's first '*' is gone,
/// matches what follows that '*'.
static bool matchesRest(StringRef rest, StringRef name) {
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
  for (size_t length : patterns.prefixLengths) {
    if (length > name.size())
      break;
    auto it = patterns.globsByPrefix.find(
        CachedHashStringRef(name.take_front(length)));
    if (it == patterns.globsByPrefix.end())
      continue;
    StringRef tail = name.drop_front(length);
    if (any_of(it->second,
               [&](StringRef rest) { return matchesRest(rest, tail); }))
      return true;
  }
  return false;
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

/// -e: the kernels that it doesn't name aren't entries.
static void keepNamedEntries(Ctx &ctx) {
  DenseSet<StringRef> names;
  for (const std::string &name : ctx.config.lld.entryNames) {
    names.insert(name);
    Symbol *s = ctx.named.lookup(CachedHashStringRef(name));
    if (!s || !s->defined || !s->isFunction() ||
        !static_cast<Function *>(s)->isKernel())
      ctx.diag.error("no kernel with the name '" + name + "', given with -e");
  }
  for (Function &f : ctx.functions) {
    if (!f.isEntry || names.contains(f.name))
      continue;
    f.isEntry = false;
    if (f.shared)
      f.shared->owner = nullptr;
  }
}

/// -u and --require-defined: functions that stay though nobody refers to them.
static void markNamedFunctions(Ctx &ctx, std::vector<bool> &reached) {
  auto mark = [&](StringRef name) {
    Symbol *s = ctx.named.lookup(CachedHashStringRef(name));
    if (s && s->defined && s->isFunction())
      reached[ctx.callGraph.component(*static_cast<Function *>(s))] = true;
    return s && s->defined;
  };
  for (const std::string &name : ctx.config.lld.undefinedNames)
    mark(name);
  for (const std::string &name : ctx.config.lld.requiredNames)
    if (!mark(name))
      ctx.diag.error("undefined symbol: " + ctx.diag.display(name) +
                     ", which --require-defined asks for");
}

void demoteUnusedEntries(Ctx &ctx) {
  restoreLaunchedEntries(ctx);
  ctx.prunesKernels = ctx.config.hasKernelFilter() && !ctx.isRelocatable() &&
                      !ctx.keepsDebugShared();
  for (Function &f : ctx.functions)
    if (f.defined && f.shared && (f.addressTaken || ctx.keepsDeadCode()))
      f.shared->owner = &f;
  if (!ctx.config.lld.entryNames.empty() && !ctx.isRelocatable())
    return keepNamedEntries(ctx);
  if (ctx.keepsDeadCode() || ctx.config.ignoreHostInfo ||
      ctx.config.hasKernelFilter())
    return;
  HostReferences host;
  if (!host.collect(ctx))
    return;
  ctx.prunesKernels = true;
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
  if (ctx.keepsDeadCode() || !ctx.config.lld.gcSections)
    return;
  const CallGraph &graph = ctx.callGraph;
  std::vector<bool> reached(graph.componentCount());
  for (Function &f : ctx.functions)
    if (f.isEntry && f.defined)
      reached[graph.component(f)] = true;
  markNamedFunctions(ctx, reached);
  // Callers have larger numbers than their callees.
  for (unsigned c = graph.componentCount(); c-- != 0;)
    if (reached[c])
      for (uint32_t s : graph.successors(c))
        reached[s] = true;
  for (Function &f : ctx.functions) {
    f.isOnlyTaken = f.addressTaken && !reached[graph.component(f)];
    f.live = reached[graph.component(f)] || f.addressTaken;
  }

  for (OutputSection *sec : ctx.sections)
    if (sec->owner && !sec->owner->live && !sec->orphan)
      sec->live = false;
  for (OutputSection *sec : ctx.sections)
    if (sec->target && !sec->target->live)
      sec->live = false;
}

} // namespace lld::cuda
