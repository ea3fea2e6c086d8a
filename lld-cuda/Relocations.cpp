//===- Relocations.cpp - Resolving or keeping relocations -===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Decides for every relocation whether it is resolved (patches bytes), kept
/// (written to the output for the driver) or dropped (spec: relocations,
/// section 2). References to functions and to global memory are kept, all
/// other addresses are known at this point.
///
/// nvlink keeps one list of all relocations to which each one read is
/// prepended. So here every section's relocations are walked backwards: the
/// last one read is patched first, and comes first in the output. Sections are
/// independent of each other and are processed in parallel.
///
//===----------------------------------------------------------------------===//

#include "lld-cuda/BinaryFormat/Relocations.h"
#include "Mercury.h"
#include "Merge.h"
#include "Parallel.h"
#include "Passes.h"
#include "lld-cuda/Object/Mercury.h"
#include <atomic>

using namespace llvm;
using namespace lld::cuda::elf;

namespace lld::cuda {

namespace {

/// One entry of an input relocation section.
struct Entry {
  uint64_t offset; ///< In the input section.
  uint32_t type;
  uint32_t symbolIndex;
  int64_t addend;
  bool isRela; ///< Else the addend is what the field holds.
};

/// The first error in the order in which nvlink walks its list.
struct FirstError {
  std::mutex mutex;
  std::string text;
  std::pair<uint32_t, size_t> position{0, 0};

  void set(std::pair<uint32_t, size_t> at, const Twine &message) {
    std::lock_guard<std::mutex> lock(mutex);
    if (!text.empty() && at < position)
      return;
    position = at;
    text = message.str();
  }
};

class SectionRelocator {
public:
  SectionRelocator(Ctx &ctx, OutputSection &sec, FirstError &error)
      : ctx(ctx), sec(sec), error(error) {}
  void run();

private:
  void turnLiterals(size_t from);
  size_t inOrder(size_t i, size_t count) const;
  void processGroup(const RelocationGroup &g);
  bool isSkipped(const Entry &e) const;
  void process(const Entry &e);
  void processFunction(const Entry &e, Function &f, uint32_t type);
  bool isAlwaysKept(const Symbol &s) const;
  bool isKeptLineTable(const Symbol &s) const;
  bool isFinalizedTexture(const Symbol &s) const;
  void keep(const Entry &e, uint32_t type, Symbol *s, uint64_t base);
  void resolve(const Entry &e, const RelocationInfo &info, Symbol *s,
               uint64_t base);
  void listResolved(const Entry &e, const RelocationInfo &info, Symbol *s,
                    uint64_t base);
  std::pair<uint64_t, uint8_t> valueOf(Symbol *s, uint64_t base) const;
  std::pair<uint64_t, uint8_t> valueOfVariable(const Variable &v) const;
  void patchText(const Entry &e, const RelocationInfo &info, uint64_t value);
  void pairEntries();
  MutableArrayRef<uint8_t> bytesAt(uint64_t offset);
  MutableArrayRef<uint8_t> blockAt(uint64_t offset);
  bool isPatchedByBlocks(size_t groupIndex) const;
  void copyWhole();
  void storeBlocks();
  void fatal(const Twine &text) {
    error.set({group->sequence, entryIndex}, text);
  }

  Ctx &ctx;
  OutputSection &sec;
  FirstError &error;
  const RelocationGroup *group = nullptr;
  size_t entryIndex = 0, entriesLeft = 0;
  uint64_t partBase = 0;
  bool isTable = false; ///< .debug_frame and line tables.
  bool hasLostRanges = false;
  Variable *externSharedInstance = nullptr; ///< Of the entry this text is of.
  /// Mercury code: offsets of the native entries that stand beside those of
  /// pairedGroup.
  std::vector<uint64_t> nativeOffsets;
  const RelocationGroup *pairedGroup = nullptr;
  std::optional<CapmercText> capmerc; ///< Mercury code, as it was read.
  /// Only blocks of the group's part are copied and patched: those here.
  bool byBlocks = false;
  DenseMap<uint64_t, uint8_t *> blocks;
};

} // namespace

static bool isFrameOrLineTable(StringRef name) {
  return name == ".debug_frame" || name == ".debug_line" ||
         name == ".nv_debug_line_sass";
}

void SectionRelocator::run() {
  const OutputSection &native = sec.native ? *sec.native : sec;
  isTable = isFrameOrLineTable(native.name);
  const bool isText = sec.owner && sec.owner->text == &native;
  if (isText)
    externSharedInstance = sec.owner->externSharedInstance;
  const size_t count = sec.relocations.size();
  for (size_t i = 0; i != count; ++i) {
    const RelocationGroup &g = sec.relocations[inOrder(i, count)];
    // The code of a definition that was replaced later.
    if (isText && g.file->ordinal != sec.owner->definedIn)
      continue;
    byBlocks = isPatchedByBlocks(inOrder(i, count));
    const size_t before = sec.rela ? sec.rela->kept.size() : 0;
    processGroup(g);
    storeBlocks();
    if (sec.rela && !sec.copiedLiterals().empty())
      turnLiterals(before);
  }
  if (sec.patches().empty())
    return;
  llvm::sort(sec.extras->patches,
             [](const SectionPart &a, const SectionPart &b) {
               return a.offset < b.offset;
             });
}

/// The entries of a group that was copied with a device function's literals
/// stand literal by literal, the last literal first.
void SectionRelocator::turnLiterals(size_t from) {
  auto literalAt = [&](const KeptRelocation &r) {
    return upper_bound(sec.copiedLiterals(), r.offset);
  };
  MutableArrayRef<KeptRelocation> added(sec.rela->kept);
  stable_sort(added.drop_front(from),
              [&](const KeptRelocation &a, const KeptRelocation &b) {
                return literalAt(a) > literalAt(b);
              });
}

/// Last read, first written: so a link turns the order around, and one whose
/// output is linked again must not.
size_t SectionRelocator::inOrder(size_t i, size_t count) const {
  return ctx.keepsForRelink() ? i : count - 1 - i;
}

void SectionRelocator::processGroup(const RelocationGroup &g) {
  group = &g;
  const CubinFile &file = g.file->file;
  const Elf_Shdr &shdr = file.sections()[g.inputSection];
  if (sec.parts[g.part].isDropped)
    return;
  partBase = sec.parts[g.part].offset;
  const uint32_t lostIn = g.file->lostInitSection;
  hasLostRanges =
      !g.file->lostInitRanges.empty() &&
      shdr.sh_info == (sec.native ? g.file->twinOf(lostIn) : lostIn);
  auto handle = [&](const Entry &e) {
    if (!isSkipped(e))
      process(e);
  };
  if (shdr.sh_type != SHT_REL) {
    ArrayRef<Elf_Rela> entries = g.file->relas(g.inputSection);
    for (size_t i = 0; i != entries.size(); ++i) {
      entryIndex = inOrder(i, entries.size());
      entriesLeft = entries.size() - i;
      const Elf_Rela &r = entries[entryIndex];
      handle(
          {r.r_offset, r.getType(false), r.getSymbol(false), r.r_addend, true});
    }
  } else {
    ArrayRef<Elf_Rel> entries = file.rels(g.inputSection);
    for (size_t i = 0; i != entries.size(); ++i) {
      entryIndex = inOrder(i, entries.size());
      entriesLeft = entries.size() - i;
      const Elf_Rel &r = entries[entryIndex];
      handle({r.r_offset, r.getType(false), r.getSymbol(false), 0, false});
    }
  }
}

/// Entries that count as never read.
bool SectionRelocator::isSkipped(const Entry &e) const {
  const ObjectFile &obj = *group->file;
  if (isTable) {
    if (obj.isLost(e.symbolIndex))
      return true;
    Symbol *s = obj.symbols[e.symbolIndex];
    if (e.isRela && s && s->isFunction() &&
        group->sequence < static_cast<Function *>(s)->debugPurgedBefore)
      return true;
  }
  if (!hasLostRanges)
    return false;
  auto &ranges = obj.lostInitRanges;
  auto it = upper_bound(ranges, std::make_pair(e.offset, ~uint64_t(0)));
  return it != ranges.begin() && e.offset < std::prev(it)->second;
}

bool SectionRelocator::isAlwaysKept(const Symbol &s) const {
  if (s.section && (s.section->type == SHT_CUDA_GLOBAL ||
                    s.section->type == SHT_CUDA_GLOBAL_INIT ||
                    s.section->type == SHT_CUDA_UDT))
    return true;
  if (!s.isVariable())
    return false;
  if (s.name.starts_with(".nv.reservedSmem."))
    return true;
  // The Mercury view keeps references to all of reserved shared memory.
  if (sec.native && s.space() == STO_CUDA_RESERVED_SHARED)
    return true;
  // -r keeps weak objects, constants included, and undefined variables in
  // global memory (spec: seams, 7).
  // With a Mercury view it keeps textures, too (spec: ELF output, section 8).
  auto &v = static_cast<const Variable &>(s);
  if (ctx.isRelocatable() && v.isTexture())
    return ctx.isMercury();
  return ctx.isRelocatable() &&
         (v.isWeak() || (!v.defined && v.space() == STO_CUDA_GLOBAL));
}

/// Where a rebuilt line table begins, for .debug_info: the Mercury
/// view keeps these entries always, and -r makes native ones from them.
bool SectionRelocator::isKeptLineTable(const Symbol &s) const {
  return ctx.isRelocatable() && ctx.isMercury() && s.isSection() &&
         s.section->name == ".debug_line";
}

/// A texture whose slot code reads: -r keeps the entry, but the finalizer fills
/// in where slots begin. What tells the slot's offset stays (code for
/// debugging).
bool SectionRelocator::isFinalizedTexture(const Symbol &s) const {
  return ctx.isRelocatable() && sec.isText() && !sec.native && s.isVariable() &&
         static_cast<const Variable &>(s).isTexture();
}

void SectionRelocator::process(const Entry &e) {
  uint64_t base;
  Symbol *s = group->file->resolve(e.symbolIndex, base, sec.view());
  if (ctx.keepsForRelink())
    return keep(e, e.type, s, base);
  if (externSharedInstance && s && s->isVariable() &&
      static_cast<Variable *>(s)->isDynamicShared())
    s = externSharedInstance;
  const RelocationInfo *info = getRelocationInfo(e.type);
  if (info && !ctx.isRelocatable())
    info = getRelocationInfo(info->finalType);
  const uint32_t type = ctx.isRelocatable() || !info
                            ? e.type
                            : getRelocationInfo(e.type)->finalType;
  if (s && s->isFunction())
    return processFunction(e, *static_cast<Function *>(s), type);
  if (s && s->isVariable() && isUnifiedTableName(s->name))
    return;
  if (s && (isAlwaysKept(*s) || isKeptLineTable(*s))) {
    if (info && info->action == RelocAction::Constant && isFinalizedTexture(*s))
      resolve(e, *info, s, base);
    return keep(e, type, s, base);
  }
  if (!info)
    return fatal("Internal error: unexpected NVRS");
  switch (info->action) {
  case RelocAction::Ignore:
  case RelocAction::Clear32:
  case RelocAction::Clear64:
    return;
  case RelocAction::Keep:
    return keep(e, type, s, base);
  case RelocAction::Field:
  case RelocAction::Byte:
  case RelocAction::Constant:
    return resolve(e, *info, s, base);
  case RelocAction::PCRel:
    return fatal("Internal error: PC relative branch address should be in the "
                 "same section");
  case RelocAction::FuncDesc:
  case RelocAction::Invalid:
    return fatal("Internal error: unexpected NVRS");
  }
}

constexpr uint64_t BlockSize = 256;
/// No relocation looks at more bytes.
constexpr uint64_t FieldSize = 8;

/// Debug information comes in large sections with few relocations.
bool SectionRelocator::isPatchedByBlocks(size_t index) const {
  const RelocationGroup &g = sec.relocations[index];
  const SectionPart &part = sec.parts[g.part];
  if (sec.native || sec.type != SHT_PROGBITS || sec.flags & SHF_ALLOC ||
      part.patched)
    return false;
  const uint64_t size =
      g.file->file.sections()[g.inputSection].sh_size / sizeof(Elf_Rela);
  if (part.bytes.size() < 16 * BlockSize ||
      part.bytes.size() / (2 * BlockSize) < size)
    return false;
  // Nothing else is applied to the part.
  auto isOther = [&](size_t i) {
    return i >= sec.relocations.size() || sec.relocations[i].part != g.part;
  };
  return isOther(index - 1) && isOther(index + 1);
}

MutableArrayRef<uint8_t> SectionRelocator::blockAt(uint64_t offset) {
  ArrayRef<uint8_t> bytes = sec.parts[group->part].bytes;
  const uint64_t begin = alignDown(offset, BlockSize);
  const size_t size = std::min<uint64_t>(BlockSize, bytes.size() - begin);
  uint8_t *&copy = blocks[begin];
  if (!copy) {
    copy = ctx.allocate(size);
    std::memcpy(copy, bytes.data() + begin, size);
  }
  return MutableArrayRef(copy, size).drop_front(offset - begin);
}

void SectionRelocator::copyWhole() {
  SectionPart &part = sec.parts[group->part];
  part.patched = ctx.allocate(part.bytes.size());
  std::memcpy(part.patched, part.bytes.data(), part.bytes.size());
  for (auto [begin, copy] : blocks)
    std::memcpy(part.patched + begin, copy,
                std::min<uint64_t>(BlockSize, part.bytes.size() - begin));
  blocks.clear();
  byBlocks = false;
}

void SectionRelocator::storeBlocks() {
  const uint64_t size = sec.parts[group->part].bytes.size();
  for (auto [begin, copy] : blocks) {
    SectionPart &patch = sec.makeExtras().patches.emplace_back();
    patch.offset = partBase + begin;
    patch.bytes = {copy, size_t(std::min(BlockSize, size - begin))};
  }
  blocks.clear();
}

/// The bytes of the group's part from an offset on: to the part's end, or as
/// many as a relocation may need.
MutableArrayRef<uint8_t> SectionRelocator::bytesAt(uint64_t offset) {
  SectionPart &part = sec.parts[group->part];
  if (offset >= part.bytes.size())
    return {};
  if (byBlocks) {
    const uint64_t end = alignDown(offset, BlockSize) + BlockSize;
    if (offset + FieldSize <= end || part.bytes.size() <= end)
      return blockAt(offset);
  }
  if (!part.patched)
    copyWhole();
  return {part.patched + offset, size_t(part.bytes.size() - offset)};
}

void SectionRelocator::processFunction(const Entry &e, Function &named,
                                       uint32_t type) {
  Function &f = named.aliasOf ? *named.aliasOf : named;
  const RelocationInfo *info = getRelocationInfo(type);
  RelocAction action = info ? info->action : RelocAction::Keep;
  const bool clears =
      action == RelocAction::Clear32 || action == RelocAction::Clear64;
  if (!f.live) {
    if (clears) {
      MutableArrayRef<uint8_t> bytes = bytesAt(e.offset);
      std::fill_n(bytes.begin(),
                  std::min<size_t>(bytes.size(),
                                   action == RelocAction::Clear32 ? 4 : 8),
                  0);
    }
    return;
  }
  constexpr uint32_t R_CUDA_None = 0;
  if (type != R_CUDA_None && !clears)
    keep(e, type, &f, 0);
}

void SectionRelocator::keep(const Entry &e, uint32_t type, Symbol *s,
                            uint64_t base) {
  // Offsets of Mercury code are not those of the section's payload.
  if (sec.role != SectionRole::MercuryText &&
      e.offset >= sec.parts[group->part].bytes.size())
    return fatal("Internal error: relocation is past end of offset");
  // Where a section went is no addend that a REL entry could have: a later link
  // doesn't look into the field if the section moves again.
  const bool asRela =
      e.isRela || ctx.config.forceRela || (base && ctx.keepsForRelink());
  OutputSection *out = asRela ? sec.rela : sec.rel;
  int64_t addend = e.addend;
  if (!out)
    return fatal("Internal error: no relocation section for '" + sec.name +
                 "'");
  if (asRela && !e.isRela) {
    if (const RelocationInfo *info = getRelocationInfo(type))
      addend = readRelocationField(bytesAt(e.offset), *info);
  } else if (!e.isRela && base) {
    // The addend stands in the field, so that is where the base goes.
    if (const RelocationInfo *info = getRelocationInfo(type))
      patchRelocation(bytesAt(e.offset), *info, base, 0,
                      /*implicitAddend=*/true);
  }
  // Most groups are kept as a whole or not at all.
  if (out->kept.size() == out->kept.capacity())
    out->kept.reserve(out->kept.size() +
                      std::max(entriesLeft, out->kept.size() / 2));
  addend += int64_t(base);
  if (s && s->isSection() && sec.view() == View::Native)
    addend = s->section->movedOffset(addend);
  out->kept.push_back({partBase + e.offset, type, s, addend});
}

void SectionRelocator::resolve(const Entry &e, const RelocationInfo &info,
                               Symbol *s, uint64_t base) {
  if (sec.role != SectionRole::MercuryText &&
      e.offset >= sec.parts[group->part].bytes.size())
    return fatal("Internal error: reloc address not found");
  if (sec.resolvedRela)
    listResolved(e, info, s, base);
  auto [value, bank] = valueOf(s, base);
  // What isn't an address is a slot's offset; the base is in another place
  // (fillInTextureBase()).
  if (ctx.isMercury() && info.action != RelocAction::Constant && s &&
      s->isVariable() && static_cast<Variable *>(s)->isTexture())
    value = static_cast<Variable *>(s)->textureSlotOffset;
  bool implicit = !e.isRela;
  // REL against a section that moved becomes RELA with its offset as addend,
  // and the field's content is ignored (spec: relocations, section 3).
  if (implicit && base)
    implicit = false;
  if (sec.isAlias)
    return; // The native view patches the bytes.
  if (s && s->isSection() && sec.view() == View::Native)
    value = s->section->movedOffset(value + e.addend) - e.addend;
  if (sec.role == SectionRole::MercuryText)
    return patchText(e, info, value + e.addend);
  patchRelocation(bytesAt(e.offset), info, value + e.addend, bank, implicit);
}

/// The entries of a function's code stand in both views in the same order; only
/// the Mercury view has entries against reserved shared memory.
void SectionRelocator::pairEntries() {
  constexpr uint64_t Unpaired = ~uint64_t(0);
  pairedGroup = group;
  const CubinFile &file = group->file->file;
  ArrayRef<Elf_Rela> mercury = file.relas(group->inputSection), native;
  for (const RelocationGroup &g : sec.native->relocations)
    if (g.file == group->file)
      native = g.file->relas(g.inputSection);
  nativeOffsets.assign(mercury.size(), Unpaired);
  size_t j = 0;
  for (size_t i = 0; i != mercury.size() && j != native.size(); ++i)
    if (mercury[i].getSymbol(false) == native[j].getSymbol(false))
      nativeOffsets[i] = native[j++].r_offset;
}

void SectionRelocator::patchText(const Entry &e, const RelocationInfo &info,
                                 uint64_t value) {
  if (pairedGroup != group)
    pairEntries();
  SectionPart &part = sec.parts[group->part];
  const uint64_t textSize = sec.native->parts[0].bytes.size();
  if (!capmerc) {
    Expected<CapmercText> text = readCapmercText(part.bytes, textSize);
    if (!text)
      return fatal("'" + group->file->label + "': " + sec.name + ": " +
                   toString(text.takeError()));
    capmerc = std::move(*text);
  }
  if (entryIndex >= nativeOffsets.size() ||
      nativeOffsets[entryIndex] >= textSize || bytesAt(0).empty() ||
      !patchCapmerc({part.patched, part.bytes.size()}, *capmerc,
                    nativeOffsets[entryIndex], e.offset, info.width / 8,
                    value >> info.shift))
    fatal("Internal error: reloc address not found");
}

/// --preserve-relocs: a resolved relocation as it would have been kept. What
/// the field of a REL entry held is its addend. References to what has no
/// symbol in the output aren't listed: extern arrays unless the debugger sees
/// them, compiler constants of device functions, .nv.ptx.const0.size. Textures
/// have slots instead. With a Mercury view only shared variables are listed.
void SectionRelocator::listResolved(const Entry &e, const RelocationInfo &info,
                                    Symbol *s, uint64_t base) {
  // With a Mercury view only shared variables that code refers to are listed.
  if (ctx.isMercury() && !(sec.native ? sec.native : &sec)->isText())
    return;
  if (s && s->isVariable()) {
    auto &v = static_cast<Variable &>(*s);
    const bool hasOffset = sec.owner && sec.owner->dynamicSharedOffset;
    if (!ctx.isRelocatable() &&
        (v.isTexture() || (v.isDynamicShared() && !ctx.keepsDebugShared() &&
                           (hasOffset || !v.address))))
      return;
    if (v.section ? !v.section->live : v.isLocal())
      return;
    if (ctx.isMercury() && !v.isShared())
      return;
  } else if (ctx.isMercury()) {
    return;
  }
  const uint64_t addend =
      e.isRela ? e.addend : readRelocationField(bytesAt(e.offset), info);
  const uint32_t type =
      ctx.isRelocatable() ? e.type : getRelocationInfo(e.type)->finalType;
  sec.resolvedRela->kept.push_back(
      {partBase + e.offset, type, s, int64_t(addend + base)});
}

/// Value and constant bank number. Symbols outside the constant banks have a
/// meaningless but fixed bank number (spec: relocations, section 4).
std::pair<uint64_t, uint8_t> SectionRelocator::valueOf(Symbol *s,
                                                       uint64_t base) const {
  constexpr uint8_t NoSectionBank = 28, UserBank = 3;
  if (!s)
    return {0, NoSectionBank};
  if (s->isSection())
    return {base, s->section->bank() & 31};
  if (s->isVariable()) {
    auto &v = static_cast<const Variable &>(*s);
    if (v.isTexture() || v.isShared() || v.pooledOffset)
      return valueOfVariable(v);
  }
  if (!s->section) {
    // The finalizer knows the bank of an undefined constant.
    const bool isConstant = s->isVariable() && s->space() == STO_CUDA_CONSTANT;
    return {s->value, ctx.isMercury() && isConstant ? UserBank : NoSectionBank};
  }
  return {s->value + s->section->displacement(), s->section->bank() & 31};
}

std::pair<uint64_t, uint8_t>
SectionRelocator::valueOfVariable(const Variable &v) const {
  constexpr uint8_t NoSectionBank = 28, SharedBank = 6, CompilerBank = 2;
  constexpr uint64_t NotAllocated = ~uint64_t(0);
  if (v.isTexture() && sec.native)
    return {v.textureSlotOffset, 0};
  if (v.isTexture())
    return {v.textureSlot, ctx.isRelocatable() && !ctx.isMercury()
                               ? NoSectionBank
                               : uint8_t(0)};
  if (v.pooledOffset)
    return {*v.pooledOffset, CompilerBank};
  if (ctx.isRelocatable())
    return {v.value, SharedBank};
  if (!v.isDynamicShared())
    return {v.address.value_or(NotAllocated), SharedBank};
  if (sec.owner && sec.owner->dynamicSharedOffset)
    return {*sec.owner->dynamicSharedOffset, SharedBank};
  // In functions that no entry reaches.
  if (ctx.keepsDebugShared())
    return {v.debugOffset.value_or(0), SharedBank};
  return {NotAllocated, SharedBank};
}

void processRelocations(Ctx &ctx) {
  FirstError error;
  std::vector<OutputSection *> targets;
  for (OutputSection *sec : ctx.sections)
    if (sec->live) {
      if (!sec->relocations.empty())
        targets.push_back(sec);
      if (sec->mercury && !sec->mercury->relocations.empty())
        targets.push_back(sec->mercury);
    }
  parallelForEach(ctx, targets.size(), targets.size(), [&](size_t i) {
    SectionRelocator(ctx, *targets[i], error).run();
  });
  if (!error.text.empty())
    ctx.diag.fatal(error.text);
  for (OutputSection *sec : ctx.sections)
    if (sec->role == SectionRole::Relocations && sec->live &&
        (!sec->kept.empty() || (sec->mercury && !sec->mercury->kept.empty())))
      sec->emitted = true;
}

/// Turns a section's kept relocations into its contents, in place: no entry is
/// larger than what it is made of. False: one names a symbol that isn't among
/// the first `symbolCount`.
static bool writeEntries(OutputSection &sec, size_t symbolCount) {
  static_assert(sizeof(KeptRelocation) >= sizeof(Elf_Rela));
  auto *buffer = reinterpret_cast<uint8_t *>(sec.kept.data());
  uint8_t *p = buffer;
  for (size_t i = 0; i != sec.kept.size(); ++i) {
    const KeptRelocation r = sec.kept[i];
    if (r.symbol && ((r.symbol->isVariable() && !r.symbol->index) ||
                     r.symbol->index > symbolCount))
      return false;
    uint64_t info = uint64_t(r.symbol ? r.symbol->index : 0) << 32 | r.type;
    support::endian::write64le(p, r.offset);
    support::endian::write64le(p + 8, info);
    if (sec.entsize == sizeof(Elf_Rela))
      support::endian::write64le(p + 16, r.addend);
    p += sec.entsize;
  }
  sec.setContents({buffer, size_t(p - buffer)});
  return true;
}

/// What the section applies to has a number in the output.
static bool hasTarget(const Ctx &ctx, const OutputSection &sec) {
  return sec.native ? getTwinLinks(ctx, sec).second : sec.target->index;
}

/// Entries with final symbol numbers. Needs them all assigned.
void writeRelocations(Ctx &ctx) {
  std::vector<OutputSection *> sections;
  for (OutputSection *sec : ctx.finalSections)
    if (sec->role == SectionRole::Relocations ||
        sec->role == SectionRole::MercuryRelocations)
      sections.push_back(sec);
  for (const OutputSection *sec : sections)
    if (!hasTarget(ctx, *sec))
      return ctx.diag.fatal("Internal error: " + sec->name +
                            " applies to a section that isn't in the output");
  const size_t nativeCount = ctx.finalSymbols.size();
  const size_t mercuryCount = getMercurySymbolCount(ctx);
  std::atomic<bool> complete{true};
  parallelForEach(ctx, sections.size(), sections.size(), [&](size_t i) {
    const bool isMercury = sections[i]->role == SectionRole::MercuryRelocations;
    if (!writeEntries(*sections[i], isMercury ? mercuryCount : nativeCount))
      complete = false;
  });
  if (!complete)
    ctx.diag.fatal("Internal error: reference to deleted symbol");
}

} // namespace lld::cuda
