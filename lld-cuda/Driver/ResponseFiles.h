//===- ResponseFiles.h - Files with options ---------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// --options-file and @file. Files that name others several times would grow
/// beyond all bounds, and some files have no end, so that all of a command line
/// together is limited.
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

class ResponseFileReader {
public:
  static constexpr uint64_t MaxBytes = 64 << 20;
  static constexpr unsigned MaxFiles = 65536;
  static constexpr size_t MaxWords = 1 << 20;

  /// The text of a file; of several, one after the other. With `isText` it ends
  /// at the first NUL.
  std::error_code read(llvm::StringRef path, bool isText, std::string &text);

  /// Counts words that were found. False, as after a read(): it is too much.
  bool addWords(size_t count);
  bool isTooMuch() const { return tooMuch; }

  /// The names of the files that were read.
  const std::vector<std::string> &names() const { return paths; }

  /// What to say then; `path` is the file in which it happened.
  static std::string limits(llvm::StringRef path);

private:
  std::vector<std::string> paths;
  uint64_t bytes = 0;
  size_t words = 0;
  unsigned files = 0;
  bool tooMuch = false;
};

/// Names in the one folder that a repeated link writes to.
class FolderNames {
public:
  /// That of the file without its folder; after another one of the same name,
  /// with a number. "-" stays.
  std::string add(llvm::StringRef path);

private:
  llvm::StringSet<> taken;
};

/// A quotation mark without a second one, as TokenizeGNUCommandLine() reads
/// them, or 0. It would take all that follows for one word.
char findOpenQuote(llvm::StringRef text);

/// Whether the words in LLD_CUDA_FLAGS are whole; else that is reported.
bool checkFlags(llvm::StringRef flags, Diagnostics &diag);

/// Replaces @FILE and --options-file FILE, by the rules of a shell, nearly.
/// `files` gets the names of all files that were read. Returns what is wrong,
/// or "".
std::string expandResponseFiles(llvm::ArrayRef<const char *> words,
                                llvm::StringSaver &saver,
                                llvm::SmallVectorImpl<const char *> &expanded,
                                std::vector<std::string> &files);

} // namespace lld::cuda

#endif
