//===- JsonTest.cpp -------------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lld-cuda/Support/Json.h"
#include "gtest/gtest.h"

using namespace lld::cuda;
using namespace llvm;

static bool isRead(StringRef text) {
  Expected<json::Value> value = parseJson(text);
  if (value)
    return true;
  consumeError(value.takeError());
  return false;
}

static std::string nested(StringRef open, StringRef close, unsigned depth) {
  std::string text;
  for (unsigned i = 0; i != depth; ++i)
    text += open;
  for (unsigned i = 0; i != depth; ++i)
    text += close;
  return text;
}

TEST(Json, DepthHasALimit) {
  EXPECT_TRUE(isRead(nested("[", "]", MaxJsonDepth)));
  EXPECT_FALSE(isRead(nested("[", "]", MaxJsonDepth + 1)));
  EXPECT_FALSE(isRead(nested("[", "]", 50'000)));
  EXPECT_FALSE(isRead(nested("[", "", 50'000)));
  EXPECT_FALSE(isRead(nested("{\"a\":[", "]}", 50'000)));
}

TEST(Json, LengthHasNone) {
  std::string list = "[";
  for (unsigned i = 0; i != 1000; ++i)
    list += "[],{},";
  EXPECT_TRUE(isRead(list + "0]"));
}

TEST(Json, StringsMayHaveBrackets) {
  EXPECT_TRUE(isRead("[\"" + nested("[", "", 1000) + "\"]"));
  EXPECT_TRUE(isRead("[\"\\\"" + nested("[", "", 1000) + "\"]"));
  // A backslash that is escaped itself escapes no quote.
  EXPECT_FALSE(isRead("[\"\\\\\"," + nested("[", "]", 1000) + "]"));
}

TEST(Json, WhatIsNoJsonIsAnError) {
  for (StringRef text : {"", "]", "}{", "[", "\"", "[\"\\", "nul"})
    EXPECT_FALSE(isRead(text)) << text.str();
}
