//===- OutputSection.cpp - Sections of the output -===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OutputSection.h"
#include "Ctx.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace lld::cuda::elf;

namespace lld::cuda {

unsigned OutputSection::append(ArrayRef<uint8_t> bytes, uint64_t partSize,
                               uint64_t partAlign) {
  SectionPart part;
  part.offset = alignTo(size, std::max<uint64_t>(partAlign, 1));
  part.bytes = bytes;
  part.align = std::max<uint64_t>(partAlign, 1);
  size = part.offset + partSize;
  parts.push_back(part);
  return parts.size() - 1;
}

void OutputSection::setContents(ArrayRef<uint8_t> bytes) {
  parts.clear();
  parts.emplace_back();
  parts.back().bytes = bytes;
  size = bytes.size();
}

uint64_t OutputSection::movedOffset(uint64_t offset) const {
  if (!extras)
    return offset;
  auto next =
      upper_bound(extras->movedUnits, std::make_pair(offset, ~uint64_t(0)));
  if (next == extras->movedUnits.begin())
    return offset;
  auto [before, now] = *std::prev(next);
  return offset - before + now;
}

unsigned getSectionBucket(const OutputSection &sec) {
  enum { Tables, Debug, Notes, Relocations, ReadOnly, Text, Data, NoBits };
  switch (sec.role) {
  case SectionRole::ShStrTab:
  case SectionRole::StrTab:
  case SectionRole::SymTab:
  case SectionRole::SymTabShndx:
    return Tables;
  default:
    break;
  }
  if (sec.type == SHT_REL || sec.type == SHT_RELA ||
      sec.type == SHT_CUDA_RESOLVED_RELA)
    return Relocations;
  if (!(sec.flags & SHF_ALLOC))
    return sec.type == SHT_PROGBITS ? Debug : Notes;
  if (sec.isText())
    return Text;
  if (!(sec.flags & SHF_WRITE))
    return ReadOnly;
  return sec.isNoBits() ? NoBits : Data;
}

std::vector<Function *> Ctx::entries() {
  std::vector<Function *> result;
  for (Function &f : functions)
    if (f.isEntry && f.live && f.defined)
      result.push_back(&f);
  return result;
}

std::vector<Function *> Ctx::kernels() {
  std::vector<Function *> result;
  for (Function &f : functions)
    if (f.isKernel() && f.live && f.defined && f.text)
      result.push_back(&f);
  return result;
}

OutputSection *createSection(Ctx &ctx, StringRef name, uint32_t type,
                             uint64_t flags, uint64_t align, uint64_t entsize,
                             Function *owner, bool symbolLater) {
  OutputSection &sec =
      ctx.sectionStorage.emplace_back(name, type, flags, align, entsize);
  sec.owner = owner;
  ctx.sections.push_back(&sec);
  if (!symbolLater)
    addSectionSymbol(ctx, sec);
  return &sec;
}

void addSectionSymbol(Ctx &ctx, OutputSection &sec) {
  auto *sym = new (ctx.arena)
      Symbol(Symbol::Kind::Section, sec.name, STB_LOCAL, STT_SECTION, 0);
  sym->section = &sec;
  sym->defined = true;
  sec.symbol = sym;
  ctx.locals.push_back(sym);
}

OutputSection *createSharedSection(Ctx &ctx, Function &kernel) {
  return createSection(ctx, ctx.saver.save(".nv.shared." + kernel.name),
                       SHT_CUDA_SHARED, SHF_WRITE | SHF_ALLOC | SHF_INFO_LINK,
                       1, 0, &kernel);
}

OutputSection *findNamedSection(Ctx &ctx, StringRef name) {
  return ctx.sectionsByName.lookup(CachedHashStringRef(name));
}

OutputSection *getNamedSection(Ctx &ctx, StringRef name, uint32_t type,
                               uint64_t flags, uint64_t align,
                               uint64_t entsize) {
  OutputSection *&sec = ctx.sectionsByName[CachedHashStringRef(name)];
  if (!sec) {
    sec = createSection(ctx, name, type, flags, align, entsize);
    if (name == ".nv_debug.shared") {
      sec->role = SectionRole::DebugShared;
      ctx.debugShared = sec;
    }
  }
  sec->align = std::max(sec->align, align);
  return sec;
}

} // namespace lld::cuda
