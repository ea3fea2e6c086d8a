//===- WordReader.h - Reader of command-line arguments ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A reader that goes through the arguments of a command line one by one.
/// DeviceLinkOptions.cpp uses it at the start of a device link (DeviceLink.h)
/// to pick out the options of the device link itself; all other arguments are
/// handed on to the link for each architecture.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_DRIVER_WORDREADER_H
#define LLD_CUDA_DRIVER_WORDREADER_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace lld::cuda {

/// Refers to the arguments, which must outlive it. The functions that take an
/// argument must not be called at the end.
class WordReader {
public:
  explicit WordReader(llvm::ArrayRef<const char *> words) : words(words) {}
  bool atEnd() const { return words.empty(); }
  /// Returns the next argument and steps over it.
  llvm::StringRef take() {
    llvm::StringRef word = words.front();
    words = words.drop_front();
    return word;
  }
  /// If the next argument is option `name`, written `--name=value`, `--name
  /// value` or so with one dash, sets `value` and steps over it. Otherwise
  /// returns false and changes nothing.
  bool takeValue(llvm::StringRef name, llvm::StringRef &value) {
    llvm::StringRef word = words.front();
    if (!word.consume_front("-"))
      return false;
    word.consume_front("-");
    if (!word.consume_front(name))
      return false;
    if (word.consume_front("=")) {
      value = word;
    } else if (word.empty() && words.size() > 1) {
      words = words.drop_front();
      value = words.front();
    } else {
      return false;
    }
    words = words.drop_front();
    return true;
  }

private:
  llvm::ArrayRef<const char *> words;
};

} // namespace lld::cuda

#endif
