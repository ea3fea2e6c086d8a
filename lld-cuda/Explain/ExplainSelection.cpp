//===- ExplainSelection.cpp - What isn't in the image ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Ctx.h"
#include "Explain/Explain.h"
#include "Input/InputFiles.h"
#include "Input/NamePatterns.h"
#include "Input/ObjectFile.h"
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

void reportUnit(Ctx &ctx, InputUnit &unit) {
  std::vector<Diagnostic> held;
  for (Diagnostic &d : std::exchange(unit.told.messages, {}))
    if (ctx.config.isLld() && d.id == DiagId::ArchNotFound)
      held.push_back(std::move(d));
    else
      ctx.diag.report(std::move(d));
  unit.told.messages = std::move(held);
}

void reportMissingCode(Ctx &ctx) {
  for (InputFile &file : ctx.inputs)
    for (InputUnit &unit : file.units)
      for (Diagnostic &d : std::exchange(unit.told.messages, {}))
        // Inputs behind a fatal error have messages that nobody asks for.
        if (ctx.config.isLld() && d.id == DiagId::ArchNotFound &&
            !unit.told.isMissingCode)
          ctx.diag.report(std::move(d));
}

namespace {

/// What the inputs have, if they have nothing for the image.
struct UnusedInputs {
  explicit UnusedInputs(const Ctx &ctx);
  bool hasEarlierLink = false; ///< Their code is in another image.
  const InputUnit *otherArchitecture = nullptr;
  const InputUnit *wholeProgram = nullptr; ///< The first one.
  unsigned wholePrograms = 0, hostOnly = 0;
};

struct KernelCounts {
  explicit KernelCounts(const Ctx &ctx) {
    for (const Function &f : ctx.functions) {
      if (!f.isKernel() || !f.defined)
        continue;
      ++all;
      kept += f.reachable;
    }
  }
  unsigned all = 0, kept = 0;
};

} // namespace

UnusedInputs::UnusedInputs(const Ctx &ctx) {
  for (const InputFile &file : ctx.inputs)
    for (const InputUnit &unit : file.units) {
      hasEarlierLink |= unit.host.isRegistered || unit.host.layer;
      if (unit.systemLibrary)
        continue;
      if (unit.holds.anyDeviceCode && unit.holds.cubins.empty() && !otherArchitecture)
        otherArchitecture = &unit;
      if (unit.host.isWholeProgram && !wholePrograms++)
        wholeProgram = &unit;
      hostOnly += unit.kind == ContentKind::HostObject &&
                  !unit.host.isWholeProgram && !unit.holds.anyDeviceCode;
    }
}

static StringRef nameOfHostInfoOption(const Ctx &ctx) {
  return ctx.config.isLld() ? "--ignore-host-info" : "-ignore-host-info";
}

/// nvcc without -arch is the commonest reason.
static void explainDefaultTarget(Ctx &ctx, const InputUnit &unit) {
  if (!ctx.job.isDefaultTarget)
    return;
  const std::string images = describeImages(unit);
  const StringRef has =
      StringRef(images).take_front(images.find_first_of(", "));
  ctx.diag.explain("nvcc links for " + ctx.config.archName + " unless told" +
                   (has.starts_with("sm_") ? ": add -arch=" + has.str()
                                           : std::string()));
}

/// There are objects, but no kernel.
static void warnNoKernel(Ctx &ctx, const KernelCounts &kernels) {
  ctx.diag.report(DiagId::EmptyImage,
                  {"the image is empty: it has no kernel"});
  if (!kernels.all)
    ctx.diag.explain("no input has one");
  else if (ctx.prunesKernels && !ctx.config.hasKernelFilter())
    ctx.diag.explain("no host code of the inputs launches one of theirs; " +
                     nameOfHostInfoOption(ctx) + " keeps all");
}

void warnEmptyImage(Ctx &ctx) {
  if (!ctx.diag.explains() || ctx.diag.errorCount())
    return;
  const bool hasObjects = ctx.objects.size() != 0;
  if (hasObjects && ctx.isRelocatable())
    return;
  const KernelCounts kernels(ctx);
  if (kernels.kept)
    return;
  const UnusedInputs unused(ctx);
  if (unused.hasEarlierLink)
    return;
  if (hasObjects)
    return warnNoKernel(ctx, kernels);
  if (const InputUnit *other = unused.otherArchitecture) {
    ctx.diag.report(DiagId::EmptyImage,
                    {"the image is empty: no input has device code for ",
                     ctx.config.archName});
    return explainDefaultTarget(ctx, *other);
  }
  ctx.diag.report(DiagId::EmptyImage,
                  {"the image is empty: no input has device code for it"});
  if (unused.wholePrograms)
    ctx.diag.explain("compiled without -rdc=true: '" +
                     unused.wholeProgram->label + "'" +
                     (unused.wholePrograms > 1
                          ? " and " + utostr(unused.wholePrograms - 1) + " more"
                          : ""));
  if (unused.hostOnly)
    ctx.diag.explain("without device code: " + utostr(unused.hostOnly) +
                     (unused.hostOnly == 1 ? " object" : " objects") +
                     " for the host");
}

void tellKernelsLeftOut(Ctx &ctx) {
  if (!ctx.job.makesHostObject || !ctx.config.isLld() || !ctx.prunesKernels ||
      ctx.config.hasKernelFilter() || !ctx.diag.explains() ||
      ctx.diag.hidesWarnings() || ctx.diag.errorCount())
    return;
  const KernelCounts kernels(ctx);
  const unsigned leftOut = kernels.all - kernels.kept;
  // Without any kernel there is a warning.
  if (!leftOut || !kernels.kept)
    return;
  ctx.diag.report(DiagId::KernelsLeftOut,
                  {leftOut, " of ", kernels.all,
                   leftOut == 1 ? " kernels is left out, since no host code of "
                                : " kernels are left out, since no host code of ",
                   "the inputs launches ", leftOut == 1 ? "it" : "them", "; ",
                   nameOfHostInfoOption(ctx), " keeps all"});
}

} // namespace lld::cuda
