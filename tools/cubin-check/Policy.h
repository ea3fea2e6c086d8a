//===- Policy.h - What a project allows -------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// --policy: whether PTX counts, and findings that are allowed, each for a
/// reason. As TOML:
///
///     jit = false
///
///     ["old plugin"]
///     id = "no-code"
///     file = "*libplugin.so"
///     gpu = "sm_120"
///     reason = "is not used on Blackwell"
///
/// A table's name is anything; file and gpu may be left out.
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

struct Exception {
  std::string name;
  std::optional<FindingId> id;
  std::string file;                      ///< The pattern, as written.
  std::optional<llvm::GlobPattern> glob; ///< None: all files.
  unsigned gpu = 0;                      ///< 0: all.
  std::string reason;
  bool isUsed = false;
};

struct Policy {
  bool allowsJit = true;
  std::vector<Exception> exceptions;

  /// Gives findings that are allowed their reasons. One that is allowed for
  /// some of its GPUs is divided. Adds a finding for each exception that allows
  /// nothing.
  void apply(std::vector<Finding> &findings);
};

llvm::Expected<Policy> readPolicy(llvm::StringRef text);

} // namespace lld::cuda

#endif
