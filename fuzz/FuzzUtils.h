//===- FuzzUtils.h - Functions of all fuzz targets --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Functions that the fuzz targets (fuzz/*Fuzzer.cpp) share. A target calls a
/// reader with the bytes that libFuzzer has made, and then these functions to
/// require that the reader returned an error with a text, or a result all of
/// whose parts can be read and are slices of the input.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_FUZZ_FUZZUTILS_H
#define LLD_CUDA_FUZZ_FUZZUTILS_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>

namespace lld::cuda::fuzz {

/// Ends the process, which libFuzzer reports, unless `condition` holds.
inline void require(bool condition) {
  if (!condition)
    abort();
}

/// Requires that an error has a text.
inline void requireText(llvm::Error error) {
  require(!llvm::toString(std::move(error)).empty());
}

/// Reads every byte, so that AddressSanitizer reports bytes out of bounds.
inline void touch(llvm::StringRef bytes) {
  [[maybe_unused]] static volatile uint8_t sink;
  uint8_t sum = 0;
  for (char c : bytes)
    sum += c;
  sink = sum;
}

/// Requires that `part` is a slice of `whole`, and reads it.
inline void requirePart(llvm::StringRef part, llvm::StringRef whole) {
  require(part.empty() ||
          (part.begin() >= whole.begin() && part.end() <= whole.end()));
  touch(part);
}

/// Adds the arguments of a command line, one on each line of `text`, to
/// `words`. They are in `text`, whose line feeds become NULs.
inline void splitWords(std::string &text,
                       llvm::SmallVectorImpl<const char *> &words) {
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    text[end] = 0; // After the last character there is a NUL already.
    words.push_back(text.data() + at);
    at = end + 1;
  }
}

} // namespace lld::cuda::fuzz

#endif
