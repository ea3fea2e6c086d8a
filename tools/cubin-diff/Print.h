//===- Print.h - Prints the result of a comparison --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Functions that print the result of a comparison to standard output, as text
/// or JSON. cubin-diff's main function calls one of them as its last step.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_CUBIN_DIFF_PRINT_H
#define LLD_CUDA_CUBIN_DIFF_PRINT_H

#include "CompareFiles.h"

namespace lld::cuda {

/// Prints the verdict and at most `maxLines` lines below it; 0 for all lines.
void printText(const DiffReport &report, unsigned maxLines);
void printText(const FilesReport &report, unsigned maxLines);
void printJson(const DiffReport &report);
void printJson(const FilesReport &report);

} // namespace lld::cuda

#endif
