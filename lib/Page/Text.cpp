//===- Text.cpp - Appends to a large text quickly -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The buffer in which resource reports are composed. HtmlReport.cpp and
/// JsonReport.cpp put up to a million short pieces into one Text, at the end of
/// a link with --resource-report or for --resources of a tool, which then
/// writes its blocks to a file. A Text keeps them in blocks, the first of 8 KiB
/// and each twice as large as the last up to 1 MiB, so nothing is copied when
/// the text grows. putJson() and putHtml() look at 16 characters at a time to
/// find out whether anything needs an escape. Hardly any name does, so the slow
/// way with LLVM's JSON writer or character by character is rarely taken.
///
//===----------------------------------------------------------------------===//

#include "lld-cuda/Page/Text.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace lld::cuda::page {

void Text::addBlock(size_t size) {
  constexpr size_t Least = 1 << 13, Most = 1 << 20;
  if (!blocks.empty())
    blocks.back().truncate(next - blocks.back().data());
  const size_t usual = blocks.size() < 7 ? Least << blocks.size() : Most;
  blocks.emplace_back().resize_for_overwrite(std::max(usual, size));
  next = blocks.back().data();
  limit = blocks.back().end();
}

SmallVector<Text::Block, 8> Text::takeBlocks() {
  if (!blocks.empty())
    blocks.back().truncate(next - blocks.back().data());
  next = limit = nullptr;
  return std::move(blocks);
}

std::string Text::str() const {
  std::string text;
  for (const Block &block : blocks)
    text.append(block.data(),
                &block == &blocks.back() ? next - block.data() : block.size());
  return text;
}

/// Appends a number of two digits or more.
void Text::putNumber(uint64_t number) {
  static constexpr char Pairs[] =
      "000102030405060708091011121314151617181920212223242526272829303132333435"
      "363738394041424344454647484950515253545556575859606162636465666768697071"
      "72737475767778798081828384858687888990919293949596979899";
  auto put = [&](char *at, uint64_t pair) {
    std::memcpy(at, Pairs + pair * 2, 2);
  };
  if (number < 100)
    return put(extend(2), number);
  if (number < 1000) {
    char *at = extend(3);
    *at = char('0' + number / 100);
    return put(at + 1, number % 100);
  }
  if (number < 10000) {
    char *at = extend(4);
    put(at, number / 100);
    return put(at + 2, number % 100);
  }
  if (number < 100000) {
    char *at = extend(5);
    *at = char('0' + number / 10000);
    put(at + 1, number / 100 % 100);
    return put(at + 3, number % 100);
  }
  size_t digits = 6;
  for (uint64_t left = number; left >= 1000000; left /= 10)
    ++digits;
  char *at = extend(digits) + digits;
  for (; number >= 10; number /= 100)
    put(at -= 2, number % 100);
  if (number)
    *--at = char('0' + number);
}

namespace {
/// Characters that are looked at together; in comparisons -1 is true.
using Chars = signed char __attribute__((vector_size(16)));
} // namespace

static bool isAny(Chars found) {
  uint64_t halves[2];
  std::memcpy(halves, &found, sizeof(found));
  return halves[0] | halves[1];
}

/// Whether `test` finds nothing in a text. It sees 16 characters at a time:
/// some of them twice, or blanks.
template <typename Test> static bool passes(StringRef s, Test test) {
  constexpr size_t Size = sizeof(Chars), Half = Size / 2;
  Chars x;
  if (s.size() < Half) {
    char padded[Size] = {' ', ' ', ' ', ' ', ' ', ' ', ' ', ' ',
                         ' ', ' ', ' ', ' ', ' ', ' ', ' ', ' '};
    for (size_t i = 0; i != s.size(); ++i)
      padded[i] = s[i];
    std::memcpy(&x, padded, Size);
    return !isAny(test(x));
  }
  if (s.size() < Size) {
    std::memcpy(&x, s.data(), Half);
    std::memcpy(reinterpret_cast<char *>(&x) + Half, s.end() - Half, Half);
    return !isAny(test(x));
  }
  std::memcpy(&x, s.end() - Size, Size);
  Chars found = test(x);
  for (size_t i = 0; i + Size <= s.size(); i += Size) {
    std::memcpy(&x, s.data() + i, Size);
    found |= test(x);
  }
  return !isAny(found);
}

/// Control characters, and what isn't ASCII: those are negative.
static Chars unusual(Chars x) { return x < ' '; }

/// & " ' and < >, and # as well: of both groups the bits that differ are set.
static Chars markup(Chars x) { return ((x | 5) == '\'') | ((x | 2) == '>'); }

StringRef Text::putJson(StringRef s) {
  if (passes(s,
             [](Chars x) { return unusual(x) | (x == '"') | (x == '\\'); })) {
    char *at = extend(s.size() + 2);
    *at = at[s.size() + 1] = '"';
    if (!s.empty())
      std::memcpy(at + 1, s.data(), s.size());
    return {at, s.size() + 2};
  }
  // Names of inputs may be no UTF-8.
  std::string quoted;
  raw_string_ostream os(quoted);
  json::OStream(os).value(json::isUTF8(s) ? s.str() : json::fixUTF8(s));
  return put(os.str());
}

/// Returns whether a character can be written in HTML as it is.
static constexpr bool isHtmlText(char c) {
  return uint8_t(c) > '>' || (c >= '(' && c <= ';') || c == ' ';
}

/// Writes another character as HTML has it.
static void putCharacter(char *&to, char c) {
  auto put = [&](StringRef reference) {
    to = std::copy(reference.begin(), reference.end(), to);
  };
  switch (c) {
  case '&':
    return put("&amp;");
  case '<':
    return put("&lt;");
  case '>':
    return put("&gt;");
  case '"':
    return put("&quot;");
  case '\'':
    return put("&#39;");
  default:
    // A file's name may hold control characters, which HTML has none of.
    *to++ = uint8_t(c) < ' ' && c != '\n' ? '?' : c;
  }
}

StringRef Text::putHtml(StringRef s) {
  if (passes(s, [](Chars x) { return unusual(x) | markup(x); }))
    return put(s);
  std::string fixed;
  if (!passes(s, [](Chars x) { return x < 0; }) && !json::isUTF8(s))
    s = fixed = json::fixUTF8(s);
  // Room for the longest that it may become; the rest is given back.
  constexpr size_t LongestReference = 6;
  char *const begin = extend(s.size() * LongestReference), *to = begin;
  // Names have few characters in a row that need nothing.
  for (char c : s) {
    if (isHtmlText(c))
      *to++ = c;
    else
      putCharacter(to, c);
  }
  next = to;
  return {begin, size_t(to - begin)};
}

} // namespace lld::cuda::page
