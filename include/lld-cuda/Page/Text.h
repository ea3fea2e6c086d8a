//===- Text.h - A text that grows at its end --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Reports of many kernels consist of a million short pieces: of streams the
/// call for each costs more than all that a link has computed. Here a literal
/// is a few moves, a number little more than its digits, and of names eight
/// characters at a time are looked at.
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

  /// A string of JSON, with its quotes. Returned as it stands in the text,
  /// where it stays until the blocks are taken: to put it once more.
  llvm::StringRef putJson(llvm::StringRef s);
  /// Text of HTML that is no markup. Returned as putJson() does.
  llvm::StringRef putHtml(llvm::StringRef s);

  using Block = llvm::SmallVector<char, 0>;

  /// The text in pieces; no more can be added.
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

  /// Nothing is copied when the text grows. Of the last one the part up to
  /// `next` is filled.
  llvm::SmallVector<Block, 8> blocks;
  char *next = nullptr, *limit = nullptr; ///< In the last block.
};

} // namespace lld::cuda::page

#endif
