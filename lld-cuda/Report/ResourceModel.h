//===- ResourceModel.h - Resources of kernels as data -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The functions that compute what the kernels of a link need (registers,
/// stack, memory) as data, and compare it with a budget. ResourceReport.cpp
/// calls them for --resource-report, --budget and the resources that the
/// library returns, when all sections are settled and resources have been
/// propagated over the call graph.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_REPORT_RESOURCEMODEL_H
#define LLD_CUDA_REPORT_RESOURCEMODEL_H

#include "lld-cuda/Resources/Report.h"

namespace lld::cuda {

struct Inputs;
struct Program;
struct Resources;

namespace report {

/// The functions whose source lines a report has. HTML pages need those of
/// kernels only.
enum class SourcesOf { Kernels, AllFunctions };

/// Describes the image of a link whose sections are settled. `names` owns the
/// names that are made for it, and the link's memory the others, so both must
/// outlive the result. ResourceModel.cpp.
Image measureImage(const Inputs &inputs, Program &program, Resources &resources,
                   llvm::StringSaver &names, SourcesOf wanted);

/// Reads the budget file `path` and reports an error for each kernel of `image`
/// that needs more than it allows. `resources` are those of the link, for
/// explanations; null if nothing is linked (--join-reports).
/// ResourceBudget.cpp.
void checkBudget(const Inputs &inputs, Program &program, Resources *resources,
                 const Image &image, llvm::StringRef path);

} // namespace report
} // namespace lld::cuda

#endif
