//===- Check.cpp - Runs all checks and gives the answer -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// cubin-check's main() calls check() once, when all files are read.
/// checkCoverage() comes first, since it fills the verdicts that the answer
/// sums up; the other checks only add findings. The policy is applied to all
/// findings together. Findings are then sorted: those that the policy allows
/// come last, and errors before warnings and notes. The exit status is 2 if
/// something is unreadable, since nothing is certain then, 1 if a finding is an
/// error, and 0 otherwise.
///
//===----------------------------------------------------------------------===//

#include "Check.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <map>

using namespace llvm;

namespace lld::cuda {

StringRef getVerdictName(RunVerdict verdict) {
  static constexpr StringLiteral names[] = {"code", "ptx", "?", "no"};
  return names[size_t(verdict)];
}

static std::string countFiles(size_t count) {
  return std::to_string(count) + (count == 1 ? " file" : " files");
}

/// "not on sm_100: 3 of 41 files have no usable code for it". GPUs for which as
/// many files have none are told together.
static void addMissing(const CheckResult &result, const CheckOptions &options,
                       std::vector<std::string> &parts) {
  std::map<size_t, std::vector<unsigned>> byCount;
  for (size_t k = 0; k != options.targets.size(); ++k)
    if (result.on[k] == RunVerdict::No)
      byCount[count_if(result.files, [&](const FileVerdict &file) {
        return file.on[k] == RunVerdict::No;
      })].push_back(options.targets[k].number);
  for (const auto &[count, gpus] : byCount) {
    std::string text = "not on " + listGpus(gpus) + ": ";
    text += result.files.size() == 1 ? "it has"
                                     : std::to_string(count) + " of " +
                                           countFiles(result.files.size()) +
                                           (count == 1 ? " has" : " have");
    text += " no usable code for ";
    parts.push_back(text + (gpus.size() == 1 ? "it" : "them"));
  }
}

static std::string makeAnswer(const CheckResult &result,
                              const CheckOptions &options) {
  const size_t damaged = count_if(result.findings, [](const Finding &finding) {
    return finding.id == FindingId::Unreadable;
  });
  if (result.files.empty())
    return damaged ? "unknown: nothing could be read" : "no device code";
  std::vector<unsigned> on[4];
  for (size_t k = 0; k != options.targets.size(); ++k)
    on[size_t(result.on[k])].push_back(options.targets[k].number);
  std::vector<std::string> parts;
  if (damaged)
    parts.push_back("incomplete: " + std::to_string(damaged) +
                    (damaged == 1 ? " part is" : " parts are") + " unreadable");
  auto add = [&](RunVerdict verdict, StringRef text) {
    if (!on[size_t(verdict)].empty())
      parts.push_back((text + listGpus(on[size_t(verdict)])).str());
  };
  add(RunVerdict::Runs, damaged ? "others run on " : "runs on ");
  add(RunVerdict::Compiles, "after compiling its PTX on ");
  add(RunVerdict::Unknown, "unknown on ");
  if (options.isAsked)
    addMissing(result, options, parts);
  else
    add(RunVerdict::No, "not on ");
  // Findings about GPUs are in the parts above already.
  const size_t errors = count_if(result.findings, [](const Finding &finding) {
    return finding.isError() && finding.gpus.empty() &&
           finding.id != FindingId::Unreadable &&
           finding.id != FindingId::DriverUnknown;
  });
  if (errors)
    parts.push_back(std::to_string(errors) +
                    (errors == 1 ? " other finding is an error"
                                 : " other findings are errors"));
  std::string text = join(parts, "; ");
  if (!options.driver.empty())
    text += " (driver " + options.driver + ")";
  return text;
}

CheckResult check(const Facts &facts, CheckOptions &options) {
  CheckResult result;
  result.findings = facts.findings;
  checkCoverage(facts, options, result);
  checkDeviceLinks(facts, result);
  checkVersions(facts, result);
  checkResources(facts, options, result);
  checkSize(facts, result);
  if (result.files.empty() && result.findings.empty())
    result.findings.push_back(
        {FindingId::NoDeviceCode, "", "no file has device code", {}, {}});
  options.policy.apply(result.findings);
  llvm::stable_sort(result.findings, [](const Finding &a, const Finding &b) {
    return std::make_pair(a.reason.has_value(), getFacts(b.id).severity) <
           std::make_pair(b.reason.has_value(), getFacts(a.id).severity);
  });
  result.answer = makeAnswer(result, options);
  for (const Finding &finding : result.findings)
    if (finding.id == FindingId::Unreadable)
      result.status = 2;
    else if (finding.isError())
      result.status = std::max(result.status, 1);
  return result;
}

} // namespace lld::cuda
