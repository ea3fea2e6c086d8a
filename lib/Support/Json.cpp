//===- Json.cpp - JSON that others have written ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lld-cuda/Support/Json.h"
#include "llvm/ADT/StringExtras.h"

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
    return createStringError("it has more than " + utostr(MaxJsonDepth) +
                             " arrays and objects within each other");
  return json::parse(text);
}

} // namespace lld::cuda
