//===- InputFile.h - A file that is to be pruned ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// It is mapped, so what somebody writes to it meanwhile would be mixed into
/// the result: that is refused.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_CUBIN_PRUNE_INPUTFILE_H
#define LLD_CUDA_CUBIN_PRUNE_INPUTFILE_H

#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"
#include <memory>
#include <string>
#include <sys/stat.h>

namespace lld::cuda {

class PrunedFile {
public:
  /// `isReplaced`: it is an error if somebody has the file open to write.
  static llvm::Expected<std::unique_ptr<PrunedFile>> open(llvm::StringRef path,
                                                          bool isReplaced);
  /// Reads standard input to its end.
  static llvm::Expected<std::unique_ptr<PrunedFile>> readStandardInput();
  ~PrunedFile();
  PrunedFile(const PrunedFile &) = delete;
  PrunedFile &operator=(const PrunedFile &) = delete;

  llvm::StringRef contents() const { return buffer->getBuffer(); }
  /// Of standard input, what a new file would have.
  const struct stat &status() const { return before; }
  /// Fails if the file isn't what it was when it was opened, or isn't at its
  /// path any more.
  llvm::Error checkUnchanged() const;

private:
  PrunedFile(llvm::StringRef path, bool isReplaced)
      : path(path), isReplaced(isReplaced) {}
  llvm::Error checkWriters() const;

  const std::string path;
  const bool isReplaced;
  int fd = -1;
  struct stat before = {};
  std::unique_ptr<llvm::MemoryBuffer> buffer;
};

} // namespace lld::cuda

#endif
