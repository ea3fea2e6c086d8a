//===- Print.h - Comparisons as text and as JSON ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Prints what a comparison came to, as text or JSON: the last step of
/// cubin-diff.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_CUBIN_DIFF_PRINT_H
#define LLD_CUDA_CUBIN_DIFF_PRINT_H

#include "CompareFiles.h"

namespace lld::cuda {

/// To standard output. `maxLines` below the verdict; 0: all.
void printText(const DiffReport &report, unsigned maxLines);
void printText(const FilesReport &report, unsigned maxLines);
void printJson(const DiffReport &report);
void printJson(const FilesReport &report);

} // namespace lld::cuda

#endif
