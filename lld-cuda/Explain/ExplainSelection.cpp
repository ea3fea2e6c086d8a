//===- ExplainSelection.cpp - Kernels and inputs that aren't in the image -===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// These functions tell what a user may expect in the image and doesn't find
/// there: patterns of --kernels-used without a kernel, an image without any
/// kernel, kernels that no host code launches, inputs without code for the
/// target. reportMerge() and reportMissing() in Link.cpp call them.
///
/// For ld.cuda the message that an input has no code for the target waits:
/// reportUnit() holds it back when the inputs are read, since the error for an
/// undefined symbol may say it better. reportMissingCode() tells what nothing
/// has said by then.
///
//===----------------------------------------------------------------------===//

#include "Explain/Explain.h"
#include "Input/InputFiles.h"
#include "Input/NamePatterns.h"
#include "Input/ObjectFile.h"
#include "Input/OtherImages.h"
#include "Inputs.h"
#include "Program.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace lld::cuda {

void warnUnusedPatterns(const Inputs &inputs, const Program &program) {
  // Each pattern is looked for in each name.
  constexpr uint64_t MaxLooks = 1 << 22;
  const auto &patterns = inputs.config.kernelsUsed;
  if (!patterns || !inputs.diag.explains() ||
      patterns->size() * program.functions.size() > MaxLooks)
    return;
  for (const std::string &pattern : *patterns) {
    if (any_of(program.functions, [&](const Function &f) {
          return f.defined && f.isKernel() &&
                 matchesKernelFilter(f.name, pattern);
        }))
      continue;
    inputs.diag.report(
        DiagId::PatternUnused,
        {"--kernels-used: no kernel matches ", diag::quoted(pattern)});
    explainMissingName(inputs, program, pattern, /*kernelsOnly=*/true);
  }
}

void reportUnit(const Inputs &inputs, InputUnit &unit) {
  std::vector<Diagnostic> held;
  for (Diagnostic &d : std::exchange(unit.told.messages, {}))
    if (inputs.config.isLld() && d.id == DiagId::ArchNotFound)
      held.push_back(std::move(d));
    else
      inputs.diag.report(std::move(d));
  unit.told.messages = std::move(held);
}

void reportMissingCode(Inputs &inputs) {
  for (InputFile &file : inputs.files)
    for (InputUnit &unit : file.units)
      for (Diagnostic &d : std::exchange(unit.told.messages, {}))
        // Inputs after a fatal error have messages that nobody prints.
        if (inputs.config.isLld() && d.id == DiagId::ArchNotFound &&
            !unit.told.isMissingCode)
          inputs.diag.report(std::move(d));
}

namespace {

/// What the inputs have, if they have nothing for the image.
struct UnusedInputs {
  explicit UnusedInputs(const Inputs &inputs);
  bool hasEarlierLink = false; ///< Their code is in another image.
  const InputUnit *otherArchitecture = nullptr;
  const InputUnit *wholeProgram = nullptr; ///< The first one.
  unsigned wholePrograms = 0, hostOnly = 0;
};

struct KernelCounts {
  explicit KernelCounts(const Program &program) {
    for (const Function &f : program.functions) {
      if (!f.isKernel() || !f.defined)
        continue;
      ++all;
      kept += f.reachable;
    }
  }
  unsigned all = 0, kept = 0;
};

} // namespace

UnusedInputs::UnusedInputs(const Inputs &inputs) {
  for (const InputFile &file : inputs.files)
    for (const InputUnit &unit : file.units) {
      hasEarlierLink |= unit.host.isRegistered || unit.host.layer;
      if (unit.systemLibrary)
        continue;
      if (unit.holds.anyDeviceCode && unit.holds.cubins.empty() &&
          !otherArchitecture)
        otherArchitecture = &unit;
      if (unit.host.isWholeProgram && !wholePrograms++)
        wholeProgram = &unit;
      hostOnly += unit.kind == ContentKind::HostObject &&
                  !unit.host.isWholeProgram && !unit.holds.anyDeviceCode;
    }
}

static StringRef nameOfHostInfoOption(const Inputs &inputs) {
  return inputs.config.isLld() ? "--ignore-host-info" : "-ignore-host-info";
}

/// nvcc without -arch is the commonest reason.
static void explainDefaultTarget(const Inputs &inputs, const InputUnit &unit) {
  if (!inputs.job.isDefaultTarget)
    return;
  const std::string images = describeImages(unit);
  const StringRef has =
      StringRef(images).take_front(images.find_first_of(", "));
  inputs.diag.explain(
      "nvcc links for " + inputs.config.archName + " by default" +
      (has.starts_with("sm_") ? "; add -arch=" + has.str() : std::string()));
}

/// There are objects, but no kernel.
static void warnNoKernel(const Inputs &inputs, const Program &program,
                         const KernelCounts &kernels) {
  inputs.diag.report(DiagId::EmptyImage,
                     {"the image is empty: it has no kernel"});
  if (!kernels.all)
    inputs.diag.explain("no input has a kernel");
  else if (program.prunesKernels && !inputs.config.hasKernelFilter())
    inputs.diag.explain(
        "no host code in the inputs launches any of their kernels; " +
        nameOfHostInfoOption(inputs) + " keeps all kernels");
}

void warnEmptyImage(const Inputs &inputs, const Program &program) {
  if (!inputs.diag.explains() || inputs.diag.errorCount())
    return;
  const bool hasObjects = !program.objects.empty();
  if (hasObjects && inputs.isRelocatable())
    return;
  const KernelCounts kernels(program);
  if (kernels.kept)
    return;
  const UnusedInputs unused(inputs);
  if (unused.hasEarlierLink)
    return;
  if (hasObjects)
    return warnNoKernel(inputs, program, kernels);
  if (const InputUnit *other = unused.otherArchitecture) {
    inputs.diag.report(DiagId::EmptyImage,
                       {"the image is empty: no input has device code for ",
                        inputs.config.archName});
    return explainDefaultTarget(inputs, *other);
  }
  inputs.diag.report(DiagId::EmptyImage,
                     {"the image is empty: no input has device code for it"});
  if (unused.wholePrograms)
    inputs.diag.explain(
        "compiled without -rdc=true: '" + unused.wholeProgram->label + "'" +
        (unused.wholePrograms > 1
             ? " and " + utostr(unused.wholePrograms - 1) + " more"
             : ""));
  if (unused.hostOnly)
    inputs.diag.explain("without device code: " + utostr(unused.hostOnly) +
                        (unused.hostOnly == 1 ? " object" : " objects") +
                        " for the host");
}

void tellKernelsLeftOut(const Inputs &inputs, const Program &program) {
  if (!inputs.job.makesHostObject || !inputs.config.isLld() ||
      !program.prunesKernels || inputs.config.hasKernelFilter() ||
      !inputs.diag.explains() || inputs.diag.hidesWarnings() ||
      inputs.diag.errorCount())
    return;
  const KernelCounts kernels(program);
  const unsigned leftOut = kernels.all - kernels.kept;
  // Without any kernel there is a warning.
  if (!leftOut || !kernels.kept)
    return;
  inputs.diag.report(
      DiagId::KernelsLeftOut,
      {leftOut, " of ", kernels.all,
       leftOut == 1 ? " kernels is left out, since no host code in "
                    : " kernels are left out, since no host code in ",
       "the inputs launches ", leftOut == 1 ? "it" : "them", "; ",
       nameOfHostInfoOption(inputs), " keeps all kernels"});
}

} // namespace lld::cuda
