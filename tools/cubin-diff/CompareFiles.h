//===- CompareFiles.h - Comparison of two files of any kind -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The comparison of two files of any kind, programs and archives among them:
/// lists the images of both, pairs them (Pairs.h) and compares each pair
/// (Compare.h). cubin-diff's main function calls compareFiles() unless both
/// files are cubins, and Print.h prints the result.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_CUBIN_DIFF_COMPAREFILES_H
#define LLD_CUDA_CUBIN_DIFF_COMPAREFILES_H

#include "Compare.h"
#include "llvm/Support/MemoryBuffer.h"

namespace lld::cuda {

/// The comparison of a pair of images, or an image without a partner.
struct ImageReport {
  std::string first, second; ///< Their descriptions; empty for none.
  DiffReport report;
};

/// The result of the comparison of two files.
struct FilesReport {
  /// The worst of all pairs.
  Verdict verdict = Verdict::Identical;
  size_t pairs[unsigned(Verdict::Different) + 1] = {}; ///< Indexed by verdict.
  size_t onlyFirst = 0, onlySecond = 0;
  /// All pairs except identical ones, and images without a partner, the worst
  /// first.
  std::vector<ImageReport> images;
  std::vector<Difference> malformed; ///< What can't be read, and why.
  size_t hidden = 0; ///< Number of differences and remarks not kept.

  bool isMalformed() const;
};

/// A file that is open.
struct ComparedFile {
  std::string path;
  std::unique_ptr<llvm::MemoryBuffer> contents;
};

/// Compares the device code of two files of any kind.
FilesReport compareFiles(const ComparedFile &a, const ComparedFile &b,
                         const CompareOptions &options);

} // namespace lld::cuda

#endif
