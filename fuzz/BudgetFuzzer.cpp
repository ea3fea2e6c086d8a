//===- BudgetFuzzer.cpp - Fuzzes the reader of budgets ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
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
