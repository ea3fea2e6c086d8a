//===- Verbose.cpp - What -v prints ---------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// printVerbose() prints what nvlink's -v prints: the sizes of the memory
/// spaces, and registers, stack and memory of each kernel [verbose-text].
/// writeOutput() in Link.cpp calls it when it is known what kernels inherit
/// from the functions they call, before the image is written.
/// --print-memory-usage (MemoryUsage.cpp) prints these facts for people and
/// programs.
///
//===----------------------------------------------------------------------===//

#include "Analysis/Resources.h"
#include "Inputs.h"
#include "Passes.h"
#include "Program.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace lld::cuda::elf;

namespace lld::cuda {

/// Observed: the part reserved by the system counts on sm_90, but not later.
static uint64_t sharedSize(const Function &f) {
  uint64_t size = writtenSize(f.shared);
  return size ? size - f.shared->reservedSize() : 0;
}

static void printMemory(const Inputs &inputs, const Program &program) {
  uint64_t global =
      writtenSize(findNamedSection(program, SectionKind::Global)) +
      writtenSize(findNamedSection(program, SectionKind::GlobalInit));
  std::string text = (Twine(global) + " bytes gmem").str();
  // Not from sm_100 on, where the banks have other names when this is printed.
  static constexpr std::pair<StringLiteral, StringLiteral> Banks[] = {
      {".nv.constant3", "3"}, {".nv.constant4", "4"}};
  for (const auto &[name, bank] : Banks)
    if (uint64_t size = writtenSize(findNamedSection(program, name));
        size && !inputs.config.arch.isMercury())
      text += (", " + Twine(size) + " bytes cmem[" + bank + "]").str();
  inputs.diag.report(DiagId::MemoryUse, {text});
}

static std::string describeKernel(const Inputs &inputs, Program &program,
                                  Resources &res, Function &f) {
  const FunctionResources &own = res.of(f);
  const KernelResources *kernel = res.kernelOf(f);
  uint32_t registers = own.registers.value_or(0),
           barriers = own.barriers.value_or(0), stack = 0;
  // Observed: of a kernel that is launched, but left out by --kernels-used,
  // only what it needs itself.
  if (!kernel && !inputs.isRelocatable())
    stack = own.frameSize;
  if (kernel && !inputs.isRelocatable()) {
    registers = kernel->registers;
    barriers = kernel->values[createdIndex(EIATTR_NUM_BARRIERS)].value_or(0);
    stack = kernel->minStackSize == UnboundedStack ? own.frameSize
                                                   : kernel->minStackSize;
  }
  std::string text;
  raw_string_ostream os(text);
  os << "used " << registers << " registers, ";
  if (!inputs.countsBarriersInFlags())
    os << "used " << barriers << " barriers, ";
  os << stack << " stack, " << sharedSize(f) << " bytes smem";
  if (!inputs.config.arch.isMercury())
    for (auto [bank, sec] :
         {std::pair(0, f.constant0), std::pair(2, f.constant2)})
      if (uint64_t size = writtenSize(sec))
        os << ", " << size << " bytes cmem[" << bank << "]";
  os << ", 0 bytes lmem";
  // A kernel that uses one texture has slots for all there are.
  if (f.reachesTextures && !inputs.config.arch.isMercury())
    for (auto [name, list] : {std::pair("textures", &program.textures),
                              std::pair("surfaces", &program.surfaces),
                              std::pair("samplers", &program.samplers)})
      if (!list->empty())
        os << ", " << list->size() << ' ' << name;
  return text;
}

void printVerbose(const Inputs &inputs, Program &program, Resources &res) {
  if (!inputs.config.verbose)
    return;
  printMemory(inputs, program);
  // Observed: in reverse order of definition, whatever their bindings are; an
  // earlier file may have launched one [messages-verbose].
  std::vector<Function *> kernels = program.kernels();
  llvm::sort(kernels, [](const Function *a, const Function *b) {
    return a->text->index < b->text->index;
  });
  for (Function *f : reverse(kernels)) {
    inputs.diag.report(
        DiagId::FunctionProperties,
        {"Function properties for ", diag::symbol(f->name), ":"});
    inputs.diag.report(DiagId::FunctionProperties,
                       {describeKernel(inputs, program, res, *f)});
  }
}

} // namespace lld::cuda
