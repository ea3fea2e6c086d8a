//===- Diagnostics.cpp - Messages of a link -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Spec: inputs, section 1.4; addendum, sections 1.2 (item 18) and 2.1.
///
//===----------------------------------------------------------------------===//

#include "Diagnostics.h"
#include "Config.h"
#include "llvm/ADT/SmallString.h"

using namespace llvm;
using namespace lld::cuda;

/// Both flavours have nvlink's form, which build systems search for; only the
/// tool's name differs.
static StringRef severityWord(Severity severity) {
  switch (severity) {
  case Severity::Verbatim:
    break;
  case Severity::Info:
    return "info    : ";
  case Severity::Warning:
    return "warning : ";
  case Severity::Error:
    return "error   : ";
  case Severity::Fatal:
    return "fatal   : ";
  }
  llvm_unreachable("unknown severity");
}

static StringRef toolName(Flavor flavor) {
  return flavor == Flavor::Nvlink ? "nvlink " : "lld-cuda ";
}

bool Diagnostics::hidesWarnings() const {
  return config.disableInfos || config.disableWarnings;
}

void Diagnostics::report(Severity severity, const Twine &text) {
  if (severity == Severity::Warning) {
    if (hidesWarnings())
      return;
    if (config.warningsAsErrors)
      severity = Severity::Error;
  }

  if (severity == Severity::Verbatim) {
    std::lock_guard<std::mutex> lock(mutex);
    err << text;
    return;
  }

  // One write a message, so that lines of two links don't mix.
  std::lock_guard<std::mutex> lock(mutex);
  SmallString<256> line(toolName(config.flavor));
  line += severityWord(severity);
  text.toVector(line);
  if (config.reportArch)
    (" (target: " + Twine(config.archName) + ")").toVector(line);
  line += '\n';
  err << line;

  if (severity == Severity::Error)
    ++errors;
  else if (severity == Severity::Fatal)
    ++fatals;
}
