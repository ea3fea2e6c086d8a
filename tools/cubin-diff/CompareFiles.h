//===- CompareFiles.h - The verdict on files with images --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Compares two files of any kind, programs and archives among them: lists the
/// images of both, pairs them (Pairs.h) and compares each pair (Compare.h).
/// Called by cubin-diff's main function where a file isn't a cubin.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_CUBIN_DIFF_COMPAREFILES_H
#define LLD_CUDA_CUBIN_DIFF_COMPAREFILES_H

#include "Compare.h"
#include "llvm/Support/MemoryBuffer.h"

namespace lld::cuda {

/// A pair of images, or one without a partner.
struct ImageReport {
  std::string first, second; ///< What they are; empty: there is none.
  DiffReport report;
};

struct FilesReport {
  Verdict verdict = Verdict::Identical;                ///< The worst of all.
  size_t pairs[unsigned(Verdict::Different) + 1] = {}; ///< By verdict.
  size_t onlyFirst = 0, onlySecond = 0;
  /// All but identical pairs, the worst first.
  std::vector<ImageReport> images;
  std::vector<Difference> malformed; ///< What can't be read.
  size_t hidden = 0; ///< Differences and remarks that aren't kept.

  bool isMalformed() const;
};

struct ComparedFile {
  std::string path;
  std::unique_ptr<llvm::MemoryBuffer> contents;
};

/// Compares the device code of two files of any kind.
FilesReport compareFiles(const ComparedFile &a, const ComparedFile &b,
                         const CompareOptions &options);

} // namespace lld::cuda

#endif
