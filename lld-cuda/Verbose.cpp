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

/// Observed: the part reserved by the system counts on sm_90, but not later.
static uint64_t sharedSize(const Function &f) {
  uint64_t size = sizeOf(f.shared);
  return size ? size - f.shared->reservedSize() : 0;
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
     << stack << " stack, " << sharedSize(f) << " bytes smem";
  if (!ctx.config.arch.isMercury())
    for (auto [bank, sec] :
         {std::pair(0, f.constant0), std::pair(2, f.constant2)})
      if (uint64_t size = sizeOf(sec))
        os << ", " << size << " bytes cmem[" << bank << "]";
  os << ", 0 bytes lmem";
  // A kernel that uses one texture has slots for all there are.
  if (f.reachesTextures && !ctx.config.arch.isMercury())
    for (auto [name, list] : {std::pair("textures", &ctx.textures),
                              std::pair("surfaces", &ctx.surfaces),
                              std::pair("samplers", &ctx.samplers)})
      if (!list->empty())
        os << ", " << list->size() << ' ' << name;
  return text;
}

void printVerbose(Ctx &ctx, Resources &res) {
  if (!ctx.config.verbose)
    return;
  printMemory(ctx);
  // Observed: in reverse order of creation, whatever their bindings are.
  std::vector<Function *> kernels = ctx.kernels();
  for (Function *f : reverse(kernels)) {
    ctx.diag.info("Function properties for '" + f->name + "':");
    ctx.diag.info(describeEntry(ctx, res, *f));
  }
}

} // namespace lld::cuda
