//===- RegisterLimits.cpp - Kernels that need more registers than they may ===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// checkRegisterLimits() reports an error for each function that needs more
/// registers than a kernel that reaches it may have (EIATTR_MAXREG_COUNT), and
/// explains it. writeOutput() in Link.cpp calls it when the register counts of
/// kernels are known, before the image is written. A link with -r leaves such
/// errors to the final one, as nvlink does. With -dump-callgraph each function
/// that raises a kernel's count is printed, too.
///
//===----------------------------------------------------------------------===//

#include "Analysis/Resources.h"
#include "Explain/Explain.h"
#include "Inputs.h"
#include "Program.h"
#include "lld-cuda/Demangle/Demangle.h"

using namespace llvm;
using namespace lld::cuda::elf;

namespace lld::cuda {

namespace {
/// A kernel's register count is raised to a function's.
struct RegisterRaise {
  Function *function, *kernel;
  uint32_t registers;
};
} // namespace

/// The steps in which the counts of the functions that `kernel` reaches become
/// the kernel's own, in the order of their text sections.
static void addRegisterRaises(const Program &program, Resources &res,
                              Function &kernel,
                              std::vector<RegisterRaise> &raises) {
  std::vector<Function *> callees;
  for (Function *f : program.callGraph.reachable(kernel))
    if (!f->isCounted && f->reachable && f->text && res.of(*f).registers)
      callees.push_back(f);
  llvm::sort(callees, [](Function *a, Function *b) {
    return a->text->index < b->text->index;
  });
  uint32_t current = *res.of(kernel).registers;
  for (Function *f : callees)
    if (uint32_t registers = *res.of(*f).registers; registers > current) {
      current = registers;
      raises.push_back({f, &kernel, registers});
    }
}

void checkRegisterLimits(const Inputs &inputs, Program &program,
                         Resources &res) {
  const bool showAll =
      (inputs.config.dumpCallGraph || inputs.config.dumpCallGraphNoDemangle) &&
      !inputs.isRelocatable();
  std::vector<RegisterRaise> raises;
  for (size_t e = 0; e != res.kernels.size(); ++e) {
    auto limit = res.of(*res.kernels[e]).maxRegisters;
    if (showAll || (limit && res.ofKernel[e].registers > *limit))
      addRegisterRaises(program, res, *res.kernels[e], raises);
  }
  // nvlink visits the text sections, and for each the kernels in reverse
  // order of their creation.
  llvm::stable_sort(raises, [](const RegisterRaise &a, const RegisterRaise &b) {
    return std::pair(a.function->text->index, ~a.kernel->ordinal) <
           std::pair(b.function->text->index, ~b.kernel->ordinal);
  });
  for (const RegisterRaise &r : raises) {
    auto limit = res.of(*r.kernel).maxRegisters;
    // A relocatable link leaves that to the last one, in nvlink, too.
    if (limit && r.registers > *limit && !inputs.isRelocatable()) {
      inputs.diag.report(DiagId::RegisterLimit,
                         {"entry function ", diag::symbol(r.kernel->name),
                          " with max regcount of ", *limit, " calls function ",
                          diag::symbol(r.function->name), " with regcount of ",
                          r.registers});
      explainRegisterLimit(inputs, program, *r.kernel, *r.function,
                           r.registers - *limit);
    }
    if (showAll)
      inputs.diag.stream()
          << "regcount " << r.registers << " for "
          << inputs.diag.shown(demangleLikeNvlink(r.function->name))
          << " propagated to entry "
          << inputs.diag.shown(demangleLikeNvlink(r.kernel->name)) << '\n';
  }
}

} // namespace lld::cuda
