//===- ExplainMemory.cpp - What fills a memory ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Ctx.h"
#include "Explain/Explain.h"
#include "Explain/SourcePlaces.h"
#include "Input/ObjectFile.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;
using namespace lld::cuda::elf;

namespace lld::cuda {

namespace {
struct Contributor {
  const Variable *variable;
  const Function *user; ///< Null: not to be shown.
};
} // namespace

static void explainContributors(Ctx &ctx, std::vector<Contributor> &list,
                                uint64_t size, uint64_t limit) {
  constexpr size_t MaxShown = 10;
  llvm::stable_sort(list, [](const Contributor &a, const Contributor &b) {
    return a.variable->size > b.variable->size;
  });
  ctx.diag.explain(Twine(size - limit) + " bytes too many; the largest:");
  for (size_t i = 0; i != std::min(list.size(), MaxShown); ++i) {
    const Variable &v = *list[i].variable;
    std::string text =
        formatv("{0,10} bytes  {1} in '{2}'", v.size, ctx.diag.display(v.name),
                ctx.objects[v.definedIn].label);
    std::optional<SourceLine> place = SourcePlaces::of(ctx).definition(v);
    text += describePlace(" (", place, ")");
    if (list[i].user) {
      text += ", used by " + ctx.diag.display(list[i].user->name);
      // Without .debug_info the first use is the nearest.
      if (!place) {
        place = SourcePlaces::of(ctx).reference(*list[i].user, v);
        text += describePlace(" (", place, ")");
      }
    }
    ctx.diag.explain(text, orNull(place));
  }
  if (list.size() > MaxShown)
    ctx.diag.explain("and " + Twine(list.size() - MaxShown) + " more");
}

void explainSharedMemory(Ctx &ctx, const Function &kernel, uint64_t size,
                         uint64_t limit) {
  if (!ctx.diag.explains(DiagId::SharedLimit))
    return;
  std::vector<Contributor> list;
  DenseSet<const Variable *> seen;
  auto add = [&](const Variable *v, const Function &user) {
    if (v->size && seen.insert(v).second)
      list.push_back({v, &user});
  };
  for (const Variable *v : kernel.ownShared)
    add(v, kernel);
  for (const Function *f : ctx.callGraph.reachable(kernel))
    for (const Variable *v : f->sharedUses)
      add(v, *f);
  explainContributors(ctx, list, size, limit);
}

/// The arrays of a kernel's body are local, so that each copy of a weak kernel
/// brings its own, and all of them are allocated [shared-of-weak-kernels].
void warnDuplicateShared(Ctx &ctx) {
  if (ctx.isRelocatable() || !ctx.config.explain)
    return;
  for (Function &f : ctx.functions) {
    if (!f.isCounted || !f.reachable || f.ownShared.size() < 2)
      continue;
    uint64_t all = 0, own = 0;
    SmallVector<uint32_t> files;
    for (const Variable *v : f.ownShared) {
      all += v->size;
      if (v->definedIn == f.definedIn)
        own += v->size;
      if (files.empty() || files.back() != v->definedIn)
        files.push_back(v->definedIn);
    }
    if (own == all)
      continue;
    ctx.diag.report(DiagId::DuplicateShared,
                    {"Kernel ", diag::symbol(f.name), " has ", all,
                     " bytes of shared memory instead of ", own, ": its ",
                     files.size(), " copies each bring their own"});
    for (uint32_t file : ArrayRef(files).take_front(4))
      ctx.diag.explain("copy in '" + ctx.objects[file].label + "'");
    if (files.size() > 4)
      ctx.diag.explain("and " + Twine(files.size() - 4) + " more");
    ctx.diag.explain("make the arrays weak module-scope variables, as nvcc "
                     "does, or compile the kernel once");
  }
}

void explainCompilerConstants(Ctx &ctx, const Function &kernel,
                              uint64_t limit) {
  if (!ctx.diag.explains())
    return;
  std::vector<std::pair<uint64_t, const Function *>> list;
  for (const Function *f : ctx.callGraph.reachable(kernel))
    if (f != &kernel && f->constant2 && f->constant2->size)
      list.push_back({f->constant2->size, f});
  llvm::stable_sort(
      list, [](const auto &a, const auto &b) { return a.first > b.first; });
  const uint64_t size = kernel.constant2->size;
  ctx.diag.explain(Twine(size > limit ? size - limit : 0) +
                   " bytes too many; the functions with the most:");
  constexpr size_t MaxShown = 10;
  for (auto [bytes, f] : ArrayRef(list).take_front(MaxShown)) {
    const auto place = SourcePlaces::of(ctx).definition(*f);
    ctx.diag.explain(formatv("{0,10} bytes  {1} in '{2}'{3}", bytes,
                             ctx.diag.display(f->name),
                             ctx.objects[f->definedIn].label,
                             describePlace(" (", place, ")"))
                         .str(),
                     orNull(place));
  }
}

void explainSection(Ctx &ctx, const OutputSection &section, uint64_t limit) {
  if (!ctx.diag.explains())
    return;
  std::vector<Contributor> list;
  for (const Variable &v : ctx.variables)
    if (v.section == &section && v.size && !v.isLeftOut)
      list.push_back({&v, nullptr});
  explainContributors(ctx, list, section.size, limit);
}

} // namespace lld::cuda
