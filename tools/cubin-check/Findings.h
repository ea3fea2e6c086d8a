//===- Findings.h - Problems that cubin-check reports -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The kinds of problems that cubin-check knows (Findings.def has a row for
/// each), and a finding: one such problem in a file. The checks (Check.h) make
/// findings, the policy (Policy.h) accepts some of them, and the reports
/// (Reports.h) print them.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_CUBIN_CHECK_FINDINGS_H
#define LLD_CUDA_CUBIN_CHECK_FINDINGS_H

#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>
#include <vector>

namespace lld::cuda {

/// The kinds of problems, one for each row of Findings.def.
enum class FindingId : uint8_t {
#define FINDING(ID, ...) ID,
#include "Findings.def"
};

enum class FindingSeverity : uint8_t { Note, Warning, Error };
llvm::StringRef getSeverityName(FindingSeverity severity);

/// A row of Findings.def.
struct FindingFacts {
  llvm::StringLiteral name;
  FindingSeverity severity;
  llvm::StringLiteral effect, cure, source;

  /// Returns whether a public document describes the effect.
  bool isVerified() const { return !source.contains("not verified"); }
};
const FindingFacts &getFacts(FindingId id);
/// Returns the id with that name ("no-code"), or none.
std::optional<FindingId> parseFindingId(llvm::StringRef name);
/// Returns the number of ids; they count from 0.
size_t countFindingIds();

/// A problem that was found.
struct Finding {
  FindingId id;
  std::string file;           ///< Empty if it concerns several files.
  std::string what;           ///< What was found, as a sentence.
  std::vector<unsigned> gpus; ///< The GPUs that it concerns; if empty, all.
  /// The reason why the policy accepts it; none if it doesn't.
  std::optional<std::string> reason;

  /// Returns the cure of Findings.def with this finding's GPUs filled in.
  std::string cure() const;
  bool isError() const {
    return !reason && getFacts(id).severity == FindingSeverity::Error;
  }
};

} // namespace lld::cuda

#endif
