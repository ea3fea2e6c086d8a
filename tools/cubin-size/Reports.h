//===- Reports.h - Printing what was measured -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The forms of cubin-size's answer: text, JSON, a page, and what they share.
/// main calls one of them when all files are measured.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_CUBIN_SIZE_REPORTS_H
#define LLD_CUDA_CUBIN_SIZE_REPORTS_H

#include "Tables.h"
#include "llvm/Support/raw_ostream.h"

namespace lld::cuda {

struct Picture {
  std::string title;
  page::Tree tree;
};

struct SizeReport {
  std::string title; ///< What is measured.
  uint64_t files = 0, stored = 0;
  std::optional<uint64_t> storedBefore; ///< With --diff.
  uint64_t otherFiles = 0, otherBytes = 0;
  uint64_t plainCode = 0, plainSaving = 0; ///< As of Measurement.
  std::vector<Table> tables;
  std::optional<EqualCodeReport> equalCode;
  std::vector<Picture> pictures; ///< For pages.
  size_t top = 0;                ///< Rows of a table to show at most; 0: all.
};

void printText(const SizeReport &report, llvm::raw_ostream &os);
/// Prints the report as JSON; docs/manual/cubin-size.schema.json describes it.
void printJson(const SizeReport &report, llvm::raw_ostream &os);

/// Prints the report as a page that stands alone; see Page.h.
void printHtml(const SizeReport &report, llvm::raw_ostream &os);

/// That linked code isn't compressed, and what it would save; empty if it is
/// not worth a word.
std::string describePlainCode(const SizeReport &report);
/// A number with separators: "1,234,567".
std::string groupDigits(uint64_t number);
/// How much a row has changed, with its sign.
std::string groupChange(const TableRow &row);
/// The rows that a report shows, and one for the others, if there are some.
std::vector<TableRow> getShownRows(const SizeReport &report,
                                   const Table &table);

} // namespace lld::cuda

#endif
