//===- Reports.h - Printers of cubin-size's result --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Printers of cubin-size's result as text, JSON or an HTML page, and helpers
/// that they share. cubin-size.cpp calls one printer, by the option that was
/// given, when all files are measured.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_CUBIN_SIZE_REPORTS_H
#define LLD_CUDA_CUBIN_SIZE_REPORTS_H

#include "Tables.h"
#include "llvm/Support/raw_ostream.h"

namespace lld::cuda {

/// A treemap of an HTML page.
struct Picture {
  std::string title;
  page::Tree tree;
};

/// What is printed.
struct SizeReport {
  std::string title;                    ///< Names what is measured.
  uint64_t files = 0, stored = 0;       ///< Their number and bytes.
  std::optional<uint64_t> storedBefore; ///< With --diff.
  uint64_t otherFiles = 0, otherBytes = 0;
  uint64_t plainCode = 0, plainSaving = 0; ///< See Measurement.
  std::vector<Table> tables;
  std::optional<EqualCodeReport> equalCode;
  std::vector<Picture> pictures; ///< For pages.
  size_t top = 0; ///< The most rows to show of a table; 0 for all.
};

/// Prints the report as text.
void printText(const SizeReport &report, llvm::raw_ostream &os);
/// Prints the report as JSON; docs/manual/cubin-size.schema.json describes it.
void printJson(const SizeReport &report, llvm::raw_ostream &os);

/// Prints the report as a page that stands alone; see Page.h.
void printHtml(const SizeReport &report, llvm::raw_ostream &os);

/// Says that linked code isn't compressed and what compressing it would save.
/// Empty if that is too little to mention.
std::string describePlainCode(const SizeReport &report);
/// Formats a number with separators: "1,234,567".
std::string groupDigits(uint64_t number);
/// Formats the change of a row's size with its sign: "+1,234".
std::string groupChange(const TableRow &row);
/// Returns the rows that a report shows, with a last row that sums up the
/// rest, if there is one.
std::vector<TableRow> getShownRows(const SizeReport &report,
                                   const Table &table);

} // namespace lld::cuda

#endif
