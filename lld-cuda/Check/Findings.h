//===- Findings.h - Differences that --check has found ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The list of differences that --check (Check.h) has found between an output,
/// read back at the end of a link, and what the link meant. All sources in
/// Check/ add to such a list; parts that are checked in parallel have a list
/// each. checkImage() in Check.cpp then reports all differences as one error.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_CHECK_FINDINGS_H
#define LLD_CUDA_CHECK_FINDINGS_H

#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Compiler.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace lld::cuda {

class Diagnostics;

/// The place in the output that a comparison is about. A member is empty if the
/// place is in no section, or belongs to no symbol.
struct CheckedPlace {
  llvm::StringRef section, symbol;
  std::optional<uint64_t> offset; ///< Bytes in the section, or in the file.
};

/// One difference, as text.
struct Mismatch {
  std::string section, symbol;
  std::optional<uint64_t> offset;
  std::string what, expected, found;
};

/// Returns a number as in "0x10".
std::string showNumber(uint64_t number);

/// Collects differences. Only the first ten are kept in full; all are counted.
class Findings {
public:
  /// Adds a difference if the two numbers differ.
  void number(const CheckedPlace &at, llvm::StringRef what, uint64_t expected,
              uint64_t found) {
    if (LLVM_UNLIKELY(expected != found))
      addNumbers(at, what, expected, found);
  }
  /// Adds a difference if the two texts differ.
  void text(const CheckedPlace &at, llvm::StringRef what,
            llvm::StringRef expected, llvm::StringRef found) {
    if (LLVM_UNLIKELY(expected != found))
      add(at, what, ("'" + expected + "'").str(), ("'" + found + "'").str());
  }
  void add(const CheckedPlace &at, llvm::StringRef what, std::string expected,
           std::string found);
  /// Appends the differences that another part of the check has found.
  void append(Findings &&other);

  size_t count() const { return total; }
  const std::vector<Mismatch> &list() const { return findings; }
  /// Reports one fatal error for all differences, if there are any.
  void report(Diagnostics &diag) const;

private:
  LLVM_ATTRIBUTE_NOINLINE void addNumbers(const CheckedPlace &at,
                                          llvm::StringRef what,
                                          uint64_t expected, uint64_t found);

  std::vector<Mismatch> findings;
  size_t total = 0;
};

} // namespace lld::cuda

#endif
