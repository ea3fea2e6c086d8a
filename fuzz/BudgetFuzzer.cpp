//===- BudgetFuzzer.cpp - Fuzzes the reader of resource budgets -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Fuzzes the reader of budget files, by which a link limits what kernels may
/// need (ResourceBudget.cpp). libFuzzer calls LLVMFuzzerTestOneInput() with
/// each input that it makes, in runs of scripts/fuzz.sh; an input is the text
/// of such a file. The reader must accept it or return an error with a text,
/// and never crash.
///
//===----------------------------------------------------------------------===//

#include "FuzzUtils.h"
#include "Report/ResourceBudget.h"

using namespace lld::cuda;
using namespace lld::cuda::fuzz;
using llvm::StringRef;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  StringRef data(reinterpret_cast<const char *>(bytes), size);
  if (llvm::Error e = report::checkBudgetText(data))
    requireText(std::move(e));
  return 0;
}
