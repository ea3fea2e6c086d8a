//===- ExplainSelection.cpp - Links that select nothing -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Ctx.h"
#include "Explain/Explain.h"
#include "Input/NamePatterns.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace lld::cuda {

void warnUnusedPatterns(Ctx &ctx) {
  // Each pattern is looked for in each name.
  constexpr uint64_t MaxLooks = 1 << 22;
  const auto &patterns = ctx.config.kernelsUsed;
  if (!patterns || !ctx.diag.explains() ||
      patterns->size() * ctx.functions.size() > MaxLooks)
    return;
  for (const std::string &pattern : *patterns) {
    if (any_of(ctx.functions, [&](const Function &f) {
          return f.defined && f.isKernel() &&
                 matchesKernelFilter(f.name, pattern);
        }))
      continue;
    ctx.diag.report(DiagId::PatternUnused,
                    {"no kernel matches ", diag::quoted(pattern),
                     ", given with --kernels-used"});
    explainMissingName(ctx, pattern, /*kernelsOnly=*/true);
  }
}

void warnEmptyImage(Ctx &ctx) {
  if (!ctx.diag.explains() || ctx.objects.size() != 0)
    return;
  unsigned hostOnly = 0, wholePrograms = 0;
  std::string example;
  for (const InputFile &file : ctx.inputs)
    for (const InputUnit &unit : file.units) {
      if (unit.holdsDeviceCode)
        return; // Why it isn't linked was said, or asked for.
      wholePrograms += unit.isWholeProgram;
      if (unit.isWholeProgram && example.empty())
        example = unit.label;
      hostOnly += unit.kind == ContentKind::HostObject &&
                  !unit.isWholeProgram && !unit.holdsDeviceCode;
    }
  ctx.diag.report(DiagId::EmptyImage,
                  {"the image is empty: no input has device code for it"});
  if (wholePrograms)
    ctx.diag.explain("compiled without -rdc=true: '" + example + "'" +
                     (wholePrograms > 1
                          ? " and " + utostr(wholePrograms - 1) + " more"
                          : ""));
  if (hostOnly)
    ctx.diag.explain("without device code: " + utostr(hostOnly) +
                     (hostOnly == 1 ? " object" : " objects") +
                     " for the host");
}

} // namespace lld::cuda
