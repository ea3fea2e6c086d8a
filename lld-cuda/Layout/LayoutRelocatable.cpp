//===- LayoutRelocatable.cpp - Shared memory and undefined data with -r ---===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// layoutSharedRelocatable() does with -r what layoutShared() does in a final
/// link; layoutShared() calls it, when it is known which shared variables each
/// function uses. No shared variable gets an address: symbols keep their
/// alignment as value, as in the compiler's objects. Sections get a size that
/// only tells how much is in them [relocatable-shared-sizes].
///
/// nvlink replaces the extern shared arrays that a kernel uses by one symbol,
/// `externsharedinstance`, at the end of the kernel's own variables, and
/// resolves what device functions refer to. No later link can undo that, so by
/// default arrays stay undefined and commons common, as the compiler writes
/// them. Then a later link places variables as if it saw the first inputs,
/// provided that it meets them in the same order.
///
//===----------------------------------------------------------------------===//

#include "Inputs.h"
#include "Passes.h"
#include "Program.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace lld::cuda::elf;

namespace lld::cuda {

constexpr uint64_t DynamicAlign = 16;

namespace {

class RelocatableShared {
public:
  explicit RelocatableShared(const Inputs &inputs, Program &program)
      : inputs(inputs), program(program) {}
  void run();

private:
  void sizeSections();
  void createInstances();
  void createInstance(Function &f, uint64_t offset);
  void alignEmptySections();
  void placeArrays();

  const Inputs &inputs;
  Program &program;
  uint64_t moduleAlign = 1; ///< Of all static module-level variables.
  uint64_t moduleTotal = 0;
};

} // namespace

/// The compiler and nvlink use one formula; it leaves room for the alignment
/// of small sections only [relocatable-shared-sizes].
static uint64_t sectionSize(uint64_t total, uint64_t align) {
  return total > align ? total : total + align;
}

static uint64_t totalOf(ArrayRef<Variable *> variables) {
  uint64_t total = 0;
  for (Variable *v : variables)
    total += v->size;
  return total;
}

void RelocatableShared::run() {
  for (const SharedListEntry &e : program.sharedList) {
    moduleTotal += e.variable->size;
    if (!e.variable->isDynamicShared())
      moduleAlign = std::max(moduleAlign, e.align);
    else if (program.debugShared && inputs.rules.placesDynamicShared() &&
             isPowerOf2_64(e.variable->value)) {
      // An instance of an earlier -r: its offset is taken for its alignment.
      moduleAlign = std::max(moduleAlign, e.variable->value);
      program.debugShared->align =
          std::max(program.debugShared->align, e.variable->value);
    }
  }
  sizeSections();
  if (!inputs.rules.placesDynamicShared())
    return;
  createInstances();
  alignEmptySections();
  placeArrays();
}

void RelocatableShared::sizeSections() {
  if (program.debugShared && program.debugShared->contributed) {
    program.debugShared->size =
        sectionSize(moduleTotal, program.debugShared->align);
  }
  for (Function &f : program.functions) {
    if (!f.shared || !f.shared->contributed)
      continue;
    // The alignment is that of all files' variables together.
    if (inputs.rules.placesDynamicShared())
      f.shared->align = std::max(f.shared->align, moduleAlign);
    f.shared->size = sectionSize(totalOf(f.ownShared), f.shared->align);
  }
}

static SmallVector<Variable *, 4> arraysOf(const Function &f) {
  SmallVector<Variable *, 4> arrays;
  copy_if(f.sharedUses, std::back_inserter(arrays),
          [](Variable *v) { return v->isDynamicShared(); });
  return arrays;
}

/// --kernels-used doesn't count here [kernels-used]; a kernel that it leaves
/// out may have no section yet.
void RelocatableShared::createInstances() {
  std::vector<std::pair<Function *, SmallVector<Variable *, 4>>> users;
  for (Function &f : program.functions)
    if (f.isKernel() && f.defined)
      if (SmallVector<Variable *, 4> arrays = arraysOf(f); !arrays.empty())
        users.push_back({&f, std::move(arrays)});
  // The debugger gets the arrays' own symbols. Then arrays that one kernel uses
  // itself share an offset: behind the largest of all of their users' own
  // variables.
  EquivalenceClasses<Variable *> together;
  DenseMap<Variable *, uint64_t> offsets; // By leader.
  auto alignmentOf = [&](ArrayRef<Variable *> arrays) {
    uint64_t align = 0;
    for (Variable *v : arrays)
      align = std::max(align, getDynamicAlignment(inputs, *v));
    return align;
  };
  // An array that says its alignment takes room even where it stands alone, but
  // not where it keeps its symbol [shared-dynamic-alignment].
  auto endOfOwn = [&](const Function &f, ArrayRef<Variable *> arrays) {
    // [shared-dynamic-first-array]
    const uint64_t align = inputs.rules.alignsForFirstArray()
                               ? getDynamicAlignment(inputs, *arrays.front())
                               : alignmentOf(arrays);
    const bool isDeclared =
        !inputs.keepsDebugShared() && any_of(arrays, [&](const Variable *v) {
          return getDeclaredAlignment(inputs, *v) > 1;
        });
    return std::max(alignTo(totalOf(f.ownShared), align),
                    inputs.config.reserveNullPointer || isDeclared ? align : 0);
  };
  if (inputs.keepsDebugShared()) {
    for (auto &[f, arrays] : users)
      for (Variable *v : arrays)
        together.unionSets(arrays.front(), v);
    for (auto &[f, arrays] : users) {
      uint64_t &offset = offsets[together.getLeaderValue(arrays.front())];
      offset = std::max(offset, endOfOwn(*f, arrays));
    }
  }
  for (auto &[f, arrays] : users) {
    const uint64_t align = alignmentOf(arrays);
    uint64_t offset = endOfOwn(*f, arrays);
    if (inputs.keepsDebugShared()) {
      offset = offsets[together.getLeaderValue(arrays.front())];
      for (Variable *v : arrays)
        v->value = offset;
    } else {
      createInstance(*f, offset);
    }
    if (!f->shared)
      f->shared = createSharedSection(inputs, program, *f);
    // An empty section has the alignment of all [shared-empty-sections], but
    // those that were made too late.
    f->shared->laidOut = offset || moduleAlign <= DynamicAlign || !f->isCounted;
    f->shared->contributed |= offset != 0;
    f->shared->align =
        std::max({f->shared->align, align, offset ? moduleAlign : 0});
    const uint64_t total = inputs.rules.alignsDynamicShared()
                               ? alignTo(offset, f->shared->align)
                               : offset;
    f->shared->size = sectionSize(total, f->shared->align);
  }
  if (!inputs.keepsDebugShared())
    return;
  // One that nobody uses any more, after an earlier -r, is at 0.
  for (const SharedListEntry &e : program.sharedList)
    if (e.variable->isDynamicShared() &&
        together.findValue(e.variable) == together.end())
      e.variable->value = 0;
}

void RelocatableShared::createInstance(Function &f, uint64_t offset) {
  constexpr uint8_t Other = STO_CUDA_SHARED | STV_INTERNAL;
  Variable &v = program.variables.emplace_back("externsharedinstance", STB_WEAK,
                                               STT_CUDA_OBJECT, Other);
  v.value = offset;
  program.symbolList(inputs.rules, STB_WEAK).push_back(&v);
  f.externSharedInstance = &v;
}

/// As in a final link, an extern array anywhere gives all kernels without
/// variables of their own an empty section, which stays if it is aligned to 16
/// [shared-empty-sections]. The sections of kernels that
/// --kernels-used leaves out were made too late for that.
void RelocatableShared::alignEmptySections() {
  if (!program.anyDynamicShared || moduleAlign != DynamicAlign)
    return;
  for (Function *k : program.kernels()) {
    if (!k->shared || !k->isCounted || k->shared->contributed)
      continue;
    k->shared->align = moduleAlign;
    k->shared->size = DynamicAlign;
    k->shared->laidOut = true;
  }
}

/// Arrays are formally defined at the start of .nv_debug.shared.
void RelocatableShared::placeArrays() {
  OutputSection *sec = program.debugShared;
  if (!sec || !program.anyDynamicShared)
    return;
  sec->align = std::max(sec->align, DynamicAlign);
  sec->laidOut = true;
  sec->size = sectionSize(sec->contributed ? moduleTotal : 0, sec->align);
  for (const SharedListEntry &e : program.sharedList)
    if (e.variable->isDynamicShared())
      e.variable->section = sec;
}

/// Variables that stay undefined get the value -1; textures and what the driver
/// defines keep theirs [relocatable-resolves-references].
static void markUndefined(const Program &program) {
  for (Symbol *s : program.globals) {
    if (!s->isVariable() || s->defined || s->type != STT_CUDA_OBJECT)
      continue;
    auto &v = static_cast<Variable &>(*s);
    if (!v.isReserved && !v.isDynamicShared())
      v.value = ~uint64_t(0);
  }
}

/// Module-level shared variables in the order in which a layout lists them.
static std::vector<Symbol *> listShared(const Program &program) {
  std::vector<Symbol *> result;
  DenseSet<Variable *> seen;
  for (const SharedListEntry &e : program.sharedList)
    if (seen.insert(e.variable).second)
      result.push_back(e.variable);
  return result;
}

/// Where symbols stand decides the tie between variables of equal size. If
/// local ones would overtake others, all stand after the local symbols, as
/// weak ones do anyway.
static void orderShared(Program &program) {
  std::vector<Symbol *> wanted = listShared(program);
  DenseSet<Symbol *> isListed(wanted.begin(), wanted.end());
  std::vector<Symbol *> found;
  for (std::vector<Symbol *> *list : {&program.locals, &program.globals})
    copy_if(*list, std::back_inserter(found),
            [&](Symbol *s) { return isListed.contains(s); });
  if (found == wanted)
    return;
  for (std::vector<Symbol *> *list : {&program.locals, &program.globals})
    erase_if(*list, [&](Symbol *s) { return isListed.contains(s); });
  append_range(program.locals, wanted);
}

/// Commons are placed in the order in which they became common.
static void orderCommons(Program &program) {
  auto isCommon = [](Symbol *s) {
    return s->isVariable() && static_cast<Variable *>(s)->isCommon &&
           !s->section;
  };
  DenseSet<Symbol *> found;
  for (Symbol *s : program.globals)
    if (isCommon(s))
      found.insert(s);
  std::vector<Symbol *> wanted;
  for (Variable *v : program.commons)
    if (found.erase(v))
      wanted.push_back(v);
  auto next = wanted.begin();
  for (Symbol *&s : program.globals)
    if (isCommon(s) && next != wanted.end())
      s = *next++;
}

/// .nv.constant2 of a rejected definition alone belongs to no code.
static void dropOrphans(const Program &program) {
  for (OutputSection *sec : program.sections)
    if (sec->orphan)
      sec->reachable = false;
}

void layoutSharedRelocatable(const Inputs &inputs, Program &program) {
  RelocatableShared(inputs, program).run();
  if (inputs.rules.resolvesReferences())
    markUndefined(program);
  if (!inputs.rules.keepsSymbolOrder()) {
    orderShared(program);
    orderCommons(program);
  }
  if (!inputs.rules.keepsOrphanConstants())
    dropOrphans(program);
}

} // namespace lld::cuda
