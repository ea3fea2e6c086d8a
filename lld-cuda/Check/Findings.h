//===- Findings.h - What an output has that wasn't meant --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Where an output that was read back isn't what was linked (--check). Each
/// check adds to a list, parts that are checked at once have one each; together
/// they become one error.
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

/// What of the output is looked at. Empty: it belongs to none.
struct CheckedPlace {
  llvm::StringRef section, symbol;
  std::optional<uint64_t> offset; ///< In the section, or in the file.
};

/// One difference, as text.
struct Mismatch {
  std::string section, symbol;
  std::optional<uint64_t> offset;
  std::string what, expected, found;
};

/// "0x10"
std::string showNumber(uint64_t number);

/// Differences of one part of an output, the first ones in full.
class Findings {
public:
  void number(const CheckedPlace &at, llvm::StringRef what, uint64_t expected,
              uint64_t found) {
    if (LLVM_UNLIKELY(expected != found))
      addNumbers(at, what, expected, found);
  }
  void text(const CheckedPlace &at, llvm::StringRef what,
            llvm::StringRef expected, llvm::StringRef found) {
    if (LLVM_UNLIKELY(expected != found))
      add(at, what, ("'" + expected + "'").str(), ("'" + found + "'").str());
  }
  void add(const CheckedPlace &at, llvm::StringRef what, std::string expected,
           std::string found);
  /// Those of another part, which come after these.
  void append(Findings &&other);

  size_t count() const { return total; }
  const std::vector<Mismatch> &list() const { return findings; }
  /// One fatal error for all, if there are any.
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
