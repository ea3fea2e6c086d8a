//===- JsonTest.cpp -------------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lld-cuda/Support/Json.h"
#include "lld-cuda/Support/Printable.h"
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

TEST(Json, WhatATerminalActsOnIsANumber) {
  EXPECT_EQ(printableJson("{\"a\": \"\xc3\xa9\"}\n"),
            "{\"a\": \"\xc3\xa9\"}\n");
  EXPECT_EQ(printableJson("\"\xc2\x9b\xe2\x80\xae\x7f\""),
            "\"\\u009b\\u202e\\u007f\"");
  EXPECT_EQ(cantFail(json::parse(printableJson("\"\xc2\x9b\""))),
            json::Value("\xc2\x9b"));
}

TEST(Json, ACharacterMayBeInTwoBuffers) {
  const std::string text = "\"\xe2\x80\xae\xe2\x82\xac\xf0\x9f\x98\x80\"";
  for (size_t cut = 0; cut <= text.size(); ++cut) {
    std::string result;
    raw_string_ostream os(result);
    {
      PrintableJsonStream stream(os);
      stream << text.substr(0, cut);
      stream.flush();
      stream << text.substr(cut);
    }
    EXPECT_EQ(result, "\"\\u202e\xe2\x82\xac\xf0\x9f\x98\x80\"") << cut;
  }
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
