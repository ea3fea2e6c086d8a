//===- ResourceModel.h - What the kernels of a link need ------ -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What the kernels of a finished link need, as data: --resource-report,
/// --budget and the library's answer are made from it. Called once all sections
/// are settled and resources are propagated.
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

/// Whose lines a report has: pages have the kernels' only.
enum class SourcesOf { Kernels, AllFunctions };

/// The image of a link whose sections are settled. Names that it makes are in
/// `names`. ResourceModel.cpp.
Image measureImage(const Inputs &inputs, Program &program, Resources &resources,
                   llvm::StringSaver &names, SourcesOf wanted);

/// ResourceBudget.cpp: reports kernels that need more than they may.
/// `resources`: of the link, to say why; null if nothing is linked.
void checkBudget(const Inputs &inputs, Program &program, Resources *resources,
                 const Image &image, llvm::StringRef path);

} // namespace report
} // namespace lld::cuda

#endif
