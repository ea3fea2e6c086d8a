//===- Reports.h - What was found, for people and programs ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_CUBIN_CHECK_REPORTS_H
#define LLD_CUDA_CUBIN_CHECK_REPORTS_H

#include "Check.h"
#include "llvm/Support/raw_ostream.h"

namespace lld::cuda {

struct CheckReport {
  const Facts &facts;
  const CheckOptions &options;
  const CheckResult &result;
  bool isWhole = false; ///< Text shows all of it, and not one page.
};

/// At most 24 lines, the first of which is the answer.
void printText(const CheckReport &report, llvm::raw_ostream &os);
/// As docs/manual/cubin-check.schema.json says.
void printJson(const CheckReport &report, llvm::raw_ostream &os);

/// SARIF 2.1.0.
void printSarif(const CheckReport &report, llvm::raw_ostream &os);
/// A page; see Page.h.
void printHtml(const CheckReport &report, llvm::raw_ostream &os);

} // namespace lld::cuda

#endif
