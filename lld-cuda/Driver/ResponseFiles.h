//===- ResponseFiles.h - Response files -------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Response files: --options-file FILE and @FILE are replaced by the arguments
/// in the file. Options.cpp (nvlink's rules), LldDriver.cpp,
/// DeviceLinkOptions.cpp, NvccCommand.cpp and tools/lld-cuda/Fatbinary.cpp use
/// them when they read a command line, at the start of the program.
///
/// Response files that include others several times grow exponentially, and
/// some files never end. So there are limits for a command line as a whole.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_DRIVER_RESPONSEFILES_H
#define LLD_CUDA_DRIVER_RESPONSEFILES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/StringSaver.h"
#include <cstdint>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

namespace lld::cuda {

class Diagnostics;

/// Reads all response files of one command line and enforces the limits.
class ResponseFileReader {
public:
  static constexpr uint64_t MaxBytes = 64 << 20;
  static constexpr unsigned MaxFiles = 65536;
  static constexpr size_t MaxWords = 1 << 20;

  /// Appends the contents of a file to `text`, with `isText` only up to the
  /// first NUL. Returns why the file can't be read. Afterwards isTooMuch() must
  /// be checked.
  std::error_code read(llvm::StringRef path, bool isText, std::string &text);

  /// Counts arguments that were found. Returns false if a limit is exceeded,
  /// now or by an earlier read().
  bool addWords(size_t count);
  bool isTooMuch() const { return tooMuch; }

  /// Returns the paths of all files for which read() was called.
  const std::vector<std::string> &names() const { return paths; }

  /// Returns the message for an exceeded limit; `path` is the file in which it
  /// happened.
  static std::string limits(llvm::StringRef path);

private:
  std::vector<std::string> paths;
  uint64_t bytes = 0;
  size_t words = 0;
  unsigned files = 0;
  bool tooMuch = false;
};

/// Gives outputs different names in one folder: a link that is repeated from
/// the file of --reproduce writes all its outputs there.
class FolderNames {
public:
  /// Returns the file's name without its folder, with a number in front if the
  /// name is taken already. "-" is returned unchanged.
  std::string add(llvm::StringRef path);

private:
  llvm::StringSet<> taken;
};

/// Returns the quotation mark that isn't closed in `text`, by the rules of
/// llvm::cl::TokenizeGNUCommandLine(), or 0. That function would read all text
/// after such a mark as one argument.
char findOpenQuote(llvm::StringRef text);

/// Returns whether all quotation marks in the value of LLD_CUDA_FLAGS are
/// closed; otherwise reports an error.
bool checkFlags(llvm::StringRef flags, Diagnostics &diag);

/// Appends `words` to `expanded`, with @FILE and --options-file FILE replaced
/// by the arguments in the file, which are quoted as in a POSIX shell. `saver`
/// owns the new arguments. `files` is set to the paths of all files that were
/// read. Returns an error message, or "".
std::string expandResponseFiles(llvm::ArrayRef<const char *> words,
                                llvm::StringSaver &saver,
                                llvm::SmallVectorImpl<const char *> &expanded,
                                std::vector<std::string> &files);

} // namespace lld::cuda

#endif
