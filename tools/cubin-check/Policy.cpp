//===- Policy.cpp - The exceptions that a project allows ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// cubin-check's main() reads --policy with readPolicy(), before any file is
/// checked, and check() calls apply() on the findings. An allowed finding isn't
/// removed, but gets the reason from the policy and no longer counts as an
/// error. If an exception is about one GPU of a finding that is about several,
/// the finding is divided, and the rest stays an error. An exception that
/// matches nothing becomes a finding itself, so that a policy doesn't outlive
/// its reasons.
///
//===----------------------------------------------------------------------===//

#include "Policy.h"
#include "Targets.h"
#include "lld-cuda/Support/Toml.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace lld::cuda {

static Error readKey(Exception &exception, StringRef key, StringRef text) {
  if (key == "reason") {
    exception.reason = text.trim().str();
    return Error::success();
  }
  if (key == "id") {
    exception.id = parseFindingId(text);
    if (exception.id)
      return Error::success();
    return createStringError("there is no finding '" + text + "'");
  }
  if (key == "gpu") {
    Expected<std::vector<Target>> gpus = parseTargets(text);
    if (!gpus)
      return gpus.takeError();
    if (gpus->size() != 1)
      return createStringError("expected one GPU");
    exception.gpu = gpus->front().number;
    return Error::success();
  }
  if (key != "file")
    return createStringError("unknown key '" + key +
                             "'; known keys are id, file, gpu and reason");
  exception.file = text.str();
  return Error::success();
}

/// What an exception needs. Its pattern refers to the text of it, which stays
/// where it is from here on.
static Error finish(Exception &exception) {
  if (!exception.id || exception.reason.empty())
    return createStringError("[\"" + exception.name +
                             "\"] needs id and reason");
  if (exception.file.empty())
    return Error::success();
  constexpr size_t MaxAlternatives = 1024;
  Expected<GlobPattern> glob =
      GlobPattern::create(exception.file, MaxAlternatives);
  if (!glob)
    return createStringError("[\"" + exception.name +
                             "\"]: " + toString(glob.takeError()));
  exception.glob = std::move(*glob);
  return Error::success();
}

Expected<Policy> readPolicy(StringRef text) {
  Policy policy;
  Error error = readToml(
      text,
      [&](StringRef name) {
        policy.exceptions.emplace_back().name = name.str();
        return Error::success();
      },
      [&](StringRef key, const TomlValue &value) -> Error {
        if (policy.exceptions.empty()) {
          if (key != "jit" || !value.flag)
            return createStringError(
                "expected jit = true or false, or [\"exception\"]");
          policy.allowsJit = *value.flag;
          return Error::success();
        }
        if (!value.text)
          return createStringError("expected " + key + " = \"...\"");
        return readKey(policy.exceptions.back(), key, *value.text);
      });
  if (error)
    return error;
  for (Exception &exception : policy.exceptions)
    if (Error e = finish(exception))
      return e;
  return policy;
}

static bool isAbout(const Exception &exception, const Finding &finding) {
  return finding.id == *exception.id &&
         (!exception.glob || exception.glob->match(finding.file)) &&
         (!exception.gpu || is_contained(finding.gpus, exception.gpu));
}

void Policy::apply(std::vector<Finding> &findings) {
  for (Exception &exception : exceptions) {
    std::vector<Finding> rests;
    for (Finding &finding : findings) {
      if (finding.reason || !isAbout(exception, finding))
        continue;
      exception.isUsed = true;
      if (exception.gpu && finding.gpus.size() > 1) {
        Finding rest = finding;
        llvm::erase(rest.gpus, exception.gpu);
        rests.push_back(std::move(rest));
        finding.gpus = {exception.gpu};
      }
      finding.reason = exception.reason;
    }
    findings.insert(findings.end(), rests.begin(), rests.end());
    if (!exception.isUsed)
      findings.push_back({FindingId::ExceptionUnused,
                          exception.file,
                          "exception \"" + exception.name +
                              "\" of the policy matches no finding",
                          {},
                          {}});
  }
}

} // namespace lld::cuda
