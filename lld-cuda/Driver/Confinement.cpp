//===- Confinement.cpp - --memory-limit, --time-limit and --sandbox -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// takeLimits() and confine() apply the options --memory-limit, --time-limit
/// and --sandbox to a link. prepareLinkJob() in Driver.cpp calls them when the
/// command line is read, before any input is opened: limits first, then the
/// sandbox, which must still let the link write its outputs and start
/// compilers. Limits and sandbox hold for a whole process. In a program that
/// only uses the library, therefore, --memory-limit limits what is decompressed
/// instead, and --time-limit and --sandbox=yes are errors.
///
//===----------------------------------------------------------------------===//

#include "Driver/Driver.h"
#include "LinkJob.h"
#include "Passes.h"
#include "lld-cuda/Support/Limits.h"
#include "lld-cuda/Support/Sandbox.h"

using namespace llvm;
using namespace lld::cuda;

/// In a process of somebody else's only decompression can be limited.
bool lld::cuda::takeLimits(LinkJob &job) {
  Config &config = job.config;
  if (job.ownsProcess) {
    applyLimits(config.limits);
    return true;
  }
  if (config.limits.memory && !config.decompressLimit)
    config.decompressLimit = config.limits.memory << 20;
  if (config.limits.seconds)
    job.diag.report(
        DiagId::UnsupportedOption,
        {"--time-limit works only in programs, not in the library"});
  return !config.limits.seconds;
}

static Error confineProcess(const LinkJob &job, SandboxMode mode) {
  if (!job.ownsProcess)
    return mode == SandboxMode::Yes
               ? createStringError(
                     "--sandbox=yes works only in a program that does one "
                     "link, not in the library or for several links at once")
               : Error::success();
  SandboxRules rules;
  rules.outputs = listOutputPaths(job.config);
  rules.folders = {job.config.environment.temporaryDirectory};
  rules.startsPrograms = true;
  return enterSandbox(mode, rules, "lld-cuda");
}

/// Enters the sandbox. Compilers that the link starts are confined, too.
bool lld::cuda::confine(LinkJob &job) {
  const SandboxMode mode = job.config.sandbox.value_or(SandboxMode::No);
  if (mode == SandboxMode::No)
    return true;
  Error e = confineProcess(job, mode);
  if (!e)
    return true;
  job.diag.report(DiagId::UnsupportedOption, {toString(std::move(e))});
  return false;
}
