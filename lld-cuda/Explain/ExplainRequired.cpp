//===- ExplainRequired.cpp - Why a kernel of --require-kernels is missing -===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// checkRequiredKernels() sees that the image has each kernel that
/// --require-kernels names, and reports an error with the reason for one that
/// it doesn't have. reportMissing() in Link.cpp calls it when it is known what
/// is reachable. A name may mean several functions; the one that is nearest to
/// a kernel in the image tells the reason: a kernel that was left out, then a
/// kernel that is only declared, then a device function. If there is none, the
/// reason may be a member of an archive that nothing needs, or an image for
/// another architecture; looking into such images takes time, so only 64 inputs
/// are looked into.
///
//===----------------------------------------------------------------------===//

#include "Explain/Explain.h"
#include "Input/InputFiles.h"
#include "Input/ObjectFile.h"
#include "Input/OtherImages.h"
#include "Input/RequiredKernels.h"
#include "Inputs.h"
#include "Program.h"

using namespace llvm;

namespace lld::cuda {

/// How near a function is to being the kernel that is wanted.
static unsigned nearness(const Function &f) {
  if (!f.isKernel())
    return f.defined ? 2 : 1;
  return !f.defined ? 3 : f.reachable ? 5 : 4;
}

static std::string whyLeftOut(const Inputs &inputs, const Program &program,
                              const Function &kernel) {
  const std::string place = "'" +
                            program.objects[kernel.definedIn].label.str() +
                            "' defines it, but ";
  const LldConfig &lld = inputs.config.lld;
  if (!lld.entryNames.empty())
    return place + "-e names only other kernels";
  if (inputs.config.hasKernelFilter())
    return place + "--kernels-used leaves it out";
  return place + "no host code in the inputs launches it; --ignore-host-info "
                 "keeps all kernels";
}

/// Says which image for another architecture has the kernel; "" if none has.
static std::string findElsewhere(const Inputs &inputs,
                                 const RequiredKernels &required,
                                 size_t kernel) {
  constexpr unsigned MaxUnits = 64; // Looking into them takes time.
  unsigned looked = 0;
  for (const InputFile &file : inputs.files)
    for (const InputUnit &unit : file.units) {
      if ((!unit.holds.anyDeviceCode && !unit.told.isIgnoredCubin) ||
          !unit.holds.cubins.empty() || ++looked > MaxUnits ||
          !definesInOtherImage(unit, [&](StringRef symbol) {
            return is_contained(required.find(symbol), kernel);
          }))
        continue;
      return ("'" + unit.label + "' defines it, but has no code for " +
              inputs.config.archName + ", only " + describeImages(unit))
          .str();
    }
  return "";
}

static std::string whyMissing(const Inputs &inputs, const Program &program,
                              const RequiredKernels &required, size_t kernel,
                              const Function *nearest) {
  if (nearest && nearest->isKernel() && nearest->defined)
    return whyLeftOut(inputs, program, *nearest);
  if (nearest && nearest->defined)
    return "'" + program.objects[nearest->definedIn].label.str() +
           "' defines it as a device function, not as a kernel";
  if (const StringRef label = required.findUntaken(kernel); !label.empty())
    return "'" + label.str() +
           "' defines it, but nothing needs this archive member; -u or "
           "--whole-archive links it";
  if (std::string place = findElsewhere(inputs, required, kernel);
      !place.empty())
    return place;
  if (nearest)
    return "'" + program.objects[nearest->mentionedIn].label.str() +
           "' refers to it, but no input defines it";
  return "no input defines it";
}

void checkRequiredKernels(const Inputs &inputs, const Program &program) {
  const RequiredKernels &required = *inputs.requiredKernels;
  std::vector<const Function *> nearest(required.names().size());
  for (const Function &f : program.functions)
    for (size_t kernel : required.find(f.name))
      if (!nearest[kernel] || nearness(f) > nearness(*nearest[kernel]))
        nearest[kernel] = &f;
  for (size_t kernel = 0; kernel != nearest.size(); ++kernel) {
    const Function *f = nearest[kernel];
    if (f && f->isKernel() && f->defined && f->reachable)
      continue;
    const std::string &name = required.names()[kernel];
    inputs.diag.report(DiagId::KernelNotFound,
                       {"the image has no kernel ", diag::symbol(name),
                        ", which --require-kernels asks for: ",
                        whyMissing(inputs, program, required, kernel, f)});
    if (!f)
      explainMissingName(inputs, program, name, /*kernelsOnly=*/true);
  }
}

} // namespace lld::cuda
