//===- OutputSet.h - All output files of a program --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The set of all output files of one run of a program. The linker (SaveFile.h,
/// DeviceLink.cpp), the program in fatbinary's place and cubin-prune add
/// outputs while they work, each of which is then a temporary file beside its
/// target, and put all in place with commit() at the end: all or none.
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

/// The outputs of a program until they are put in place; see OutputFile.h. What
/// isn't committed is removed with the object.
class OutputSet {
public:
  OutputSet();
  ~OutputSet();

  /// Writes the contents to a temporary file beside the target, or notes an
  /// output that has to be written in place. The errors are those of
  /// writeOutputFile().
  llvm::Error add(OutputRequest request);
  /// Puts all outputs in place and empties the set. After an error those that
  /// were already in place are undone, except what was written to devices and
  /// pipes.
  llvm::Error commit();
  /// Removes what isn't in place yet, and empties the set.
  void discard();
  /// Removes all outputs but those with `afterErrors`. Called if the link
  /// failed.
  void discardAfterErrors();
  bool empty() const { return files.empty(); }

private:
  std::vector<std::unique_ptr<PendingOutput>> files;
};

} // namespace lld::cuda

#endif
