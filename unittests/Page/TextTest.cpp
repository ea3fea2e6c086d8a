//===- TextTest.cpp - Numbers, names and growth of texts ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lld-cuda/Page/Page.h"
#include "llvm/Support/JSON.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace lld::cuda::page;

// As the standard library prints them, at each number of digits.
TEST(Text, Numbers) {
  std::string expected;
  Text text;
  uint64_t power = 1;
  for (unsigned digits = 0; digits != 20; ++digits, power *= 10)
    for (uint64_t n : {power - 1, power, power + 7, power * 5 + 305}) {
      text << n << ' ';
      expected += std::to_string(n) + " ";
    }
  for (uint64_t n = 0; n != 12000; ++n) {
    text << n << ' ';
    expected += std::to_string(n) + " ";
  }
  for (int64_t n : {INT64_MIN, int64_t(-1), INT64_MAX}) {
    text << n << ' ';
    expected += std::to_string(n) + " ";
  }
  text << UINT64_MAX;
  EXPECT_EQ(text.str(), expected + std::to_string(UINT64_MAX));
}

// A null pointer is an empty name, too.
TEST(Text, Nothing) {
  Text text;
  text << StringRef();
  EXPECT_EQ(text.putHtml(StringRef()), "");
  EXPECT_EQ(text.str(), "");
  EXPECT_EQ(text.putJson(StringRef()), "\"\"");
  text << StringRef();
  EXPECT_EQ(text.str(), "\"\"");
}

// Each character at each place of words up to three times as long as what is
// looked at at once. LLVM's reader understands what was meant.
TEST(Text, Json) {
  for (size_t size = 1; size != 50; ++size)
    for (size_t at = 0; at != size; ++at)
      for (unsigned c = 1; c != 128; ++c) {
        std::string name(size, 'x');
        name[at] = char(c);
        Text text;
        text.putJson(name);
        Expected<json::Value> value = json::parse(text.str());
        ASSERT_TRUE(bool(value)) << name;
        EXPECT_EQ(value->getAsString(), StringRef(name));
      }
}

TEST(Text, JsonOfNoUtf8) {
  Text text;
  text.putJson("a\xff");
  EXPECT_EQ(text.str(), "\"a\xef\xbf\xbd\"");
  Text good;
  good.putJson("größe");
  EXPECT_EQ(good.str(), "\"größe\"");
}

// By the rules of HTML: what could be markup is a reference, all else stays.
TEST(Text, Html) {
  for (size_t size = 1; size != 50; ++size)
    for (size_t at = 0; at != size; ++at)
      for (unsigned c = ' '; c != 127; ++c) {
        std::string expected(size, 'x'), name = expected;
        name[at] = char(c);
        expected.replace(at, 1,
                         c == '<'    ? "&lt;"
                         : c == '>'  ? "&gt;"
                         : c == '&'  ? "&amp;"
                         : c == '"'  ? "&quot;"
                         : c == '\'' ? "&#39;"
                                     : std::string(1, char(c)));
        Text text;
        EXPECT_EQ(text.putHtml(name), expected);
        EXPECT_EQ(text.str(), expected);
      }
}

// What is returned can be put once more after the text has grown.
TEST(Text, Again) {
  Text text;
  const StringRef html = text.putHtml("a<b"), json = text.putJson("a\"b");
  text << std::string(1 << 20, ' ');
  EXPECT_EQ(html, "a&lt;b");
  EXPECT_EQ(json, "\"a\\\"b\"");
}

// Over the sizes of all blocks, with pieces larger than any.
TEST(Text, Growth) {
  Text text;
  std::string expected;
  for (size_t i = 0; i != 3000; ++i) {
    const std::string piece(i % 1700, char('a' + i % 26));
    text << piece << "|";
    expected += piece + "|";
  }
  text << std::string(3 << 20, 'z');
  expected += std::string(3 << 20, 'z');
  EXPECT_EQ(text.str(), expected);
  std::string joined;
  for (const Text::Block &block : text.takeBlocks())
    joined.append(block.data(), block.size());
  EXPECT_EQ(joined, expected);
}

TEST(Text, Bytes) {
  auto shown = [](uint64_t size) {
    Text text;
    putBytes(text, size);
    return text.str();
  };
  EXPECT_EQ(shown(0), "0 B");
  EXPECT_EQ(shown(999), "999 B");
  EXPECT_EQ(shown(1000), "1,000 B");
  EXPECT_EQ(shown(10239), "10,239 B");
  EXPECT_EQ(shown(1000005), "1,000,005 B");
  EXPECT_EQ(shown(UINT64_MAX), "18,446,744,073,709,551,615 B");
}
