//===- Compare.h - Comparison of two cubins ---------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The comparison of two cubins: first as bytes, then without what has no
/// meaning, then fact by fact. cubin-diff's main function calls compare() if
/// both files are cubins, CompareFiles.cpp for each pair of cubins that it
/// finds in other files.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_CUBIN_DIFF_COMPARE_H
#define LLD_CUDA_CUBIN_DIFF_COMPARE_H

#include "Report.h"
#include "llvm/Support/MemoryBufferRef.h"

namespace lld::cuda {

struct CompareOptions {
  /// The most differences listed for one section; 0 for all.
  unsigned perSection = 8;
  /// The most differences, and the most remarks, that are kept of all images; 0
  /// for all.
  unsigned kept = 0;
};

/// Compares two cubins, trying verdicts from the strictest down. A file that
/// can't be read gives a report with isMalformed.
DiffReport compare(llvm::MemoryBufferRef a, llvm::MemoryBufferRef b,
                   const CompareOptions &options);

struct Side;

/// Compares the meaning of two cubins; the verdict is Equivalent or Different.
/// The last step of compare().
DiffReport compareMeaning(const Side &a, const Side &b,
                          const CompareOptions &options);

} // namespace lld::cuda

#endif
