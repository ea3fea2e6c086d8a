//===- ResourceBudget.h - Parser of budget files ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A parser of budget files, which --budget names and which limit the
/// registers, stack and memory of kernels. Only the fuzzer
/// (fuzz/BudgetFuzzer.cpp) calls this function, which parses and applies
/// nothing; a link calls checkBudget() of ResourceModel.h.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_REPORT_RESOURCEBUDGET_H
#define LLD_CUDA_REPORT_RESOURCEBUDGET_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace lld::cuda::report {

/// Parses a budget's text, which is TOML or JSON. Returns the error that
/// checkBudget() reports for it.
llvm::Error checkBudgetText(llvm::StringRef text);

} // namespace lld::cuda::report

#endif
