//===- LayoutTextures.cpp - Texture, sampler and surface slots ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// layoutTextures() gives each texture, sampler and surface reference a slot of
/// 4 bytes in the parameter bank (.nv.constant0) of every kernel that reaches a
/// reference, after the largest kernel's parameters. The driver fills the slots
/// in at load time, by relocations in .rel.nv.constant0 [texture-slots].
/// layoutImage() in Link.cpp calls it after the check for undefined symbols.
///
/// fillInTextureBase() writes the offset of the first slot into code, from
/// sm_100 on. relocateAndMoveCode() calls it before relocations are processed,
/// because it reads the slot numbers as they are in the input's code.
///
//===----------------------------------------------------------------------===//

#include "Companions.h"
#include "Inputs.h"
#include "Layout.h"
#include "Layout/ListSort.h"
#include "Passes.h"
#include "Program.h"
#include "Twins.h"
#include "lld-cuda/BinaryFormat/Relocations.h"
#include "lld-cuda/Object/Mercury.h"
#include "lld-cuda/Sass/Code.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace lld::cuda::elf;
using namespace lld::cuda::sass;

namespace lld::cuda {

namespace {
struct Slot {
  Variable *variable;
  uint64_t size = 0, align = 0; // All keys equal: the sort only permutes.
};
} // namespace

static std::vector<Slot> orderSlots(Program &program) {
  std::vector<Slot> slots;
  for (std::vector<Variable *> *list :
       {&program.textures, &program.samplers, &program.surfaces})
    for (Variable *v : reverse(*list))
      slots.push_back({v});
  sortLikeNvlink(slots, byAlignment<Slot>);
  return slots;
}

namespace {
/// A kernel that reaches texture references and so has slots.
struct User {
  Function *kernel;
  bool hasSamplers; ///< The driver fills in samplers, too.
};

enum : uint8_t { UsesAny = 1, UsesSamplers = 2 };
} // namespace

static uint8_t getUses(const Function &f) {
  return (f.usesTextures ? UsesAny : 0) | (f.usesSamplers ? UsesSamplers : 0);
}

/// Kernels that reach a texture reference. A single kernel answers for all
/// functions of the link, dead ones too [texture-slots-of-single-kernel].
static std::vector<User> findUsers(const Program &program,
                                   ArrayRef<Function *> kernels) {
  std::vector<User> users;
  auto add = [&](Function *k, uint8_t uses) {
    if (uses)
      users.push_back({k, (uses & UsesSamplers) != 0});
  };
  if (kernels.size() == 1) {
    uint8_t uses = 0;
    for (const Function &f : program.functions)
      uses |= getUses(f);
    add(kernels[0], uses);
    return users;
  }
  auto reached = program.callGraph.closure<uint8_t>(
      0, [](Function &f, uint8_t &v) { v |= getUses(f); },
      [](uint8_t &into, uint8_t from) { into |= from; });
  for (Function *k : kernels)
    add(k, reached[program.callGraph.component(*k)]);
  return users;
}

/// A kernel that was left out counts for what it uses itself; with a Mercury
/// view not even for that.
static void addLeftOutUsers(const Inputs &inputs, Program &program,
                            std::vector<User> &users) {
  if (inputs.isMercury())
    return;
  for (Function *k : program.kernels())
    if (!k->isCounted && k->usesTextures)
      users.push_back({k, k->usesSamplers});
}

static bool checkLimits(const Inputs &inputs, const Program &program,
                        Function &kernel) {
  auto check = [&](size_t count, size_t limit, StringRef what) {
    if (count <= limit)
      return true;
    inputs.diag.report(DiagId::TextureLimit,
                       {"More than ", limit, " ", what,
                        " used in entry function ", diag::symbol(kernel.name)});
    return false;
  };
  return check(program.textures.size(), 256, "textures") &&
         check(program.samplers.size(), 32, "samplers") &&
         check(program.surfaces.size(), 32, "surfaces");
}

static uint32_t slotRelocation(const Inputs &inputs, const Variable &v) {
  // Numbers without a name in the catalogue that fits [texture-slots].
  switch (v.type) {
  case STT_CUDA_TEXTURE:
    return 6;
  case STT_CUDA_SAMPLER:
    return inputs.isMercury() ? 101 : 7;
  default:
    return 52;
  }
}

static uint32_t mercurySlotRelocation(const Variable &v) {
  switch (v.type) {
  case STT_CUDA_TEXTURE:
    return R_MERCURY_NONE + 0xb;
  case STT_CUDA_SAMPLER:
    return R_MERCURY_NONE + 0xc;
  default:
    return R_MERCURY_NONE + 0xd;
  }
}

/// On sm_100 and later a parameter bank with slots is a section of the merge,
/// not of the finalizer; its twin holds the slots alone.
static void createImageHeaders(const Inputs &inputs, Program &program,
                               Function &k, uint64_t slotBytes) {
  OutputSection *bank = k.constant0;
  bank->kind = SectionKind::ImageHeaders;
  program.sections.push_back(bank);
  k.textureSlots = createSection(inputs, program, SectionKind::Rela,
                                 inputs.memory.join(".rela", bank->name), &k);
  k.textureSlots->target = bank;
  program.locals.push_back(bank->symbol);
  OutputSection *twin = getTwin(inputs, program, *bank);
  uint8_t *bytes = inputs.memory.allocate(slotBytes);
  std::memset(bytes, 0, slotBytes);
  twin->setContents({bytes, slotBytes});
  getTwin(inputs, program, *k.textureSlots);
}

namespace {
/// The entries with which the driver fills in the slots of a kernel.
struct SlotEntries {
  std::vector<KeptRelocation> native, mercury;
};
} // namespace

/// The driver fills in what a kernel's code can need: for a kernel that reaches
/// textures alone, no samplers, though there is room for them [texture-slots].
static SlotEntries listEntries(const Inputs &inputs, ArrayRef<Slot> slots,
                               bool hasSamplers) {
  SlotEntries entries;
  for (const Slot &s : reverse(slots)) {
    Variable *v = s.variable;
    if (v->type == STT_CUDA_SAMPLER && !hasSamplers)
      continue;
    entries.native.push_back(
        {v->textureSlot, slotRelocation(inputs, *v), v, 0});
    entries.mercury.push_back(
        {v->textureSlotOffset, mercurySlotRelocation(*v), v, 0});
  }
  return entries;
}

static void addSlots(const Inputs &inputs, Function &k,
                     const SlotEntries &entries) {
  k.textureSlots->kept.append(inputs.memory.shared, entries.native);
  if (OutputSection *twin = k.textureSlots->mercury)
    twin->kept.append(inputs.memory.shared, entries.mercury);
}

constexpr uint64_t SlotSize = 4;

/// Slots begin after the largest parameter area of any kernel
/// [texture-slot-base].
static uint64_t findSlotBase(const Inputs &inputs,
                             ArrayRef<Function *> kernels) {
  const uint64_t align = inputs.isMercury() ? 16 : SlotSize;
  // Without any kernel the finalizer takes one without parameters
  // [texture-slots-without-kernel].
  uint64_t base = 0;
  if (const ArchitectureLimits *limits = getArchitectureLimits(inputs.sm());
      limits && inputs.isMercury())
    base = limits->constant0Base;
  for (Function *k : kernels)
    if (k->constant0)
      base = std::max(base, alignTo(k->constant0->size, align));
  return base;
}

/// Fills the first slot's place in where code reads a slot, and Mercury's
/// record says so; the offset from there may be in a register (code for
/// debugging) [texture-slots-in-code].
static void fillInBase(const Inputs &inputs, const Layout &layout,
                       OutputSection &text) {
  constexpr uint8_t SlotBank = 0x49;
  constexpr size_t KindOffset = 1, BankOffset = 12, AddressOffset = 28,
                   RecordSize = 32;
  SectionPart &part = text.parts[0];
  ArrayRef<uint8_t> capmerc = text.mercury->parts[0].bytes;
  Expected<CapmercText> records = readCapmercText(capmerc, part.bytes.size());
  if (!records)
    return consumeError(records.takeError()); // Told where it is relocated.
  for (const CapmercEntry &entry : records->entries) {
    if (entry.isRun || !entry.count || entry.recordSize < RecordSize)
      continue;
    const uint8_t *record = capmerc.data() + entry.recordOffset;
    if (record[KindOffset] != CapmercLoad || record[BankOffset] != SlotBank)
      continue;
    const uint64_t offset = uint64_t(entry.instruction) * InstructionSize;
    Instruction inst = Instruction::read(part.bytes.data() + offset);
    // Bits 38 to 53, of LDCU 37 to 53.
    if (inst.operation() != OpLDC && inst.operation() != OpLDCU)
      continue;
    const unsigned bit = inst.operation() == OpLDC ? 38 : 37;
    constexpr unsigned End = 54;
    const uint64_t mask = maskTrailingOnes<uint64_t>(End - bit) << bit;
    const uint64_t address =
        layout.textureBase + support::endian::read32le(record + AddressOffset);
    const uint64_t low = (inst.low & ~mask) | (address << bit & mask);
    if (low == inst.low)
      continue;
    inst.low = low;
    inst.write(part.writable(inputs).data() + offset);
  }
}

void fillInTextureBase(const Inputs &inputs, Program &program,
                       const Layout &layout) {
  if (!inputs.isMercury() || !inputs.rules.resolvesReferences() ||
      (program.textures.empty() && program.samplers.empty() &&
       program.surfaces.empty()))
    return;
  for (Function &f : program.functions)
    if (f.reachable && f.text && f.text->mercury && !f.text->parts.empty() &&
        !f.text->mercury->parts.empty())
      fillInBase(inputs, layout, *f.text);
}

void layoutTextures(const Inputs &inputs, Program &program, Layout &layout) {
  if (program.textures.empty() && program.samplers.empty() &&
      program.surfaces.empty())
    return;
  const uint64_t base = layout.textureBase =
      findSlotBase(inputs, program.kernels());
  std::vector<Slot> slots = orderSlots(program);
  if (inputs.isRelocatable()) {
    // The finalizer adds the base to slots that the last link will assign.
    for (Slot &s : slots)
      s.variable->textureSlot = inputs.isMercury() ? base : 0;
    return;
  }
  std::vector<User> users = findUsers(program, program.countedKernels());
  // nvlink counts for each kernel all that the link has, and begins with the
  // last one.
  if (!users.empty() && !checkLimits(inputs, program, *users.back().kernel))
    return;
  addLeftOutUsers(inputs, program, users);
  for (size_t i = 0; i != slots.size(); ++i) {
    slots[i].variable->textureSlotOffset = SlotSize * i;
    slots[i].variable->textureSlot = base + SlotSize * i;
  }
  const SlotEntries withoutSamplers = listEntries(inputs, slots, false),
                    all = listEntries(inputs, slots, true);
  for (auto [k, hasSamplers] : users) {
    k->reachesTextures = true;
    if (k->constant0 && inputs.isMercury())
      createImageHeaders(inputs, program, *k, SlotSize * slots.size());
    if (!k->constant0 || !getTextureSlots(inputs, program, *k))
      continue;
    k->constant0->size = base + SlotSize * slots.size();
    addSlots(inputs, *k, hasSamplers ? all : withoutSamplers);
  }
}

} // namespace lld::cuda
