//===- Reports.h - Printers of cubin-check's result -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Printers of cubin-check's result as text, JSON, SARIF or an HTML page.
/// cubin-check.cpp calls one of them, by the option that was given, after
/// check().
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_CUBIN_CHECK_REPORTS_H
#define LLD_CUDA_CUBIN_CHECK_REPORTS_H

#include "Check.h"
#include "llvm/Support/raw_ostream.h"

namespace lld::cuda {

/// What is printed. Refers to data that must outlive it.
struct CheckReport {
  const Facts &facts;
  const CheckOptions &options;
  const CheckResult &result;
  bool isWhole = false; ///< --all: the text isn't limited to a page.
};

/// Prints the report as text of at most 24 lines (any number with `isWhole`);
/// the first line is the answer.
void printText(const CheckReport &report, llvm::raw_ostream &os);
/// Prints the report as JSON; docs/manual/cubin-check.schema.json describes it.
void printJson(const CheckReport &report, llvm::raw_ostream &os);

/// Prints the report as SARIF 2.1.0, which code scanning services read.
void printSarif(const CheckReport &report, llvm::raw_ostream &os);
/// Prints the report as a page that stands alone; see Page.h.
void printHtml(const CheckReport &report, llvm::raw_ostream &os);

} // namespace lld::cuda

#endif
