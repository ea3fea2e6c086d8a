//===- LayoutShared.cpp - Shared memory of a final link -===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Places shared variables (spec: layout, section 4).
///
/// Module-level variables are sorted by size. One that a single kernel uses
/// moves into that kernel's own section; the others are coloured greedily:
/// variables that no kernel uses together share a group, and so an address.
/// Groups are laid end to end from 0; a kernel's own variables follow the last
/// of the module-level variables that it uses. Dynamic arrays come last, at one
/// offset for all kernels that share a function using them.
///
/// Code sees addresses without the reserved part; symbols and section sizes of
/// sm_90 and later count it in.
///
//===----------------------------------------------------------------------===//

#include "Ctx.h"
#include "Explain.h"
#include "ListSort.h"
#include "Passes.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace lld::cuda::elf;

namespace lld::cuda {

namespace {

/// A variable in one of the lists; a symbol may have two (a strong definition
/// after a weak one), the one placed last counts.
struct Place {
  Variable *variable;
  uint64_t size, align;
  std::vector<uint32_t> users; ///< Indices of entries.
};

/// Shared memory of one entry while it is laid out.
struct EntryShared {
  bool exists = false;
  uint64_t size = 0;
  uint64_t align = 1;
  uint64_t moduleEnd = 0; ///< End of the module-level variables it uses.
  bool usesModule = false;
  std::vector<Place> own;
};

class SharedLayout {
public:
  explicit SharedLayout(Ctx &ctx);
  void run();

private:
  /// forEachReachingEntry() over all kernels; one that --kernels-used left out
  /// counts for its own code only, not for what it calls.
  void forEachReachingKernel(
      ArrayRef<std::vector<Function *>> carriers,
      function_ref<void(unsigned item, unsigned kernel)> visit) const;
  void findUsers();
  void distribute();
  void placeGroups();
  void placeEntries();
  void placeDynamic();
  void checkLimits();
  void emitSections();
  void emitDebugShared();
  void put(Variable &v, OutputSection *sec, uint64_t address);
  void make(size_t entry);
  uint64_t reserved() const;

  Ctx &ctx;
  std::vector<Function *> entries; ///< All kernels that stay.
  std::vector<EntryShared> shared; ///< By entry.
  std::vector<Place> module;       ///< Module-level list, reading order.
  std::vector<Place> common; ///< Of these, the ones with a common address.
  std::vector<std::vector<uint32_t>> groups; ///< Indices into `common`.
  uint64_t moduleAlign = 1; ///< Of all module-level variables, used or not.
  uint64_t moduleEnd = 0;
};

} // namespace

SharedLayout::SharedLayout(Ctx &ctx) : ctx(ctx) {
  entries = ctx.kernels();
  shared.resize(entries.size());
  for (const SharedListEntry &e : ctx.sharedList) {
    module.push_back({e.variable, e.size, e.align, {}});
    if (!e.variable->isDynamicShared())
      moduleAlign = std::max(moduleAlign, e.align);
  }
}

uint64_t SharedLayout::reserved() const {
  if (ctx.config.disableSmemReservation)
    return 0;
  return getArchitectureLimits(ctx.sm())->reservedShared;
}

void SharedLayout::put(Variable &v, OutputSection *sec, uint64_t address) {
  v.address = address;
  v.section = sec;
  v.value = address + reserved();
}

/// The entry gets a section. Kernels that --kernels-used left out had none so
/// far.
void SharedLayout::make(size_t entry) {
  shared[entry].exists = true;
  Function &f = *entries[entry];
  if (!f.shared)
    f.shared = createSharedSection(ctx, f);
}

void SharedLayout::run() {
  findUsers();
  distribute();
  placeGroups();
  placeEntries();
  placeDynamic();
  // An extern array anywhere gives every entry an empty section when the
  // module-level alignment is at least 16 (spec: layout, section 4.6). Kernels
  // that --kernels-used left out are none.
  if (ctx.anyDynamicShared && !groups.empty() && moduleAlign >= 16)
    for (size_t i = 0; i != entries.size(); ++i)
      if (!shared[i].exists && entries[i]->isEntry) {
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
  for (size_t i = 0; i != entries.size(); ++i) {
    if (!entries[i]->isEntry) {
      leftOut[entries[i]] = i;
      continue;
    }
    counted.push_back(entries[i]);
    indexOf.push_back(i);
  }
  ctx.callGraph.forEachReachingEntry(
      carriers, counted,
      [&](unsigned item, unsigned entry) { visit(item, indexOf[entry]); });
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
  for (Place &p : module)
    if (!p.variable->isDynamicShared() &&
        itemOf.try_emplace(p.variable, carriers.size()).second)
      carriers.emplace_back();
  for (Function &f : ctx.functions)
    for (Variable *v : f.sharedUses)
      if (auto it = itemOf.find(v); it != itemOf.end())
        carriers[it->second].push_back(&f);
  std::vector<std::vector<uint32_t>> users(carriers.size());
  forEachReachingKernel(carriers, [&](unsigned item, unsigned kernel) {
    users[item].push_back(kernel);
  });
  for (Place &p : module)
    if (auto it = itemOf.find(p.variable); it != itemOf.end())
      p.users = users[it->second];
}

/// A variable that nothing refers to, not even dead code, gets no address.
void SharedLayout::distribute() {
  DenseSet<Variable *> referenced;
  for (Function &f : ctx.functions)
    referenced.insert(f.sharedUses.begin(), f.sharedUses.end());
  sortLikeNvlink(module, bySize<Place>);
  for (Place &p : module) {
    if (p.variable->isDynamicShared() || !referenced.contains(p.variable))
      continue;
    if (p.users.size() == 1)
      shared[p.users[0]].own.push_back(std::move(p));
    else
      common.push_back(std::move(p));
  }
}

/// Greedy colouring in list order: the first group none of whose members has a
/// user in common. `taken` keeps, for every entry, the groups it is in.
void SharedLayout::placeGroups() {
  std::vector<BitVector> taken(common.empty() ? 0 : entries.size());
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
  uint64_t cursor = ctx.config.reserveNullPointer && !groups.empty() ? 1 : 0;
  for (const std::vector<uint32_t> &group : groups) {
    uint64_t align = 1, size = 0;
    for (uint32_t i : group) {
      align = std::max(align, common[i].align);
      size = std::max(size, common[i].size);
    }
    cursor = alignTo(cursor, align);
    for (uint32_t i : group) {
      put(*common[i].variable, ctx.debugShared, cursor);
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

void SharedLayout::placeEntries() {
  for (size_t i = 0; i != entries.size(); ++i) {
    EntryShared &e = shared[i];
    std::vector<Place> list;
    for (Variable *v : entries[i]->ownShared)
      list.push_back({v, v->size, v->alignment, {}});
    list.insert(list.end(), std::make_move_iterator(e.own.begin()),
                std::make_move_iterator(e.own.end()));
    if (!e.usesModule && list.empty())
      continue;
    make(i);
    uint64_t cursor = e.moduleEnd;
    if (!e.usesModule && ctx.config.reserveNullPointer)
      cursor = 1;
    if (!groups.empty())
      e.align = moduleAlign;
    sortLikeNvlink(list, byAlignment<Place>);
    for (Place &p : list) {
      e.align = std::max(e.align, p.align);
      cursor = alignTo(cursor, std::max<uint64_t>(p.align, 1));
      put(*p.variable, entries[i]->shared, cursor);
      cursor += p.size;
    }
    e.size = cursor;
  }
}

void SharedLayout::placeDynamic() {
  // Functions that use a dynamic array, and the entries that reach each.
  std::vector<Function *> users;
  std::vector<std::vector<Function *>> carriers;
  for (Function &f : ctx.functions)
    if (any_of(f.sharedUses,
               [](Variable *v) { return v->isDynamicShared(); })) {
      users.push_back(&f);
      carriers.push_back({&f});
    }
  if (users.empty())
    return;
  // Entries that reach the same user have one offset; transitively.
  EquivalenceClasses<uint32_t> sets;
  constexpr uint32_t None = ~0u;
  std::vector<uint32_t> firstEntry(users.size(), None);
  DenseMap<Variable *, uint32_t> firstEntryOfArray;
  forEachReachingKernel(carriers, [&](unsigned user, unsigned entry) {
    if (firstEntry[user] == None)
      sets.insert(firstEntry[user] = entry);
    else
      sets.unionSets(firstEntry[user], entry);
  });
  // For the debugger an array has one value, so its users share one offset
  // (spec: seams, 11).
  if (ctx.keepsDebugShared())
    for (size_t u = 0; u != users.size(); ++u)
      for (Variable *v : users[u]->sharedUses)
        if (v->isDynamicShared() && firstEntry[u] != None) {
          auto [it, inserted] = firstEntryOfArray.try_emplace(v, firstEntry[u]);
          if (!inserted)
            sets.unionSets(it->second, firstEntry[u]);
        }

  constexpr uint64_t DynamicAlign = 16;
  DenseMap<uint32_t, uint64_t> offsetOf; // By the set's leader.
  for (auto it = sets.begin(), end = sets.end(); it != end; ++it) {
    if (!it->isLeader())
      continue;
    uint64_t offset = ctx.config.reserveNullPointer ? DynamicAlign : 0;
    for (auto m = sets.member_begin(it); m != sets.member_end(); ++m)
      offset = std::max(offset, alignTo(shared[*m].size, DynamicAlign));
    for (auto m = sets.member_begin(it); m != sets.member_end(); ++m) {
      EntryShared &e = shared[*m];
      make(*m);
      e.size = offset;
      e.align = std::max(e.align, DynamicAlign);
      if (!groups.empty() && entries[*m]->isEntry)
        e.align = std::max(e.align, moduleAlign);
    }
    offsetOf[it->getData()] = offset;
  }
  for (size_t u = 0; u != users.size(); ++u) {
    if (firstEntry[u] == None)
      continue;
    uint64_t offset = offsetOf.lookup(sets.getLeaderValue(firstEntry[u]));
    users[u]->dynamicSharedOffset = offset;
    for (Variable *v : users[u]->sharedUses)
      if (v->isDynamicShared())
        v->debugOffset = offset;
  }
}

void SharedLayout::checkLimits() {
  const ArchitectureLimits &limits = *getArchitectureLimits(ctx.sm());
  const bool extended = ctx.config.enableExtendedSmem ||
                        ctx.config.arch.suffix == Architecture::Accelerated;
  const uint64_t limit =
      extended ? limits.sharedExtended : limits.sharedDefault;
  DenseMap<Function *, uint64_t> tooLarge;
  for (size_t i = 0; i != entries.size(); ++i)
    if (shared[i].size > limit)
      tooLarge[entries[i]] = shared[i].size;
  if (tooLarge.empty())
    return;
  // In the order of the code sections.
  for (OutputSection *sec : ctx.sections) {
    auto it = tooLarge.find(sec->owner);
    if (!sec->isText() || it == tooLarge.end())
      continue;
    ctx.diag.error("Entry function '" + sec->owner->name +
                   "' uses too much shared data (0x" +
                   Twine::utohexstr(it->second) + " bytes, 0x" +
                   Twine::utohexstr(limit) + " max)");
    explainSharedMemory(ctx, *sec->owner, it->second, limit);
  }
}

void SharedLayout::emitSections() {
  // On sm_90 the reserved part is added before empty sections are dropped.
  const bool keepsEmpty = ctx.sm() == FirstCompatSM;
  for (size_t i = 0; i != entries.size(); ++i) {
    OutputSection *sec = entries[i]->shared;
    const EntryShared &e = shared[i];
    if (!e.exists || (e.size == 0 && e.align != 16 && !keepsEmpty))
      continue;
    sec->emitted = true;
    sec->size = e.size + reserved();
    if (ctx.isMercury())
      sec->makeExtras().reservedSize = reserved();
    sec->align = e.align;
  }
}

/// .nv_debug.shared stays as an empty husk if some extern array exists and its
/// alignment is exactly 16; for the debugger it holds the variables (spec:
/// layout, section 4.6; seams, 11).
void SharedLayout::emitDebugShared() {
  OutputSection *sec = ctx.debugShared;
  if (!sec)
    return;
  const uint64_t align = groups.empty() ? 1 : moduleAlign;
  sec->align = std::max<uint64_t>(16, align);
  if (ctx.isMercury())
    sec->makeExtras().reservedSize = reserved();
  sec->size = sec->reservedSize();
  sec->emitted = ctx.anyDynamicShared && sec->align == 16;
  if (!ctx.keepsDebugShared() && !ctx.config.preserveRelocs)
    return;
  if (!groups.empty())
    sec->align = std::max<uint64_t>(moduleAlign, ctx.anyDynamicShared ? 16 : 1);
  if (!groups.empty() || ctx.anyDynamicShared) {
    sec->size = moduleEnd + reserved();
    sec->emitted = true;
  }
  // --preserve-relocs: an array's symbol has no address, -1, and would go; but
  // below sm_100 the reserved part was added before anyone looked.
  if (!ctx.keepsDebugShared() &&
      (groups.empty() || !reserved() || ctx.isMercury()))
    return;
  for (const SharedListEntry &e : ctx.sharedList) {
    Variable &v = *e.variable;
    if (!v.isDynamicShared())
      continue;
    v.section = sec;
    v.address =
        ctx.keepsDebugShared() ? v.debugOffset.value_or(0) : ~uint64_t(0);
    // The finalizer reserves its part in any case.
    v.value = *v.address +
              (groups.empty() && !(ctx.isMercury() && ctx.keepsDebugShared())
                   ? 0
                   : reserved());
    v.keptForDebugger = true;
  }
}

/// The system's own variables, in a final link behind the driver's part; their
/// addresses are absolute (spec: layout, section 4.8). The Mercury view doesn't
/// have that part. With -r they have none yet, and their values stay
/// alignments.
static void layoutReservedShared(Ctx &ctx) {
  if (ctx.reservedShared.empty())
    return;
  std::vector<Place> list;
  for (Variable *v : ctx.reservedShared)
    list.push_back({v, v->size, v->alignment, {}});
  sortLikeNvlink(list, byAlignment<Place>);
  const uint64_t begin = ctx.isRelocatable() ? 0 : DriverSharedSize;
  const uint64_t limit = getArchitectureLimits(ctx.sm())->reservedShared;
  uint64_t cursor = begin;
  for (Place &p : list) {
    cursor = alignTo(cursor, std::max<uint64_t>(p.align, 1));
    if (!ctx.isRelocatable())
      p.variable->value = cursor;
    if (p.size > limit || cursor > limit - p.size)
      return ctx.diag.fatal("reserved shared variable '" + p.variable->name +
                            "' of " + Twine(p.size) + " bytes, aligned to " +
                            Twine(p.align) + ", doesn't fit into the " +
                            Twine(limit) + " bytes that there are");
    cursor += p.size;
  }
  OutputSection &sec = *ctx.reservedShared.front()->section;
  sec.size = cursor;
  if (sec.mercury)
    sec.mercury->size = cursor - begin;
}

void layoutShared(Ctx &ctx) {
  layoutReservedShared(ctx);
  if (ctx.isRelocatable())
    layoutSharedRelocatable(ctx);
  else
    SharedLayout(ctx).run();
}

} // namespace lld::cuda
