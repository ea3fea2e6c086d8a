//===- FormatText.cpp - Texts with numbers and names ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// formatText() copies a format piece by piece, up to each place of a value.
/// All memory is the string's that it returns.
///
//===----------------------------------------------------------------------===//

#include "lld-cuda/Support/FormatText.h"
#include <algorithm>
#include <charconv>
#include <iterator>

using namespace llvm;
using namespace lld::cuda;

void FormatValue::append(std::string &to, bool isHexadecimal) const {
  if (!isNumber) {
    to.append(text.data(), text.size());
    return;
  }
  const bool hasSign = isNegative && !isHexadecimal;
  char digits[20]; // As many as 2^64 has.
  const std::to_chars_result end =
      std::to_chars(std::begin(digits), std::end(digits),
                    hasSign ? 0 - number : number, isHexadecimal ? 16 : 10);
  if (isHexadecimal)
    to += "0x";
  else if (hasSign)
    to += '-';
  to.append(digits, end.ptr);
}

std::string lld::cuda::formatText(StringRef format,
                                  ArrayRef<FormatValue> values) {
  std::string result;
  while (!format.empty()) {
    const size_t brace = std::min(format.find('{'), format.size());
    result.append(format.data(), brace);
    format = format.drop_front(brace);
    if (format.empty())
      break;
    StringRef place = format.drop_front();
    size_t index;
    const bool isIndex = !place.consumeInteger(10, index);
    const bool isHexadecimal = isIndex && place.consume_front(":x");
    if (isIndex && index < values.size() && place.consume_front("}")) {
      values[index].append(result, isHexadecimal);
      format = place;
      continue;
    }
    result += '{';
    format = format.drop_front();
  }
  return result;
}
