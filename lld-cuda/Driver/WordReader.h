//===- WordReader.h - Words of a device link's command line -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Goes through the words of a command line one by one, for
/// DeviceLinkOptions.cpp, which takes a few options of its own and hands the
/// other words to the links.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_DRIVER_WORDREADER_H
#define LLD_CUDA_DRIVER_WORDREADER_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace lld::cuda {

/// Takes `--name=value`, `--name value`, and the same with one dash.
class WordReader {
public:
  explicit WordReader(llvm::ArrayRef<const char *> words) : words(words) {}
  bool atEnd() const { return words.empty(); }
  llvm::StringRef take() {
    llvm::StringRef word = words.front();
    words = words.drop_front();
    return word;
  }
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
