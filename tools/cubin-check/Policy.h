//===- Policy.h - The policy file of cubin-check ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The policy file of --policy: whether PTX counts as code, and the findings
/// that are accepted, each with a reason. cubin-check.cpp reads it before the
/// files, and check() applies it to the findings at the end. An example:
///
///     jit = false
///
///     ["old plugin"]
///     id = "no-code"
///     file = "*libplugin.so"
///     gpu = "sm_120"
///     reason = "is not used on Blackwell"
///
/// The names of tables are free; file and gpu may be left out.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_CUBIN_CHECK_POLICY_H
#define LLD_CUDA_CUBIN_CHECK_POLICY_H

#include "Findings.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/GlobPattern.h"
#include <optional>
#include <string>
#include <vector>

namespace lld::cuda {

/// One table of the file.
struct Exception {
  std::string name;
  std::optional<FindingId> id;
  std::string file;                      ///< The pattern as written.
  std::optional<llvm::GlobPattern> glob; ///< None matches all files.
  unsigned gpu = 0;                      ///< 120 for sm_120; 0 for all GPUs.
  std::string reason;
  bool isUsed = false; ///< It has matched a finding.
};

/// What a policy file says.
struct Policy {
  bool allowsJit = true;
  std::vector<Exception> exceptions;

  /// Sets the reason of each accepted finding. A finding that is accepted for
  /// some of its GPUs is split in two. Adds a finding for each exception that
  /// matches no finding.
  void apply(std::vector<Finding> &findings);
};

/// Parses the text of a policy file. An error says what is wrong in it.
llvm::Expected<Policy> readPolicy(llvm::StringRef text);

} // namespace lld::cuda

#endif
