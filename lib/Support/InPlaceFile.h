//===- InPlaceFile.h - Outputs that overwrite a file ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The second way to write an output: over the file that exists. OutputFile.cpp
/// makes one InPlaceFile for each output for which the first way, a new file
/// that takes the old one's place (ReplacementFile.h), isn't possible: devices,
/// pipes, files with several hard links, files in directories where this
/// process may not create any. It calls prepare() when an output is complete in
/// memory, and write() when the program commits all its outputs.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_SUPPORT_INPLACEFILE_H
#define LLD_CUDA_SUPPORT_INPLACEFILE_H

#include "lld-cuda/Support/OutputFile.h"
#include <memory>
#include <sys/stat.h>

namespace lld::cuda {

/// A file that is overwritten from a complete copy of the new contents, since
/// an input may be the output. A regular file gets its old contents back if
/// writing fails or is undone.
class InPlaceFile {
public:
  InPlaceFile() = default;
  InPlaceFile(const InPlaceFile &) = delete;
  InPlaceFile &operator=(const InPlaceFile &) = delete;
  ~InPlaceFile() { discard(); }

  /// Opens the file and copies the contents, so that `spans` are not needed any
  /// more. Returns 0 or an errno value: that of opening the file, or ENOMEM.
  int prepare(const std::string &path, uint64_t size,
              llvm::ArrayRef<OutputSpan> spans);
  /// Like prepare(), for standard output, whatever that is. What has been
  /// written there before is kept.
  int prepareStandardOutput(uint64_t size, llvm::ArrayRef<OutputSpan> spans);
  /// Returns whether this is a regular file: only those can be undone, and no
  /// reader waits for what is written to them.
  bool isRegular() const { return !isStream && S_ISREG(status.st_mode); }
  llvm::StringRef contents() const {
    return {reinterpret_cast<const char *>(copy.get()), size_t(size)};
  }

  /// Writes the contents. Returns 0 or an errno value; in that case a regular
  /// file has its old contents again.
  int write();
  void undo();
  /// Closes the file, and deletes it if prepare() created it and it hasn't been
  /// written.
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
