//===- InputFile.h - The file that cubin-prune prunes -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The file that cubin-prune prunes, with a check that no other process changes
/// it meanwhile. It is mapped, so what another process writes to it would be
/// mixed into the result. cubin-prune's main function opens one for each input,
/// and calls checkUnchanged() just before the result is put in place.
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

/// An input, open and mapped as long as the object lives.
class PrunedFile {
public:
  /// Opens and maps a file. With `isReplaced`, the result will replace it: it
  /// is an error if another process has it open to write.
  static llvm::Expected<std::unique_ptr<PrunedFile>> open(llvm::StringRef path,
                                                          bool isReplaced);
  /// Reads standard input to its end.
  static llvm::Expected<std::unique_ptr<PrunedFile>> readStandardInput();
  ~PrunedFile();
  PrunedFile(const PrunedFile &) = delete;
  PrunedFile &operator=(const PrunedFile &) = delete;

  llvm::StringRef contents() const { return buffer->getBuffer(); }
  /// Returns the file's status when it was opened; for standard input, that
  /// which a new file would have.
  const struct stat &status() const { return before; }
  /// Fails if the file has changed since it was opened, or if another file is
  /// at its path now.
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
