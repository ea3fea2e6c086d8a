//===- FormatTextTest.cpp - Texts with numbers and names ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What LLVM's formatv() makes of the same format and values is expected.
///
//===----------------------------------------------------------------------===//

#include "lld-cuda/Support/FormatText.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FormatVariadic.h"
#include "gtest/gtest.h"

using namespace lld::cuda;
using namespace llvm;

namespace {

template <typename... Ts>
void expectAsFormatv(const char *format, const Ts &...values) {
  EXPECT_EQ(formatText(format, {FormatValue(values)...}),
            formatv(format, values...).str());
}

TEST(FormatText, NumbersAreDecimalOrHexadecimal) {
  for (uint64_t number : {uint64_t(0), uint64_t(9), uint64_t(255), UINT64_MAX})
    expectAsFormatv("{0} is {0:x}", number);
  expectAsFormatv("{0} {1}", uint8_t(200), uint16_t(65535));
  expectAsFormatv("{0} {1} {2}", -5, INT64_MIN, INT32_MAX);
}

TEST(FormatText, TextsOfAllKinds) {
  const std::string name = "a name";
  expectAsFormatv("'{0}', {1}: {2}", name, StringRef("part of it", 4), "end");
  expectAsFormatv("{1}{0}{1}", "x", name);
  expectAsFormatv("{0}", "");
}

TEST(FormatText, NumbersAsTheyAreInFiles) {
  support::ulittle32_t number;
  number = 0x12345678;
  EXPECT_EQ(formatText("{0:x}", {FormatValue(number)}), "0x12345678");
}

TEST(FormatText, WhatIsNoPlaceStays) {
  EXPECT_EQ(formatText("", {}), "");
  EXPECT_EQ(formatText("no value", {FormatValue(1)}), "no value");
  EXPECT_EQ(formatText("{", {FormatValue(1)}), "{");
  EXPECT_EQ(formatText("{}{x}{0", {FormatValue(1)}), "{}{x}{0");
  EXPECT_EQ(formatText("{1}", {FormatValue(1)}), "{1}");
  EXPECT_EQ(formatText("{99999999999999999999999}", {FormatValue(1)}),
            "{99999999999999999999999}");
  EXPECT_EQ(formatText("{{0}}", {FormatValue("x")}), "{x}");
}

} // namespace
