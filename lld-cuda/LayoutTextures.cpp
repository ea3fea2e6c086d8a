//===- LayoutTextures.cpp - Texture, sampler and surface slots -===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Texture, sampler and surface references get 4-byte slots behind the
/// parameters of every kernel that reaches such a reference; the driver fills
/// them in through relocations in .rel.nv.constant0 (spec: layout, section 6).
///
//===----------------------------------------------------------------------===//

#include "Ctx.h"
#include "ListSort.h"
#include "Passes.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace lld::cuda::elf;

namespace lld::cuda {

namespace {
struct Slot {
  Variable *variable;
  uint64_t size = 0, align = 0; // All keys equal: the sort only permutes.
};
} // namespace

static std::vector<Slot> orderSlots(Ctx &ctx) {
  std::vector<Slot> slots;
  for (std::vector<Variable *> *list :
       {&ctx.textures, &ctx.samplers, &ctx.surfaces})
    for (Variable *v : reverse(*list))
      slots.push_back({v});
  sortLikeNvlink(slots, byAlignment<Slot>);
  return slots;
}

/// Entries that reach a texture reference. A single entry answers for all
/// functions of the link, dead ones too (spec: seams, 4).
static std::vector<Function *> findUsers(Ctx &ctx,
                                         ArrayRef<Function *> entries) {
  std::vector<Function *> users;
  if (entries.size() == 1) {
    if (any_of(ctx.functions, [](Function &f) { return f.usesTextures; }))
      users.push_back(entries[0]);
    return users;
  }
  auto reached = ctx.callGraph.closure<uint8_t>(
      0, [](Function &f, uint8_t &v) { v |= f.usesTextures; },
      [](uint8_t &into, uint8_t from) { into |= from; });
  for (Function *k : entries)
    if (reached[ctx.callGraph.component(*k)])
      users.push_back(k);
  return users;
}

static bool checkLimits(Ctx &ctx, Function &entry) {
  auto check = [&](size_t count, size_t limit, StringRef what) {
    if (count <= limit)
      return true;
    ctx.diag.fatal("More than " + Twine(limit) + " " + what +
                   " used in entry function '" + entry.name + "'");
    return false;
  };
  return check(ctx.textures.size(), 256, "textures") &&
         check(ctx.samplers.size(), 32, "samplers") &&
         check(ctx.surfaces.size(), 32, "surfaces");
}

static uint32_t slotRelocation(const Variable &v) {
  return v.type == STT_CUDA_TEXTURE ? 6 : v.type == STT_CUDA_SAMPLER ? 7 : 52;
}

void layoutTextures(Ctx &ctx) {
  if (ctx.isRelocatable() ||
      (ctx.textures.empty() && ctx.samplers.empty() && ctx.surfaces.empty()))
    return;
  std::vector<Function *> entries = ctx.entries();
  std::vector<Function *> users = findUsers(ctx, entries);
  constexpr uint64_t SlotSize = 4;
  uint64_t base = 0;
  for (Function *k : entries)
    if (k->constant0)
      base = std::max(base, alignTo(k->constant0->size, SlotSize));
  std::vector<Slot> slots = orderSlots(ctx);
  for (size_t i = 0; i != slots.size(); ++i)
    slots[i].variable->textureSlot = base + SlotSize * i;
  for (Function *k : users) {
    if (!checkLimits(ctx, *k))
      return;
    if (!k->constant0 || !k->textureSlots)
      continue;
    k->constant0->size = base + SlotSize * slots.size();
    k->textureSlots->emitted = true;
    for (const Slot &s : reverse(slots))
      k->textureSlots->kept.push_back({s.variable->textureSlot,
                                       slotRelocation(*s.variable), s.variable,
                                       0});
  }
}

} // namespace lld::cuda
