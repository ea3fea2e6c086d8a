//===- Printable.cpp - Names that can do no harm when shown ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// All programs print names through these functions, and hardly any name needs
/// a change. So isPlain() looks at eight characters at a time and finds the
/// usual case quickly: ASCII without control characters. Only other names are
/// decoded character by character. What is no valid UTF-8 is shown byte by
/// byte, and a harmful character with all of its bytes, so that U+200F becomes
/// "\E2\80\8F".
///
//===----------------------------------------------------------------------===//

#include "lld-cuda/Support/Printable.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/raw_ostream.h"
#include <cstring>

using namespace llvm;

namespace lld::cuda {

/// Whether all characters are of ASCII and none is a control character. Most
/// names are like that; they are looked at eight characters at a time.
static bool isPlain(StringRef text) {
  constexpr uint64_t Ones = ~uint64_t(0) / 255, Tops = Ones * 0x80;
  const char *at = text.begin();
  uint64_t found = 0;
  for (; text.end() - at >= 8; at += 8) {
    uint64_t x;
    std::memcpy(&x, at, 8);
    const uint64_t isDelete = x ^ (Ones * 0x7f);
    // The top bit of each byte that is none, below a blank, or a zero here.
    found |= x | (x - Ones * ' ') | (isDelete - Ones);
  }
  for (; at != text.end(); ++at)
    if (static_cast<unsigned char>(*at - ' ') >= 0x7f - ' ')
      return false;
  return !(found & Tops);
}

/// Controls of the second set; marks and embeddings of a writing direction;
/// separators of lines, where many programs end one.
static bool isHarmful(UTF32 c) {
  return (c >= 0x80 && c <= 0x9f) || c == 0x061c || c == 0x200e ||
         c == 0x200f || (c >= 0x2028 && c <= 0x202e) ||
         (c >= 0x2066 && c <= 0x2069);
}

/// The length of the character at the beginning, if it may be shown; else 0.
static size_t harmlessLength(StringRef text) {
  const auto first = static_cast<unsigned char>(text.front());
  if (first < 0x80)
    return first >= ' ' && first != 0x7f;
  const UTF8 *at = text.bytes_begin();
  UTF32 c;
  if (convertUTF8Sequence(&at, text.bytes_end(), &c, strictConversion) !=
          conversionOK ||
      isHarmful(c))
    return 0;
  return at - text.bytes_begin();
}

/// How many bytes at the beginning are shown as numbers.
static size_t harmfulLength(StringRef text) {
  const size_t length = getNumBytesForUTF8(text.front());
  return length <= text.size() &&
                 isLegalUTF8Sequence(text.bytes_begin(),
                                     text.bytes_begin() + length)
             ? length
             : 1;
}

static std::string escape(StringRef text, StringRef kept) {
  std::string shown;
  shown.reserve(text.size() + 8);
  while (!text.empty()) {
    size_t length = kept.contains(text.front()) ? 1 : harmlessLength(text);
    if (length) {
      shown += text.take_front(length);
    } else {
      length = harmfulLength(text);
      for (unsigned char byte : text.take_front(length).bytes())
        shown += {'\\', hexdigit(byte >> 4), hexdigit(byte & 15)};
    }
    text = text.drop_front(length);
  }
  return shown;
}

bool isPrintable(StringRef text) {
  if (isPlain(text))
    return true;
  while (!text.empty()) {
    const size_t length = harmlessLength(text);
    if (!length)
      return false;
    text = text.drop_front(length);
  }
  return true;
}

std::string printable(StringRef text) {
  return isPlain(text) ? text.str() : escape(text, "");
}

std::string printableLines(StringRef text) { return escape(text, "\n\t"); }

std::string printableJson(StringRef json) {
  std::string shown;
  shown.reserve(json.size());
  while (!json.empty()) {
    const size_t plain =
        json.find_if([](unsigned char c) { return c == 0x7f || c >= 0x80; });
    shown += json.take_front(plain);
    json = json.drop_front(std::min(plain, json.size()));
    if (json.empty())
      break;
    const size_t length = harmlessLength(json) ? 1 : harmfulLength(json);
    const UTF8 *at = json.bytes_begin();
    UTF32 c = static_cast<unsigned char>(json.front());
    const bool isCharacter =
        convertUTF8Sequence(&at, json.bytes_end(), &c, strictConversion) ==
        conversionOK;
    if (isCharacter && (c == 0x7f || isHarmful(c)))
      shown += "\\u" + utohexstr(c, /*LowerCase=*/true, /*Width=*/4);
    else
      shown += json.take_front(length);
    json = json.drop_front(length);
  }
  return shown;
}

raw_ostream &operator<<(raw_ostream &os, asPrintable shown) {
  if (isPlain(shown.text))
    return os << shown.text;
  return os << escape(shown.text, "");
}

} // namespace lld::cuda
