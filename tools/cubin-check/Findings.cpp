//===- Findings.cpp - The table of findings -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The table of all problems that cubin-check can find. The checks make
/// findings with ids from it while check() runs, Policy.cpp looks ids up by
/// name, and the reports print the rows' texts. Findings.def has a row for each
/// kind of finding: its name, severity, effect, cure and source. A FindingId is
/// the position of its row, so getFacts() is an index into the table. cure()
/// puts the first GPU of the finding in place of "NN" in the text: "-gencode
/// arch=compute_NN" becomes a command that can be copied.
///
//===----------------------------------------------------------------------===//

#include "Findings.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace lld::cuda {

static constexpr FindingFacts Rows[] = {
#define FINDING(ID, NAME, SEVERITY, EFFECT, CURE, SOURCE)                      \
  {NAME, FindingSeverity::SEVERITY, EFFECT, CURE, SOURCE},
#include "Findings.def"
};

StringRef getSeverityName(FindingSeverity severity) {
  static constexpr StringLiteral names[] = {"note", "warning", "error"};
  return names[size_t(severity)];
}

const FindingFacts &getFacts(FindingId id) { return Rows[size_t(id)]; }

std::optional<FindingId> parseFindingId(StringRef name) {
  const auto *it =
      find_if(Rows, [&](const FindingFacts &row) { return row.name == name; });
  if (it == std::end(Rows))
    return std::nullopt;
  return FindingId(it - Rows);
}

std::string Finding::cure() const {
  StringRef rest = getFacts(id).cure;
  if (gpus.empty())
    return rest.str();
  std::string text;
  for (size_t at; (at = rest.find("NN")) != StringRef::npos;) {
    text += rest.take_front(at);
    text += std::to_string(gpus.front());
    rest = rest.drop_front(at + 2);
  }
  text += rest;
  return text;
}

size_t countFindingIds() { return std::size(Rows); }

} // namespace lld::cuda
