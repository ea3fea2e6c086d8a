//===- ResourceBudget.h - The files of --budget -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Checks a budget file (--budget), which says how many registers and how much
/// stack and memory kernels may have, before it is used. The fuzzer calls it; a
/// link goes through checkBudget() of ResourceModel.h.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_REPORT_RESOURCEBUDGET_H
#define LLD_CUDA_REPORT_RESOURCEBUDGET_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace lld::cuda::report {

/// What is wrong with a budget's text, which is TOML or JSON; checkBudget()
/// reports the same.
llvm::Error checkBudgetText(llvm::StringRef text);

} // namespace lld::cuda::report

#endif
