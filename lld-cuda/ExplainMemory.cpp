//===- ExplainMemory.cpp - What fills a memory ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Ctx.h"
#include "Explain.h"
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
    if (list[i].user)
      text += ", used by " + ctx.diag.display(list[i].user->name);
    ctx.diag.explain(text);
  }
  if (list.size() > MaxShown)
    ctx.diag.explain("and " + Twine(list.size() - MaxShown) + " more");
}

void explainSharedMemory(Ctx &ctx, const Function &entry, uint64_t size,
                         uint64_t limit) {
  if (!ctx.diag.explains())
    return;
  std::vector<Contributor> list;
  DenseSet<const Variable *> seen;
  auto add = [&](const Variable *v, const Function &user) {
    if (v->size && seen.insert(v).second)
      list.push_back({v, &user});
  };
  for (const Variable *v : entry.ownShared)
    add(v, entry);
  for (const Function *f : ctx.callGraph.reachable(entry))
    for (const Variable *v : f->sharedUses)
      add(v, *f);
  explainContributors(ctx, list, size, limit);
}

void explainSection(Ctx &ctx, const OutputSection &section, uint64_t limit) {
  if (!ctx.diag.explains())
    return;
  std::vector<Contributor> list;
  for (const Variable &v : ctx.variables)
    if (v.section == &section && v.size)
      list.push_back({&v, nullptr});
  explainContributors(ctx, list, section.size, limit);
}

} // namespace lld::cuda
