//===- NativeCallees.cpp - Calls that only native code has ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// These functions say which symbols, records and relocations are about native
/// callees, the functions __cuda_syscall_bw_* that only native code of sm_107
/// and later calls (NativeCallees.h). The merge collects callees by their
/// callers; the passes that number symbols, write records and order relocations
/// ask here, since nvlink's finalizer adds these calls behind everything else
/// [native-callees]. forEachNativeCallee() gives the callees in the order of
/// the code that calls them, which needs the numbers of sections. Links without
/// such callees ask one flag, empty(), and do no more.
///
//===----------------------------------------------------------------------===//

#include "Merge/NativeCallees.h"
#include "Input/ObjectFile.h"
#include "Numbered.h"
#include "Program.h"

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

void moveNativeCallsLast(MutableArrayRef<KeptRelocation> kept,
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

std::vector<Function *> findNativeCallers(const Program &program,
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
  for (const Function *f : findNativeCallers(program, numbered))
    for (Symbol *s : program.nativeCallees->of(*f))
      if (seen.insert(s).second)
        add(*s);
}

} // namespace lld::cuda
