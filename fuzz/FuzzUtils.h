//===- FuzzUtils.h - What the fuzz targets share ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A reader under test must return an error with a text, or a result all of
/// whose parts can be read and lie where they should.
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

inline void require(bool condition) {
  if (!condition)
    abort();
}

/// An error is a fine answer if it says something.
inline void requireText(llvm::Error error) {
  require(!llvm::toString(std::move(error)).empty());
}

/// Reads every byte, so that AddressSanitizer sees the ones out of bounds.
inline void touch(llvm::StringRef bytes) {
  [[maybe_unused]] static volatile uint8_t sink;
  uint8_t sum = 0;
  for (char c : bytes)
    sum += c;
  sink = sum;
}

/// Requires that `part` is a piece of `whole`, and reads it.
inline void requirePart(llvm::StringRef part, llvm::StringRef whole) {
  require(part.empty() ||
          (part.begin() >= whole.begin() && part.end() <= whole.end()));
  touch(part);
}

/// Adds the words of a command line, each ended by a line's end, which becomes
/// a NUL. They are kept in `text`.
inline void splitWords(std::string &text,
                       llvm::SmallVectorImpl<const char *> &words) {
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    text[end] = 0; // Behind the last character there is one already.
    words.push_back(text.data() + at);
    at = end + 1;
  }
}

} // namespace lld::cuda::fuzz

#endif
