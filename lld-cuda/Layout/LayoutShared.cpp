//===- LayoutShared.cpp - Shared memory of a final link -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// layoutShared() gives each shared variable its address in a kernel's shared
/// memory, and kernels' sections their sizes [shared-module-level],
/// [shared-dynamic]. layoutImage() in Link.cpp calls it after
/// scanRelocations(), which has found the variables that each function uses.
/// Errors for kernels that need more than the architecture has come from here.
///
/// Module-level variables are sorted by size. One that a single kernel uses
/// moves into that kernel's own section; the others are coloured greedily:
/// variables that no kernel uses together share a group, and so an address.
/// Groups are laid end to end from 0; a kernel's own variables follow the last
/// of the module-level variables that it uses. Dynamic arrays come last, at one
/// offset for all kernels that share a function using them.
///
/// Code sees addresses without the part of shared memory that is reserved;
/// symbols and section sizes of sm_90 and later count it in.
///
//===----------------------------------------------------------------------===//

#include "Companions.h"
#include "Explain/Explain.h"
#include "Input/ObjectFile.h"
#include "Inputs.h"
#include "Layout.h"
#include "Layout/ListSort.h"
#include "Passes.h"
#include "Program.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace llvm;
using namespace lld::cuda::elf;

namespace lld::cuda {

namespace {

/// A variable in one of the lists; a symbol may have two (a strong definition
/// after a weak one), the one placed last counts.
struct SharedCandidate {
  Variable *variable;
  uint64_t size, align;
  ArrayRef<uint32_t> users; ///< Indices of kernels.
};

/// Shared memory of one kernel while it is laid out.
struct KernelShared {
  bool exists = false;
  uint64_t size = 0;
  uint64_t align = 1;
  uint64_t moduleEnd = 0; ///< End of the module-level variables it uses.
  bool usesModule = false;
  std::vector<SharedCandidate> own;
};

class SharedLayout {
public:
  explicit SharedLayout(const Inputs &inputs, Program &program);
  void run();

private:
  /// forEachReachingKernel() over all kernels; one that --kernels-used left out
  /// counts for its own code only, not for what it calls.
  void forEachReachingKernel(
      ArrayRef<std::vector<Function *>> carriers,
      function_ref<void(unsigned item, unsigned kernel)> visit) const;
  void findUsers();
  void distribute();
  void placeGroups();
  void placeKernels();
  void placeDynamic();
  void checkLimits();
  void emitSections();
  void emitDebugShared();
  void put(Variable &v, OutputSection *sec, uint64_t address);
  void make(size_t kernel);
  uint64_t reserved() const;

  const Inputs &inputs;
  Program &program;
  std::vector<Function *> kernels;  ///< All kernels that stay.
  std::vector<KernelShared> shared; ///< By kernel.
  std::vector<uint32_t> users; ///< Of module-level variables, one's after the
                               ///< other's.
  std::vector<SharedCandidate> module; ///< Module-level list, reading order.
  std::vector<SharedCandidate>
      common; ///< Of these, the ones with a common address.
  std::vector<std::vector<uint32_t>> groups; ///< Indices into `common`.
  uint64_t moduleAlign = 1; ///< Of all module-level variables, used or not.
  uint64_t moduleEnd = 0;
  unsigned unnamed = 0; ///< Sections without variables.
};

} // namespace

uint64_t getDeclaredAlignment(const Inputs &inputs, const Variable &v) {
  constexpr uint64_t Largest = uint64_t(1) << 32;
  return inputs.rules.alignsDynamicShared() && isPowerOf2_64(v.value) &&
                 v.value <= Largest
             ? v.value
             : 1;
}

uint64_t getDynamicAlignment(const Inputs &inputs, const Variable &v) {
  constexpr uint64_t Least = 16;
  return std::max(Least, getDeclaredAlignment(inputs, v));
}

/// Returns the largest alignment of all arrays that a function uses.
static uint64_t getDynamicAlignment(const Inputs &inputs, const Function &f) {
  uint64_t align = 1;
  for (const Variable *v : f.sharedUses)
    if (v->isDynamicShared())
      align = std::max(align, getDynamicAlignment(inputs, *v));
  return align;
}

/// Adds a user to those of an offset that has the alignment so far; 0: none yet
/// [shared-dynamic-first-array].
static void joinAlignment(const Inputs &inputs, uint64_t &align,
                          const Function &f) {
  if (!inputs.rules.alignsForFirstArray())
    align = std::max(align, getDynamicAlignment(inputs, f));
  else if (!align)
    align =
        getDynamicAlignment(inputs, **find_if(f.sharedUses, [](Variable *v) {
                              return v->isDynamicShared();
                            }));
}

SharedLayout::SharedLayout(const Inputs &inputs, Program &program)
    : inputs(inputs), program(program) {
  kernels = program.kernels();
  shared.resize(kernels.size());
  for (const SharedListEntry &e : program.sharedList) {
    module.push_back({e.variable, e.size, e.align, {}});
    moduleAlign =
        std::max(moduleAlign, e.variable->isDynamicShared()
                                  ? getDeclaredAlignment(inputs, *e.variable)
                                  : e.align);
  }
}

uint64_t SharedLayout::reserved() const {
  if (inputs.config.disableSmemReservation)
    return 0;
  return getArchitectureLimits(inputs.sm())->reservedShared;
}

void SharedLayout::put(Variable &v, OutputSection *sec, uint64_t address) {
  v.address = address;
  v.section = sec;
  v.value = address + reserved();
  // All of these are symbol 0, which gets the first one's place. Each adds what
  // is reserved, from sm_100 on the finalizer does [shared-without-variables].
  if (v.name.empty()) {
    if (!unnamed++)
      program.nullSymbolValue = address;
    if (!inputs.isMercury())
      program.nullSymbolValue += reserved();
  }
}

/// The kernel gets a section. Kernels that --kernels-used left out had none so
/// far.
void SharedLayout::make(size_t kernel) {
  shared[kernel].exists = true;
  Function &f = *kernels[kernel];
  if (!getSharedSection(inputs, program, f))
    f.shared = createSharedSection(inputs, program, f);
}

void SharedLayout::run() {
  findUsers();
  distribute();
  placeGroups();
  placeKernels();
  placeDynamic();
  // An extern array anywhere gives every kernel an empty section when the
  // module-level alignment is at least 16 [shared-empty-sections]. Kernels
  // that --kernels-used left out are none.
  if (program.anyDynamicShared && !groups.empty() && moduleAlign >= 16)
    for (size_t i = 0; i != kernels.size(); ++i)
      if (!shared[i].exists && kernels[i]->isCounted) {
        make(i);
        shared[i].align = moduleAlign;
      }
  checkLimits();
  emitSections();
  emitDebugShared();
}

void SharedLayout::forEachReachingKernel(
    ArrayRef<std::vector<Function *>> carriers,
    function_ref<void(unsigned item, unsigned kernel)> visit) const {
  DenseMap<Function *, uint32_t> leftOut;
  std::vector<Function *> counted;
  std::vector<uint32_t> indexOf;
  for (size_t i = 0; i != kernels.size(); ++i) {
    if (!kernels[i]->isCounted) {
      leftOut[kernels[i]] = i;
      continue;
    }
    counted.push_back(kernels[i]);
    indexOf.push_back(i);
  }
  program.callGraph.forEachReachingKernel(
      carriers, counted,
      [&](unsigned item, unsigned kernel) { visit(item, indexOf[kernel]); });
  if (leftOut.empty())
    return;
  for (size_t item = 0; item != carriers.size(); ++item)
    for (Function *f : carriers[item])
      if (auto it = leftOut.find(f); it != leftOut.end())
        visit(item, it->second);
}

void SharedLayout::findUsers() {
  if (module.empty())
    return;
  DenseMap<Variable *, uint32_t> itemOf;
  std::vector<std::vector<Function *>> carriers;
  for (SharedCandidate &p : module)
    if (!p.variable->isDynamicShared() &&
        itemOf.try_emplace(p.variable, carriers.size()).second)
      carriers.emplace_back();
  for (Function &f : program.functions)
    for (Variable *v : f.sharedUses)
      if (auto it = itemOf.find(v); it != itemOf.end())
        carriers[it->second].push_back(&f);
  std::vector<std::pair<uint32_t, uint32_t>> found; // Item and kernel.
  std::vector<uint32_t> ends(carriers.size());
  forEachReachingKernel(carriers, [&](unsigned item, unsigned kernel) {
    found.push_back({item, kernel});
    ++ends[item];
  });
  std::partial_sum(ends.begin(), ends.end(), ends.begin());
  std::vector<uint32_t> begins(ends);
  users.resize(found.size());
  for (auto [item, kernel] : reverse(found))
    users[--begins[item]] = kernel;
  for (SharedCandidate &p : module)
    if (auto it = itemOf.find(p.variable); it != itemOf.end())
      p.users = ArrayRef(users).slice(begins[it->second],
                                      ends[it->second] - begins[it->second]);
}

/// A variable that nothing refers to, not even dead code, gets no address.
void SharedLayout::distribute() {
  DenseSet<Variable *> referenced;
  for (Function &f : program.functions)
    referenced.insert(f.sharedUses.begin(), f.sharedUses.end());
  sortLikeNvlink(module, bySize<SharedCandidate>);
  for (SharedCandidate &p : module) {
    if (p.variable->isDynamicShared() || !referenced.contains(p.variable))
      continue;
    if (p.users.size() == 1) {
      // Only this kernel uses the variable [symbol-order-weak].
      if (inputs.rules.weakStandsWithGlobals())
        p.variable->binding = STB_LOCAL;
      shared[p.users[0]].own.push_back(p);
    } else {
      common.push_back(p);
    }
  }
}

/// Greedy colouring in list order: the first group none of whose members has a
/// user in common. `taken` keeps, for every kernel, the groups it is in.
void SharedLayout::placeGroups() {
  std::vector<BitVector> taken(common.empty() ? 0 : kernels.size());
  BitVector conflicts;
  for (uint32_t i = 0; i != common.size(); ++i) {
    conflicts.reset();
    for (uint32_t e : common[i].users)
      conflicts |= taken[e];
    int free = conflicts.find_first_unset();
    uint32_t group = free < 0 ? conflicts.size() : free;
    if (group >= groups.size())
      groups.resize(group + 1);
    groups[group].push_back(i);
    for (uint32_t e : common[i].users) {
      if (taken[e].size() <= group)
        taken[e].resize(group + 1);
      taken[e].set(group);
    }
  }
  uint64_t cursor = inputs.config.reserveNullPointer && !groups.empty() ? 1 : 0;
  for (const std::vector<uint32_t> &group : groups) {
    uint64_t align = 1, size = 0;
    for (uint32_t i : group) {
      align = std::max(align, common[i].align);
      size = std::max(size, common[i].size);
    }
    cursor = alignTo(cursor, align);
    for (uint32_t i : group) {
      put(*common[i].variable, program.debugShared, cursor);
      for (uint32_t e : common[i].users) {
        shared[e].usesModule = true;
        shared[e].moduleEnd =
            std::max(shared[e].moduleEnd, cursor + common[i].size);
      }
    }
    cursor += size;
  }
  moduleEnd = cursor;
}

void SharedLayout::placeKernels() {
  std::vector<SharedCandidate> list;
  for (size_t i = 0; i != kernels.size(); ++i) {
    KernelShared &e = shared[i];
    list.clear();
    for (Variable *v : kernels[i]->ownShared)
      list.push_back({v, v->size, v->alignment, {}});
    append_range(list, e.own);
    if (!e.usesModule && list.empty())
      continue;
    make(i);
    uint64_t cursor = e.moduleEnd;
    if (!e.usesModule && inputs.config.reserveNullPointer)
      cursor = 1;
    if (!groups.empty())
      e.align = moduleAlign;
    sortLikeNvlink(list, byAlignment<SharedCandidate>);
    for (SharedCandidate &p : list) {
      e.align = std::max(e.align, p.align);
      cursor = alignTo(cursor, std::max<uint64_t>(p.align, 1));
      put(*p.variable, kernels[i]->shared, cursor);
      cursor += p.size;
    }
    e.size = cursor;
  }
}

/// Functions that use a dynamic array, as their definitions were read.
static std::vector<Function *> findDynamicUsers(const Inputs &inputs,
                                                Program &program) {
  std::vector<Function *> users;
  for (Function &f : program.functions)
    if (any_of(f.sharedUses, [](Variable *v) { return v->isDynamicShared(); }))
      users.push_back(&f);
  if (users.size() < 2 || !inputs.rules.alignsForFirstArray())
    return users;
  DenseMap<const Symbol *, std::pair<uint32_t, uint32_t>> placeOf;
  for (const Function *f : users) {
    const ObjectFile &obj = program.objects[f->definedIn];
    if (!placeOf.count(f))
      for (auto [i, s] : enumerate(obj.symbols))
        if (s && s->isFunction() && s->definedIn == f->definedIn)
          placeOf.try_emplace(s, f->definedIn, i);
  }
  stable_sort(users, [&](const Function *a, const Function *b) {
    return placeOf.lookup(a) < placeOf.lookup(b);
  });
  return users;
}

void SharedLayout::placeDynamic() {
  // Find the kernels that reach each of these functions.
  std::vector<Function *> users = findDynamicUsers(inputs, program);
  std::vector<std::vector<Function *>> carriers;
  carriers.reserve(users.size());
  for (Function *f : users)
    carriers.push_back({f});
  if (users.empty())
    return;
  // Kernels that reach the same user have one offset; transitively.
  EquivalenceClasses<uint32_t> sets;
  constexpr uint32_t None = ~0u;
  std::vector<uint32_t> firstKernel(users.size(), None);
  DenseMap<Variable *, uint32_t> firstKernelOfArray;
  std::vector<uint64_t> alignOfKernel(kernels.size(), 1);
  forEachReachingKernel(carriers, [&](unsigned user, unsigned kernel) {
    alignOfKernel[kernel] = std::max(alignOfKernel[kernel],
                                     getDynamicAlignment(inputs, *users[user]));
    if (firstKernel[user] == None)
      sets.insert(firstKernel[user] = kernel);
    else
      sets.unionSets(firstKernel[user], kernel);
  });
  // For the debugger an array has one value, so its users share one offset
  // [shared-debug-link].
  if (inputs.keepsDebugShared())
    for (size_t u = 0; u != users.size(); ++u)
      for (Variable *v : users[u]->sharedUses)
        if (v->isDynamicShared() && firstKernel[u] != None) {
          auto [it, inserted] =
              firstKernelOfArray.try_emplace(v, firstKernel[u]);
          if (!inserted)
            sets.unionSets(it->second, firstKernel[u]);
        }

  DenseMap<uint32_t, uint64_t> alignOf, offsetOf; // By the set's leader.
  for (size_t u = 0; u != users.size(); ++u) {
    if (firstKernel[u] == None)
      continue;
    joinAlignment(inputs, alignOf[sets.getLeaderValue(firstKernel[u])],
                  *users[u]);
  }
  // Not in the sets' own order, which depends on LLVM's release.
  for (uint32_t k = 0; k != kernels.size(); ++k) {
    const auto first = sets.findLeader(k), end = sets.member_end();
    if (first == end || *first != k)
      continue;
    const uint64_t common = alignOf.lookup(k);
    uint64_t longest = inputs.config.reserveNullPointer ? 1 : 0;
    for (auto m = first; m != end; ++m)
      longest = std::max(longest, shared[*m].size);
    for (auto m = first; m != end; ++m) {
      KernelShared &e = shared[*m];
      make(*m);
      const uint64_t align =
          inputs.rules.alignsForFirstArray() ? alignOfKernel[*m] : common;
      e.align = std::max(e.align, align);
      if (!groups.empty() && kernels[*m]->isCounted)
        e.align = std::max(e.align, moduleAlign);
      e.size = alignTo(longest, align);
      if (inputs.rules.alignsDynamicShared())
        e.size = alignTo(e.size, e.align);
    }
    offsetOf[k] = alignTo(longest, common);
  }
  for (size_t u = 0; u != users.size(); ++u) {
    if (firstKernel[u] == None)
      continue;
    uint64_t offset = offsetOf.lookup(sets.getLeaderValue(firstKernel[u]));
    users[u]->dynamicSharedOffset = offset;
    for (Variable *v : users[u]->sharedUses)
      if (v->isDynamicShared())
        v->debugOffset = offset;
  }
}

void SharedLayout::checkLimits() {
  const ArchitectureLimits &limits = *getArchitectureLimits(inputs.sm());
  const bool extended = inputs.config.enableExtendedSmem ||
                        inputs.config.arch.suffix == Architecture::Accelerated;
  const uint64_t limit = inputs.writesOldHeader() ? limits.shared12
                         : extended               ? limits.sharedExtended
                                                  : limits.sharedDefault;
  DenseMap<Function *, uint64_t> tooLarge;
  for (size_t i = 0; i != kernels.size(); ++i)
    if (shared[i].size > limit)
      tooLarge[kernels[i]] = shared[i].size;
  if (tooLarge.empty())
    return;
  // Errors are reported in the order of the code sections.
  for (OutputSection *sec : program.sections) {
    auto it = tooLarge.find(sec->owner);
    if (!sec->isText() || it == tooLarge.end())
      continue;
    inputs.diag.report(DiagId::SharedLimit,
                       {"Entry function ", diag::symbol(sec->owner->name),
                        " uses too much shared data (", diag::hex(it->second),
                        " bytes, ", diag::hex(limit), " max)"});
    explainSharedMemory(inputs, program, *sec->owner, it->second, limit);
  }
}

void SharedLayout::emitSections() {
  for (size_t i = 0; i != kernels.size(); ++i) {
    OutputSection *sec = kernels[i]->shared;
    const KernelShared &e = shared[i];
    if (!e.exists)
      continue;
    sec->laidOut = true;
    sec->size = e.size + reserved();
    if (inputs.isMercury())
      sec->makeExtras().reservedSize = reserved();
    sec->align = e.align;
  }
}

/// For the debugger .nv_debug.shared holds the variables [shared-debug-link];
/// else at most an empty husk of it stays [resolved-list-arrays].
void SharedLayout::emitDebugShared() {
  OutputSection *sec = program.debugShared;
  if (!sec)
    return;
  const uint64_t align = groups.empty() ? 1 : moduleAlign;
  sec->align = std::max<uint64_t>(16, align);
  if (inputs.isMercury())
    sec->makeExtras().reservedSize = reserved();
  sec->size = sec->reservedSize();
  if (!inputs.keepsDebugShared() && !inputs.config.preserveRelocs)
    return;
  if (!groups.empty())
    sec->align =
        std::max<uint64_t>(moduleAlign, program.anyDynamicShared ? 16 : 1);
  if (!groups.empty() || program.anyDynamicShared) {
    sec->size = moduleEnd + reserved();
    sec->laidOut = true;
  }
  // --preserve-relocs: an array's symbol has no address, -1, and would go; but
  // below sm_100 the reserved part was added before anyone looked.
  if (!inputs.keepsDebugShared() &&
      (groups.empty() || !reserved() || inputs.isMercury()))
    return;
  for (const SharedListEntry &e : program.sharedList) {
    Variable &v = *e.variable;
    if (!v.isDynamicShared())
      continue;
    v.section = sec;
    v.address =
        inputs.keepsDebugShared() ? v.debugOffset.value_or(0) : ~uint64_t(0);
    // The finalizer reserves its part in any case.
    v.value = *v.address + (groups.empty() && !(inputs.isMercury() &&
                                                inputs.keepsDebugShared())
                                ? 0
                                : reserved());
    v.keptForDebugger = true;
  }
}

/// The system's own variables, in a final link behind the driver's part; their
/// addresses are absolute [shared-reserved-variables]. The Mercury view doesn't
/// have that part. With -r they have none yet, and their values stay
/// alignments.
static void layoutReservedShared(const Inputs &inputs, const Program &program) {
  if (program.reservedShared.empty())
    return;
  std::vector<SharedCandidate> list;
  list.reserve(program.reservedShared.size());
  for (Variable *v : program.reservedShared)
    list.push_back({v, v->size, v->alignment, {}});
  sortLikeNvlink(list, byAlignment<SharedCandidate>);
  const uint64_t begin = inputs.isRelocatable() ? 0 : DriverSharedSize;
  const uint64_t limit = getArchitectureLimits(inputs.sm())->reservedShared;
  uint64_t cursor = begin;
  for (SharedCandidate &p : list) {
    cursor = alignTo(cursor, std::max<uint64_t>(p.align, 1));
    if (!inputs.isRelocatable())
      p.variable->value = cursor;
    if (p.size > limit || cursor > limit - p.size)
      return inputs.diag.report(
          DiagId::ReservedSharedLimit,
          {"reserved shared variable ", diag::symbol(p.variable->name), " of ",
           p.size, " bytes, aligned to ", p.align, ", doesn't fit into the ",
           limit, " bytes of reserved shared memory"});
    cursor += p.size;
  }
  OutputSection &sec = *program.reservedShared.front()->section;
  sec.size = cursor;
  if (sec.mercury)
    sec.mercury->size = cursor - begin;
}

void layoutShared(const Inputs &inputs, Program &program) {
  layoutReservedShared(inputs, program);
  if (inputs.isRelocatable())
    layoutSharedRelocatable(inputs, program);
  else if (program.debugShared || program.hasSharedVariables())
    SharedLayout(inputs, program).run();
}

} // namespace lld::cuda
