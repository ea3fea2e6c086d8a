//===- Text.cpp ---------------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
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

/// Of two digits and more.
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
  size_t digits = 4;
  for (uint64_t left = number; left >= 10000; left /= 10)
    ++digits;
  char *at = extend(digits) + digits;
  for (; number >= 10; number /= 100)
    put(at -= 2, number % 100);
  if (number)
    *--at = char('0' + number);
}

/// Bytes of `x` that are zero have their highest bit set, at least the lowest
/// such byte; none is set if there is none.
static constexpr uint64_t zeroBytes(uint64_t x) {
  constexpr uint64_t Ones = 0x0101010101010101, Highs = 0x8080808080808080;
  return (x - Ones) & ~x & Highs;
}

static constexpr uint64_t bytesOf(char c) {
  return 0x0101010101010101 * uint8_t(c);
}

/// Whether `test` is 0 for all pieces of eight bytes; the last one overlaps, or
/// is filled with blanks.
template <typename Test> static bool passes(StringRef s, Test test) {
  auto load = [](const char *at, size_t size) {
    uint64_t x = bytesOf(' ');
    std::memcpy(&x, at, size);
    return x;
  };
  uint64_t found = 0;
  if (s.size() < 8)
    return !test(load(s.data(), s.size()));
  for (size_t i = 0; i + 8 <= s.size(); i += 8)
    found |= test(load(s.data() + i, 8));
  return !(found | test(load(s.end() - 8, 8)));
}

/// Not ASCII, or a control character. The subtraction may also find a byte in
/// front of one: that costs time and nothing else.
static constexpr uint64_t unusual(uint64_t x) {
  constexpr uint64_t Highs = 0x8080808080808080;
  return (x | ((x - bytesOf(' ')) & ~x)) & Highs;
}

void Text::putJson(StringRef s) {
  if (passes(s, [](uint64_t x) {
        return unusual(x) | zeroBytes(x ^ bytesOf('"')) |
               zeroBytes(x ^ bytesOf('\\'));
      })) {
    char *at = extend(s.size() + 2);
    *at = at[s.size() + 1] = '"';
    std::memcpy(at + 1, s.data(), s.size());
    return;
  }
  // Names of inputs may be no UTF-8.
  std::string quoted;
  raw_string_ostream os(quoted);
  json::OStream(os).value(json::isUTF8(s) ? s.str() : json::fixUTF8(s));
  *this << os.str();
}

void Text::putHtml(StringRef s) {
  if (passes(s, [](uint64_t x) {
        return unusual(x) | zeroBytes(x ^ bytesOf('&')) |
               zeroBytes(x ^ bytesOf('<')) | zeroBytes(x ^ bytesOf('>')) |
               zeroBytes(x ^ bytesOf('"')) | zeroBytes(x ^ bytesOf('\''));
      })) {
    *this << s;
    return;
  }
  std::string fixed;
  if (!json::isUTF8(s))
    s = fixed = json::fixUTF8(s);
  // Room for the longest that it may become; the rest is given back.
  constexpr size_t LongestReference = 6;
  char *to = extend(s.size() * LongestReference);
  auto put = [&](StringRef reference) {
    to = std::copy(reference.begin(), reference.end(), to);
  };
  for (char c : s) {
    switch (c) {
    case '&':
      put("&amp;");
      break;
    case '<':
      put("&lt;");
      break;
    case '>':
      put("&gt;");
      break;
    case '"':
      put("&quot;");
      break;
    case '\'':
      put("&#39;");
      break;
    default:
      // A file's name may hold control characters, which HTML has none of.
      *to++ = uint8_t(c) < ' ' && c != '\n' ? '?' : c;
    }
  }
  next = to;
}

} // namespace lld::cuda::page
