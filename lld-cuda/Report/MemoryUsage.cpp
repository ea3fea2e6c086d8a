//===- MemoryUsage.cpp - --print-memory-usage -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// reportMemoryUsage() prints what nvlink's -v tells, as a table or as JSON
/// (--print-memory-usage): the memory that all kernels share with its limits,
/// then registers, barriers and memory of each kernel, everything it calls
/// included. It also gives the numbers of kernels to programs that use the
/// linker as a library (LinkFacts). writeOutput() in Link.cpp calls it when it
/// is known what kernels inherit from the functions they call, before the image
/// is written.
///
//===----------------------------------------------------------------------===//

#include "Analysis/Resources.h"
#include "Inputs.h"
#include "Program.h"
#include "Report/Reports.h"
#include "lld-cuda/Support/Json.h"
#include "lld-cuda/Support/LongLived.h"
#include "llvm/Support/Format.h"

using namespace llvm;
using namespace lld::cuda::elf;

namespace lld::cuda {

namespace {

/// A kind of memory that all kernels share.
struct Region {
  StringRef name;
  uint64_t used;
  uint64_t size; ///< 0: no limit but the device's.
};

struct Usage {
  std::vector<Region> regions;
  std::vector<KernelFacts> kernels;
  uint64_t sharedLimit;
};

} // namespace

static KernelFacts measure(const Inputs &inputs, Program &program,
                           Resources &res, Function &f) {
  KernelFacts usage;
  usage.name = f.name.str();
  const FunctionResources &own = res.of(f);
  usage.registers = own.registers.value_or(0);
  usage.barriers = own.barriers.value_or(0);
  usage.stack = usage.frame = own.frameSize;
  if (const KernelResources *kernel = res.kernelOf(f);
      kernel && !inputs.isRelocatable()) {
    usage.registers = kernel->registers;
    usage.barriers =
        kernel->values[createdIndex(EIATTR_NUM_BARRIERS)].value_or(0);
    usage.stack = kernel->minStackSize;
    if (kernel->minStackSize == UnboundedStack)
      usage.stack.reset();
  }
  usage.shared = writtenSize(f.shared);
  usage.dynamicShared = f.dynamicSharedOffset.has_value();
  usage.parameters = writtenSize(f.constant0);
  usage.compilerConstants = writtenSize(f.constant2);
  return usage;
}

static Usage measure(const Inputs &inputs, Program &program, Resources &res) {
  constexpr uint64_t ConstantBankSize = 0x10000;
  Usage usage;
  usage.regions = {
      {"global memory",
       writtenSize(findNamedSection(program, SectionKind::Global)) +
           writtenSize(findNamedSection(program, SectionKind::GlobalInit)),
       0},
      {"constant memory",
       writtenSize(findNamedSection(program, SectionKind::UserConstants)),
       ConstantBankSize}};
  usage.sharedLimit = getArchitectureLimits(inputs.sm())->sharedDefault;
  std::vector<Function *> kernels = program.kernels();
  llvm::sort(kernels,
             [](Function *a, Function *b) { return a->name < b->name; });
  usage.kernels.reserve(kernels.size());
  for (Function *f : kernels)
    usage.kernels.push_back(measure(inputs, program, res, *f));
  return usage;
}

static void printTable(const Inputs &inputs, const Usage &usage) {
  raw_ostream &os = inputs.out;
  os << "Memory           Used (bytes)      Limit   Used\n";
  for (const Region &r : usage.regions) {
    os << left_justify(r.name, 16)
       << format("%13llu", (unsigned long long)r.used);
    if (r.size)
      os << format(" %10llu %5.1f%%", (unsigned long long)r.size,
                   100.0 * double(r.used) / double(r.size));
    os << '\n';
  }
  os << "\nRegisters  Barriers     Local     Stack    Shared  Parameters  "
        "Constants  Kernel\n";
  for (const KernelFacts &k : usage.kernels) {
    os << format("%9u %9u %9u ", k.registers, k.barriers, k.frame);
    if (k.stack)
      os << format("%9u", *k.stack);
    else
      os << "  unknown";
    os << format(" %9llu", (unsigned long long)k.shared)
       << (k.dynamicShared ? '+' : ' ')
       << format("%11llu %10llu  ", (unsigned long long)k.parameters,
                 (unsigned long long)k.compilerConstants)
       << inputs.diag.display(k.name) << '\n';
  }
  os << "Local is the memory of the kernel itself; Stack includes everything "
        "it calls.\nSizes are in bytes.\n";
  if (any_of(usage.kernels,
             [](const KernelFacts &k) { return k.dynamicShared; }))
    os << "+: plus the dynamic shared memory that the launch asks for\n";
}

static void printJson(const Inputs &inputs, const Usage &usage) {
  PrintableJsonStream text(inputs.out);
  json::OStream j(text, 2);
  j.object([&] {
    j.attribute("output", inputs.config.output);
    j.attribute("arch", inputs.config.archName);
    j.attribute("globalBytes", int64_t(usage.regions[0].used));
    j.attribute("constantBytes", int64_t(usage.regions[1].used));
    j.attribute("constantLimit", int64_t(usage.regions[1].size));
    j.attribute("sharedLimit", int64_t(usage.sharedLimit));
    j.attributeArray("kernels", [&] {
      for (const KernelFacts &k : usage.kernels)
        j.object([&] {
          j.attribute("name", inputs.diag.demangle(k.name));
          j.attribute("symbol", k.name);
          j.attribute("registers", k.registers);
          j.attribute("barriers", k.barriers);
          j.attribute("localBytes", k.frame);
          if (k.stack)
            j.attribute("stackBytes", *k.stack);
          else
            j.attribute("stackBytes", nullptr);
          j.attribute("sharedBytes", int64_t(k.shared));
          j.attribute("dynamicShared", k.dynamicShared);
          j.attribute("parameterBankBytes", int64_t(k.parameters));
          j.attribute("compilerConstantBytes", int64_t(k.compilerConstants));
        });
    });
  });
  text << '\n';
}

void reportMemoryUsage(const Inputs &inputs, Program &program, Resources &res) {
  if (inputs.job.facts && inputs.job.wantsKernelFacts) {
    LongLived kept; // The caller of the link gets them.
    inputs.job.facts->kernels = measure(inputs, program, res).kernels;
  }
  switch (inputs.config.lld.memoryUsage) {
  case MemoryUsageFormat::None:
    return;
  case MemoryUsageFormat::Table:
    return printTable(inputs, measure(inputs, program, res));
  case MemoryUsageFormat::JSON:
    return printJson(inputs, measure(inputs, program, res));
  }
}

} // namespace lld::cuda
