//===- Verbose.cpp - What -v prints -===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Sizes of the memory spaces and resources of each kernel (spec: nv.info,
/// section 8).
///
//===----------------------------------------------------------------------===//

#include "Ctx.h"
#include "Passes.h"
#include "Resources.h"

using namespace llvm;
using namespace lld::cuda::elf;

namespace lld::cuda {

static uint64_t sizeOf(const OutputSection *sec) {
  return sec && sec->live && sec->emitted ? sec->size : 0;
}

static void printMemory(Ctx &ctx) {
  uint64_t global = sizeOf(findNamedSection(ctx, ".nv.global")) +
                    sizeOf(findNamedSection(ctx, ".nv.global.init"));
  std::string text = (Twine(global) + " bytes gmem").str();
  if (uint64_t user = sizeOf(findNamedSection(ctx, ".nv.constant3"));
      user && !ctx.config.arch.isMercury())
    text += (", " + Twine(user) + " bytes cmem[3]").str();
  ctx.diag.info(text);
}

/// Textures, samplers and surfaces that the functions a kernel reaches use.
static void countTextures(Ctx &ctx, const Function &entry,
                          unsigned (&counts)[3]) {
  DenseSet<Symbol *> seen;
  auto scan = [&](const ObjectFile &obj, auto entries) {
    for (auto &r : entries) {
      Symbol *s = obj.symbols[r.getSymbol(false)];
      if (!s || !s->isVariable() || !static_cast<Variable *>(s)->isTexture() ||
          !seen.insert(s).second)
        continue;
      ++counts[s->type == STT_CUDA_TEXTURE   ? 0
               : s->type == STT_CUDA_SURFACE ? 1
                                             : 2];
    }
  };
  for (Function *f : ctx.callGraph.reachable(entry)) {
    if (!f->usesTextures)
      continue;
    for (const RelocationGroup &g : f->text->relocations) {
      if (g.file->file.sections()[g.inputSection].sh_type == SHT_RELA)
        scan(*g.file, g.file->file.relas(g.inputSection));
      else
        scan(*g.file, g.file->file.rels(g.inputSection));
    }
  }
}

static std::string describeEntry(Ctx &ctx, Resources &res, Function &f) {
  const FunctionResources &own = res.of(f);
  const EntryResources *entry = res.entryOf(f);
  uint32_t registers = own.registers.value_or(0),
           barriers = own.barriers.value_or(0), stack = 0;
  if (entry && !ctx.isRelocatable()) {
    registers = entry->registers;
    barriers = entry->values[createdIndex(EIATTR_NUM_BARRIERS)].value_or(0);
    stack = entry->minStackSize == UnboundedStack ? own.frameSize
                                                  : entry->minStackSize;
  }
  std::string text;
  raw_string_ostream os(text);
  os << "used " << registers << " registers, used " << barriers << " barriers, "
     << stack << " stack, " << sizeOf(f.shared) << " bytes smem";
  if (!ctx.config.arch.isMercury())
    for (auto [bank, sec] :
         {std::pair(0, f.constant0), std::pair(2, f.constant2)})
      if (uint64_t size = sizeOf(sec))
        os << ", " << size << " bytes cmem[" << bank << "]";
  os << ", 0 bytes lmem";
  unsigned counts[3] = {};
  if (!ctx.config.arch.isMercury())
    countTextures(ctx, f, counts);
  static constexpr StringLiteral Names[] = {"textures", "surfaces", "samplers"};
  for (unsigned i = 0; i != 3; ++i)
    if (counts[i])
      os << ", " << counts[i] << " " << Names[i];
  return text;
}

void printVerbose(Ctx &ctx, Resources &res) {
  if (!ctx.config.verbose)
    return;
  printMemory(ctx);
  std::vector<Function *> entries = ctx.entries();
  llvm::sort(entries,
             [](Function *a, Function *b) { return a->index > b->index; });
  for (Function *f : entries) {
    ctx.diag.info("Function properties for '" + f->name + "':");
    ctx.diag.info(describeEntry(ctx, res, *f));
  }
}

} // namespace lld::cuda
