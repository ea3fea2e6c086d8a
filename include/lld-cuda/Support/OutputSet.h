//===- OutputSet.h - Outputs that belong together ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// All outputs of one run of a program. They are added while the work is done,
/// each as a temporary file beside its target, and put in place together at its
/// end: all or none.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_SUPPORT_OUTPUTSET_H
#define LLD_CUDA_SUPPORT_OUTPUTSET_H

#include "llvm/Support/Error.h"
#include <memory>
#include <vector>

namespace lld::cuda {

class PendingOutput;
struct OutputRequest;

/// The outputs of a program until they are put in place; see OutputFile.h.
class OutputSet {
public:
  OutputSet();
  ~OutputSet();

  /// Makes a file beside its target. Errors are those of writeOutputFile().
  llvm::Error add(OutputRequest request);
  /// Puts all in place. After an error no more.
  llvm::Error commit();
  void discard();
  /// The link has failed: what isn't to be written `afterErrors` goes.
  void discardAfterErrors();
  bool empty() const { return files.empty(); }

private:
  std::vector<std::unique_ptr<PendingOutput>> files;
};

} // namespace lld::cuda

#endif
