//===- Verbose.cpp - What -v prints -===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Sizes of the memory spaces and resources of each kernel [verbose-text].
///
//===----------------------------------------------------------------------===//

#include "Ctx.h"
#include "Passes.h"
#include "Resources.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace lld::cuda::elf;

namespace lld::cuda {

/// Observed: the part reserved by the system counts on sm_90, but not later.
static uint64_t sharedSize(const Function &f) {
  uint64_t size = writtenSize(f.shared);
  return size ? size - f.shared->reservedSize() : 0;
}

static void printMemory(Ctx &ctx) {
  uint64_t global = writtenSize(findNamedSection(ctx, SectionKind::Global)) +
                    writtenSize(findNamedSection(ctx, SectionKind::GlobalInit));
  std::string text = (Twine(global) + " bytes gmem").str();
  // Not from sm_100 on, where the banks have other names when this is printed.
  static constexpr std::pair<StringLiteral, StringLiteral> Banks[] = {
      {".nv.constant3", "3"}, {".nv.constant4", "4"}};
  for (const auto &[name, bank] : Banks)
    if (uint64_t size = writtenSize(findNamedSection(ctx, name));
        size && !ctx.config.arch.isMercury())
      text += (", " + Twine(size) + " bytes cmem[" + bank + "]").str();
  ctx.diag.report(DiagId::MemoryUse, {text});
}

static std::string describeKernel(Ctx &ctx, Resources &res, Function &f) {
  const FunctionResources &own = res.of(f);
  const KernelResources *kernel = res.kernelOf(f);
  uint32_t registers = own.registers.value_or(0),
           barriers = own.barriers.value_or(0), stack = 0;
  // Observed: of a kernel that is launched, but left out by --kernels-used,
  // only what it needs itself.
  if (!kernel && !ctx.isRelocatable())
    stack = own.frameSize;
  if (kernel && !ctx.isRelocatable()) {
    registers = kernel->registers;
    barriers = kernel->values[createdIndex(EIATTR_NUM_BARRIERS)].value_or(0);
    stack = kernel->minStackSize == UnboundedStack ? own.frameSize
                                                   : kernel->minStackSize;
  }
  std::string text;
  raw_string_ostream os(text);
  os << "used " << registers << " registers, ";
  if (!ctx.countsBarriersInFlags())
    os << "used " << barriers << " barriers, ";
  os << stack << " stack, " << sharedSize(f) << " bytes smem";
  if (!ctx.config.arch.isMercury())
    for (auto [bank, sec] :
         {std::pair(0, f.constant0), std::pair(2, f.constant2)})
      if (uint64_t size = writtenSize(sec))
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
  // Observed: in reverse order of definition, whatever their bindings are; an
  // earlier file may have launched one [messages-verbose].
  std::vector<Function *> kernels = ctx.kernels();
  llvm::sort(kernels, [](const Function *a, const Function *b) {
    return a->text->index < b->text->index;
  });
  for (Function *f : reverse(kernels)) {
    ctx.diag.report(DiagId::FunctionProperties,
                    {"Function properties for ", diag::symbol(f->name), ":"});
    ctx.diag.report(DiagId::FunctionProperties, {describeKernel(ctx, res, *f)});
  }
}

} // namespace lld::cuda
