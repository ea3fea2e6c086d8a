//===- Json.cpp - Depth-limited JSON that is safe to show -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// parseJson() counts the brackets before it calls LLVM's parser, which calls
/// itself for each level: a file of a million brackets would overflow its
/// stack. The readers of reports and budgets use it. PrintableJsonStream stands
/// between LLVM's writer and the output, and replaces characters on which a
/// terminal would act. A buffer may end inside of a UTF-8 character; its bytes
/// then wait for the rest.
///
//===----------------------------------------------------------------------===//

#include "lld-cuda/Support/Json.h"
#include "lld-cuda/Support/Printable.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ConvertUTF.h"

using namespace llvm;

namespace lld::cuda {

/// Brackets in strings don't count. What is no JSON gets some number: the
/// parser sees no more than these brackets before it gives up.
static unsigned depthOf(StringRef text) {
  unsigned depth = 0, deepest = 0;
  bool isString = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"')
      isString = !isString;
    else if (isString)
      i += c == '\\';
    else if (c == '[' || c == '{')
      deepest = std::max(deepest, ++depth);
    else if ((c == ']' || c == '}') && depth)
      --depth;
  }
  return deepest;
}

Expected<json::Value> parseJson(StringRef text) {
  if (depthOf(text) > MaxJsonDepth)
    return createStringError("its arrays and objects are nested more than " +
                             utostr(MaxJsonDepth) + " deep");
  return json::parse(text);
}

/// How much of it is whole characters: none may be cut where a buffer ends.
static size_t wholeCharacters(StringRef text) {
  constexpr size_t LongestRest = 3;
  for (size_t rest = 1; rest <= std::min(LongestRest, text.size()); ++rest) {
    const auto first = static_cast<unsigned char>(text[text.size() - rest]);
    if ((first & 0xc0) != 0x80)
      return getNumBytesForUTF8(first) > rest ? text.size() - rest
                                              : text.size();
  }
  return text.size();
}

void PrintableJsonStream::write_impl(const char *data, size_t size) {
  position += size;
  pending.append(data, size);
  const size_t whole = wholeCharacters(pending);
  os << printableJson(StringRef(pending).take_front(whole));
  pending.erase(0, whole);
}

PrintableJsonStream::~PrintableJsonStream() {
  flush();
  os << printableJson(pending);
}

} // namespace lld::cuda
