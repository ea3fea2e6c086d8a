//===- OutputOrder.cpp - Which sections and symbols are written, and their
//numbers -===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Sections are numbered by kind, in creation order within a kind; symbols in
/// creation order, local and weak ones first (spec: ELF output, sections 2 and
/// 6). String tables name everything that was created and lives, written or not
/// (section 5).
///
//===----------------------------------------------------------------------===//

#include "Merge.h"
#include "Passes.h"
#include "StringTable.h"

using namespace llvm;
using namespace lld::cuda::elf;

namespace lld::cuda {

static void numberSections(Ctx &ctx) {
  constexpr unsigned BucketCount = 8;
  std::vector<OutputSection *> buckets[BucketCount];
  for (OutputSection *sec : ctx.sections)
    if (sec->live && sec->emitted)
      buckets[getSectionBucket(*sec)].push_back(sec);
  for (auto &bucket : buckets)
    ctx.finalSections.insert(ctx.finalSections.end(), bucket.begin(),
                             bucket.end());
  for (size_t i = 0; i != ctx.finalSections.size(); ++i)
    ctx.finalSections[i]->index = i + 1;
}

/// Shared variables stay in a final link only for the debugger, and if they
/// have an address (spec: ELF output, section 10).
static bool keepsShared(const Ctx &ctx, const Variable &v) {
  return (ctx.keepsDebugShared() || ctx.config.preserveRelocs) && v.address;
}

/// Whether a symbol's name is in the string table.
static bool isLive(const Ctx &ctx, const Symbol &s) {
  switch (s.kind) {
  case Symbol::Kind::Section:
    return s.section->live;
  case Symbol::Kind::Function:
    return s.live;
  case Symbol::Kind::InnerFunction:
    return s.section->owner->live;
  case Symbol::Kind::Variable:
    break;
  }
  auto &v = static_cast<const Variable &>(s);
  if (ctx.isRelocatable() || v.isTexture())
    return true;
  if (v.other & 3 && (v.other & 3) == STV_INTERNAL)
    return false;
  return v.space() != STO_CUDA_SHARED || keepsShared(ctx, v);
}

static bool hasSectionSymbol(const Ctx &ctx, const OutputSection &sec) {
  if (!sec.live || !sec.emitted)
    return false;
  switch (sec.type) {
  case SHT_STRTAB:
  case SHT_SYMTAB:
  case SHT_SYMTAB_SHNDX:
  case SHT_CUDA_INFO:
  case SHT_CUDA_COMPAT:
  case SHT_REL:
  case SHT_RELA:
    return false;
  case SHT_PROGBITS:
    // Empty debug sections have a header but no symbol (spec: seams, 12).
    return sec.flags & SHF_ALLOC || sec.size;
  case SHT_CUDA_SHARED:
    return ctx.isRelocatable() ? sec.contributed : sec.size > 0;
  default:
    return true;
  }
}

static void numberSymbols(Ctx &ctx) {
  for (Symbol *s : ctx.locals) {
    s->live = isLive(ctx, *s);
    if (s->live && (!s->isSection() || hasSectionSymbol(ctx, *s->section)))
      ctx.finalSymbols.push_back(s);
  }
  ctx.firstGlobalSymbol = ctx.finalSymbols.size() + 1;
  for (Symbol *s : ctx.globals) {
    s->live = isLive(ctx, *s);
    if (s->live && (ctx.isRelocatable() || !isUnifiedTableName(s->name)))
      ctx.finalSymbols.push_back(s);
  }
  for (size_t i = 0; i != ctx.finalSymbols.size(); ++i)
    ctx.finalSymbols[i]->index = i + 1;
}

void assignNumbers(Ctx &ctx) {
  numberSections(ctx);
  numberSymbols(ctx);
}

void buildStringTables(Ctx &ctx) {
  StringTable names(ctx.sections.size());
  for (OutputSection *sec : ctx.sections)
    if (sec->live)
      sec->nameOffset = names.add(sec->name);
  ctx.shstrtab->setContents(ctx.save(names.contents()));

  StringTable strings(ctx.locals.size() + ctx.globals.size());
  for (auto &[prototype, offset] : ctx.prototypeStrings)
    offset = strings.add(prototype.val());
  for (Symbol *s : ctx.locals)
    if (s->live && !s->name.empty())
      s->nameOffset = strings.add(s->name);
  for (Symbol *s : ctx.globals)
    if (s->live && !s->name.empty())
      s->nameOffset = strings.add(s->name);
  ctx.strtab->setContents(ctx.save(strings.contents()));
}

} // namespace lld::cuda
