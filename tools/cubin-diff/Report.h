//===- Report.h - Result of a comparison ------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The result of a comparison of two cubins: the verdict, and differences
/// grouped by topic. Compare.cpp and Meaning.cpp fill it; Print.cpp prints it.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_CUBIN_DIFF_REPORT_H
#define LLD_CUDA_CUBIN_DIFF_REPORT_H

#include <cstdint>
#include <string>
#include <vector>

namespace lld::cuda {

/// The result of a comparison in one word, from best to worst.
enum class Verdict : uint8_t {
  Identical,        ///< Byte for byte the same.
  IdenticalButNote, ///< Except for the linkers' notes about themselves.
  Scheduling,       ///< Also except for the scheduling of code that nvlink may
                    ///< schedule again.
  Equivalent,       ///< The driver sees the same program.
  Different,        ///< Anything else, including a malformed file.
};

/// What a difference is about, the most important topic first.
enum class Topic : uint8_t {
  Malformed,
  Header,
  SectionSet,
  SectionHeader,
  Code,
  Data,
  Symbols,
  Relocations,
  Info,
  Capmerc,
  Graph,
  Segments,
  Other,
  Mercury,
  Debug,
  Notes,
  Scheduling,
  Order,
};

/// One difference, as a text for people.
struct Difference {
  Topic topic;
  std::string where; ///< "section .text.k"; may be empty.
  std::string text;

  std::string line() const {
    return where.empty() ? text : where + ": " + text;
  }
};

/// The result of the comparison of two cubins.
struct DiffReport {
  Verdict verdict = Verdict::Identical;
  /// What makes the files different, sorted by topic.
  std::vector<Difference> differences;
  /// Why files that mean the same aren't identical.
  std::vector<Difference> remarks;
  bool isMalformed = false; ///< Whether one of them can't be read.
};

} // namespace lld::cuda

#endif
