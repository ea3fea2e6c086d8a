//===- Text.h - Fast text buffer for reports --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A fast text buffer for reports. The writers of resource reports
/// (lib/Resources, JSON and HTML) and the pages of the tools append to it, and
/// take its blocks when a report is complete. Reports of many kernels consist
/// of a million short pieces, and the calls of llvm::raw_ostream alone would
/// take longer than the rest of the link: here a literal costs a few moves, a
/// number little more than its digits, and names are scanned eight characters
/// at a time.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_PAGE_TEXT_H
#define LLD_CUDA_PAGE_TEXT_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <cstring>
#include <string>

namespace lld::cuda::page {

/// The buffer. Owns its blocks.
class Text {
public:
  template <size_t N> Text &operator<<(const char (&literal)[N]) {
    std::memcpy(extend(N - 1), literal, N - 1);
    return *this;
  }
  Text &operator<<(llvm::StringRef s) {
    put(s);
    return *this;
  }
  Text &operator<<(const std::string &s) { return *this << llvm::StringRef(s); }
  Text &operator<<(char c) {
    *extend(1) = c;
    return *this;
  }
  Text &operator<<(uint64_t number) {
    if (number < 10)
      return *this << char('0' + number);
    putNumber(number);
    return *this;
  }
  Text &operator<<(uint32_t number) { return *this << uint64_t(number); }
  Text &operator<<(int64_t number) {
    if (number >= 0)
      return *this << uint64_t(number);
    return *this << '-' << (0 - uint64_t(number));
  }

  /// Appends `s` as a JSON string, with quotes. Returns the appended
  /// characters, which stay valid until the blocks are taken, so that they can
  /// be appended again.
  llvm::StringRef putJson(llvm::StringRef s);
  /// Appends `s` as HTML text, with markup escaped. Returns it like putJson().
  llvm::StringRef putHtml(llvm::StringRef s);

  using Block = llvm::SmallVector<char, 0>;

  /// Returns the text in pieces. Nothing can be appended afterwards.
  llvm::SmallVector<Block, 8> takeBlocks();
  std::string str() const;

private:
  llvm::StringRef put(llvm::StringRef s) {
    if (s.empty())
      return {};
    char *place = extend(s.size());
    std::memcpy(place, s.data(), s.size());
    return {place, s.size()};
  }
  char *extend(size_t size) {
    if (size_t(limit - next) < size)
      addBlock(size);
    char *place = next;
    next += size;
    return place;
  }
  void addBlock(size_t size);
  void putNumber(uint64_t number);

  /// The text in blocks, so that nothing is copied when it grows. The last
  /// block is filled up to `next`.
  llvm::SmallVector<Block, 8> blocks;
  char *next = nullptr, *limit = nullptr; ///< In the last block.
};

} // namespace lld::cuda::page

#endif
