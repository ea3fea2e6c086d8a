//===- Compare.h - The verdict on two cubins --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Compares two cubins: first as bytes, then without what is of no meaning,
/// then fact by fact. CompareFiles.h calls it for each pair of images, and for
/// files that are cubins themselves.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_CUBIN_DIFF_COMPARE_H
#define LLD_CUDA_CUBIN_DIFF_COMPARE_H

#include "Report.h"
#include "llvm/Support/MemoryBufferRef.h"

namespace lld::cuda {

struct CompareOptions {
  /// Differences listed for one section at most; 0: all.
  unsigned perSection = 8;
  /// Differences, and as many remarks, kept of all images; 0: all.
  unsigned kept = 0;
};

/// Compares two files, from the strictest verdict down.
DiffReport compare(llvm::MemoryBufferRef a, llvm::MemoryBufferRef b,
                   const CompareOptions &options);

struct Side;

/// Compares the meaning of two files (verdict Equivalent or Different).
DiffReport compareMeaning(const Side &a, const Side &b,
                          const CompareOptions &options);

} // namespace lld::cuda

#endif
