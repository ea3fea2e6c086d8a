//===- NativeCallees.cpp - Calls that the finalizer has made --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Finalize/NativeCallees.h"
#include "Ctx.h"
#include "Input/ObjectFile.h"
#include "Resources.h"

using namespace llvm;
using namespace lld::cuda::elf;

namespace lld::cuda {

bool isNativeCallee(const Symbol &s) {
  return s.kind == Symbol::Kind::NativeCallee;
}

bool namesNativeCalleesOnly(const Ctx &ctx, const InfoRecord &r) {
  if (ctx.nativeCallees->empty() || r.record.code != EIATTR_EXTERNS)
    return false;
  for (unsigned w = 0; w != r.record.wordCount(); ++w)
    if (Symbol *s = r.file->symbols[r.record.word(w)]; s && !isNativeCallee(*s))
      return false;
  return true;
}

bool namesNativeCalleesOnly(const Ctx &ctx, const ObjectFile &obj,
                            unsigned section) {
  return !ctx.nativeCallees->empty() &&
         all_of(obj.relas(section), [&](const Elf_Rela &r) {
           const Symbol *s = obj.symbols[r.getSymbol(false)];
           return s && isNativeCallee(*s);
         });
}

static bool isNativeCall(const KeptRelocation &r) {
  return r.symbol && isNativeCallee(*r.symbol);
}

void moveNativeCallsLast(SmallVectorImpl<KeptRelocation> &kept,
                         bool isReversed) {
  auto calls = std::stable_partition(
      kept.begin(), kept.end(),
      [](const KeptRelocation &r) { return !isNativeCall(r); });
  if (isReversed)
    std::reverse(calls, kept.end());
}

bool hasOnlyNativeCalls(const Ctx &ctx, const OutputSection &sec) {
  return !ctx.nativeCallees->empty() && sec.kind == SectionKind::Rela &&
         !sec.kept.empty() && !(sec.mercury && !sec.mercury->kept.empty()) &&
         all_of(sec.kept, isNativeCall);
}

/// Functions with such calls, in the order of their code. nvlink's finalizer
/// has a thread for each and takes them as they come: of functions whose
/// callees differ, any order can be seen.
static std::vector<Function *> findCallers(const Ctx &ctx) {
  std::vector<Function *> callers;
  for (const OutputSection *sec : ctx.finalSections)
    if (!sec->native && sec->isText() && sec->owner &&
        !ctx.nativeCallees->of(*sec->owner).empty())
      callers.push_back(sec->owner);
  return callers;
}

void forEachNativeCallee(const Ctx &ctx, function_ref<void(Symbol &)> add) {
  if (ctx.nativeCallees->empty())
    return;
  DenseSet<const Symbol *> seen;
  for (const Function *f : findCallers(ctx))
    for (Symbol *s : ctx.nativeCallees->of(*f))
      if (seen.insert(s).second)
        add(*s);
}

static bool callsAnything(const Function &f) {
  return !f.callees.empty() || !f.indirectCalls.empty();
}

/// By caller: the kernels that reach it, as numbers in `native`.
static std::vector<SmallVector<unsigned, 4>>
findReachingKernels(const Ctx &ctx, const Resources &native,
                    ArrayRef<Function *> callers) {
  std::vector<SmallVector<unsigned, 4>> kernels(callers.size());
  std::vector<std::vector<Function *>> items;
  for (Function *f : callers)
    items.push_back({f});
  ctx.callGraph.forEachReachingKernel(
      items, native.kernels,
      [&](unsigned item, unsigned kernel) { kernels[item].push_back(kernel); });
  return kernels;
}

/// Stacks of kernels that call something are counted anew; those of the others
/// only if no function calls anything.
static void settleLeafStacks(const Ctx &ctx, Resources &native,
                             const Resources &mercury) {
  if (none_of(ctx.functions, [](const Function &f) {
        return f.reachable && callsAnything(f);
      }))
    return;
  for (size_t e = 0; e != native.kernels.size(); ++e)
    if (!callsAnything(*native.kernels[e]))
      native.ofKernel[e].minStackSize = mercury.ofKernel[e].minStackSize;
}

/// A callee is added to the lists of all kernels that reach it. What a kernel
/// calls itself gets an edge only if it isn't in the kernel's list by then.
void propagateNativeCallees(Ctx &ctx, Resources &native,
                            const Resources &mercury) {
  if (ctx.nativeCallees->empty())
    return;
  const std::vector<Function *> callers = findCallers(ctx);
  std::vector<SmallVector<unsigned, 4>> reaching(callers.size());
  if (!ctx.isRelocatable()) {
    reaching = findReachingKernels(ctx, native, callers);
    settleLeafStacks(ctx, native, mercury);
  }
  std::vector<SmallDenseSet<const Symbol *, 8>> listed(native.kernels.size());
  for (size_t i = 0; i != callers.size(); ++i) {
    const int32_t own = native.kernelIndex[callers[i]->ordinal];
    const bool isListed = !ctx.isRelocatable() && own >= 0;
    for (Symbol *s : ctx.nativeCallees->of(*callers[i])) {
      if (!isListed || !listed[own].contains(s))
        ctx.nativeCallees->edges.push_back({callers[i], s});
      for (unsigned e : reaching[i])
        if (listed[e].insert(s).second)
          native.ofKernel[e].nativeCallees.push_back(s);
    }
  }
}

} // namespace lld::cuda
