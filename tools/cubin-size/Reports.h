//===- Reports.h - Printing what was measured -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_CUBIN_SIZE_REPORTS_H
#define LLD_CUDA_CUBIN_SIZE_REPORTS_H

#include "Tables.h"
#include "llvm/Support/raw_ostream.h"

namespace lld::cuda {

struct SizeReport {
  uint64_t files = 0, stored = 0;
  std::optional<uint64_t> storedBefore; ///< With --diff.
  uint64_t otherFiles = 0, otherBytes = 0;
  std::vector<Table> tables;
  std::optional<EqualCodeReport> equalCode;
  size_t top = 0; ///< Rows of a table to show at most; 0: all.
};

void printText(const SizeReport &report, llvm::raw_ostream &os);
/// As docs/manual/cubin-size.schema.json says.
void printJson(const SizeReport &report, llvm::raw_ostream &os);

} // namespace lld::cuda

#endif
