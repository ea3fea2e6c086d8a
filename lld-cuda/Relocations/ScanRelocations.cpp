//===- ScanRelocations.cpp - What each function's code refers to ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// scanRelocations() reads the relocations of all functions' code once, to find
/// which shared variables each function uses, and whether it uses textures.
/// layoutImage() in Link.cpp calls it when dead functions are removed, before
/// shared memory and texture slots are laid out by these facts. Relocations of
/// definitions that lost don't count [shared-uses],
/// [texture-slots-of-replaced].
///
//===----------------------------------------------------------------------===//

#include "Input/ObjectFile.h"
#include "Parallel.h"
#include "Passes.h"
#include "Program.h"

using namespace llvm;
using namespace lld::cuda::elf;

namespace lld::cuda {

template <typename Rel>
static void scan(Function &f, const ObjectFile &obj, ArrayRef<Rel> entries,
                 DenseSet<Variable *> &seen) {
  for (const Rel &r : entries) {
    Symbol *s = obj.symbols[r.getSymbol(false)];
    if (!s || !s->isVariable())
      continue;
    auto *v = static_cast<Variable *>(s);
    if (v->isTexture()) {
      f.usesTextures = true;
      f.usesSamplers |= v->type != STT_CUDA_TEXTURE;
    } else if (v->isShared() && seen.insert(v).second) {
      f.sharedUses.push_back(v);
    }
  }
}

static void scanFunction(Function &f, DenseSet<Variable *> &seen) {
  if (!f.text || f.aliasOf)
    return;
  seen.clear();
  for (const RelocationGroup &g : f.text->relocations) {
    if (g.file->ordinal != f.definedIn)
      continue;
    if (g.file->file.sections()[g.inputSection].sh_type == SHT_RELA)
      scan(f, *g.file, g.file->relas(g.inputSection), seen);
    else
      scan(f, *g.file, g.file->file.rels(g.inputSection), seen);
  }
}

void scanRelocations(const Inputs &inputs, Program &program) {
  if (!program.hasSharedVariables() && program.textures.empty() &&
      program.samplers.empty() && program.surfaces.empty())
    return;
  parallelForPieces(inputs, program.functions.size(),
                    [&](size_t begin, size_t end) {
                      DenseSet<Variable *> seen;
                      for (size_t i = begin; i != end; ++i)
                        scanFunction(program.functions[i], seen);
                    });
}

} // namespace lld::cuda
