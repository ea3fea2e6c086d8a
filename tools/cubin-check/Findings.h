//===- Findings.h - What is told about files --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What cubin-check can find, as Findings.def lists it, and one such thing
/// found in a file. The checks make findings, the policy may change their
/// severity, the reports print them.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_CUBIN_CHECK_FINDINGS_H
#define LLD_CUDA_CUBIN_CHECK_FINDINGS_H

#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>
#include <vector>

namespace lld::cuda {

enum class FindingId : uint8_t {
#define FINDING(ID, ...) ID,
#include "Findings.def"
};

enum class FindingSeverity : uint8_t { Note, Warning, Error };
llvm::StringRef getSeverityName(FindingSeverity severity);

/// What Findings.def says of a finding.
struct FindingFacts {
  llvm::StringLiteral name;
  FindingSeverity severity;
  llvm::StringLiteral effect, cure, source;

  /// Whether a public document says what happens.
  bool isVerified() const { return !source.contains("not verified"); }
};
const FindingFacts &getFacts(FindingId id);
std::optional<FindingId> parseFindingId(llvm::StringRef name);
/// All ids, by their names.
size_t countFindingIds();

struct Finding {
  FindingId id;
  std::string file;           ///< Empty: of no single file.
  std::string what;           ///< A sentence.
  std::vector<unsigned> gpus; ///< Those that it is about; empty: all.
  /// Why the policy allows it; none: it doesn't.
  std::optional<std::string> reason;

  /// What helps, for the GPUs that it is about.
  std::string cure() const;
  bool isError() const {
    return !reason && getFacts(id).severity == FindingSeverity::Error;
  }
};

} // namespace lld::cuda

#endif
