//===- InPlaceFile.h - Files that are written over --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The second way to write an output: over the file that is there.
/// OutputFile.cpp takes it where the first one, a new file in the old one's
/// place (ReplacementFile.h), can't be: devices, pipes, files with several
/// names, directories that nobody may write to.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_SUPPORT_INPLACEFILE_H
#define LLD_CUDA_SUPPORT_INPLACEFILE_H

#include "lld-cuda/Support/OutputFile.h"
#include <memory>
#include <sys/stat.h>

namespace lld::cuda {

/// A file that is written over, from a complete copy of the contents: an input
/// may be the output. A regular one gets its old contents back if that fails,
/// or if it is undone.
class InPlaceFile {
public:
  InPlaceFile() = default;
  InPlaceFile(const InPlaceFile &) = delete;
  InPlaceFile &operator=(const InPlaceFile &) = delete;
  ~InPlaceFile() { discard(); }

  /// Returns 0 or errno: of opening the file, or ENOMEM.
  int prepare(const std::string &path, uint64_t size,
              llvm::ArrayRef<OutputSpan> spans);
  /// The same for standard output, whatever it is: what is there already stays.
  int prepareStandardOutput(uint64_t size, llvm::ArrayRef<OutputSpan> spans);
  /// What can be undone; nobody waits for what is written there.
  bool isRegular() const { return !isStream && S_ISREG(status.st_mode); }
  llvm::StringRef contents() const {
    return {reinterpret_cast<const char *>(copy.get()), size_t(size)};
  }

  /// Writes the contents. Returns 0 or errno; then a regular file is what it
  /// was.
  int write();
  void undo();
  /// Closes the file; one that is new and hasn't been written is removed.
  void discard();

private:
  int copySpans(uint64_t length, llvm::ArrayRef<OutputSpan> spans);
  int overwrite();
  void restore();

  std::string path;
  int fd = -1;
  bool isNew = false, isWritten = false, isStream = false;
  struct stat status = {};
  std::unique_ptr<uint8_t[]> copy, old;
  uint64_t size = 0, oldSize = 0;
};

} // namespace lld::cuda

#endif
