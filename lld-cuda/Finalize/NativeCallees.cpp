//===- NativeCallees.cpp - Calls that the finalizer has made --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Finalize/NativeCallees.h"
#include "Input/ObjectFile.h"
#include "Numbered.h"
#include "Program.h"
#include "Resources.h"

using namespace llvm;
using namespace lld::cuda::elf;

namespace lld::cuda {

bool isNativeCallee(const Symbol &s) {
  return s.kind == Symbol::Kind::NativeCallee;
}

bool namesNativeCalleesOnly(const Program &program, const InfoRecord &r) {
  if (program.nativeCallees->empty() || r.record.code != EIATTR_EXTERNS)
    return false;
  for (unsigned w = 0; w != r.record.wordCount(); ++w)
    if (Symbol *s = r.file->symbols[r.record.word(w)]; s && !isNativeCallee(*s))
      return false;
  return true;
}

bool namesNativeCalleesOnly(const Program &program, const ObjectFile &obj,
                            unsigned section) {
  return !program.nativeCallees->empty() &&
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

bool hasOnlyNativeCalls(const Program &program, const OutputSection &sec) {
  return !program.nativeCallees->empty() && sec.kind == SectionKind::Rela &&
         !sec.kept.empty() && !(sec.mercury && !sec.mercury->kept.empty()) &&
         all_of(sec.kept, isNativeCall);
}

/// Functions with such calls, in the order of their code. nvlink's finalizer
/// has a thread for each and takes them as they come: of functions whose
/// callees differ, any order can be seen.
static std::vector<Function *> findCallers(const Program &program,
                                           const Numbered &numbered) {
  std::vector<Function *> callers;
  for (const OutputSection *sec : numbered.finalSections)
    if (!sec->native && sec->isText() && sec->owner &&
        !program.nativeCallees->of(*sec->owner).empty())
      callers.push_back(sec->owner);
  return callers;
}

void forEachNativeCallee(const Program &program, const Numbered &numbered,
                         function_ref<void(Symbol &)> add) {
  if (program.nativeCallees->empty())
    return;
  DenseSet<const Symbol *> seen;
  for (const Function *f : findCallers(program, numbered))
    for (Symbol *s : program.nativeCallees->of(*f))
      if (seen.insert(s).second)
        add(*s);
}

static bool callsAnything(const Function &f) {
  return !f.callees.empty() || !f.indirectCalls.empty();
}

/// By caller: the kernels that reach it, as numbers in `native`.
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

/// Stacks of kernels that call something are counted anew; those of the others
/// only if no function calls anything.
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
  const std::vector<Function *> callers = findCallers(program, numbered);
  std::vector<SmallVector<unsigned, 4>> reaching(callers.size());
  if (!inputs.isRelocatable()) {
    reaching = findReachingKernels(program, native, callers);
    settleLeafStacks(program, native, mercury);
  }
  std::vector<SmallDenseSet<const Symbol *, 8>> listed(native.kernels.size());
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
