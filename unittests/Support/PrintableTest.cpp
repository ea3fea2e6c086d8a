//===- PrintableTest.cpp --------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lld-cuda/Support/Printable.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

using namespace lld::cuda;
using namespace llvm;

/// By each of the ways.
static std::string shown(StringRef text) {
  std::string streamed;
  raw_string_ostream(streamed) << asPrintable(text);
  EXPECT_EQ(printable(text), streamed);
  EXPECT_EQ(isPrintable(text), streamed == text);
  return streamed;
}

TEST(Printable, UsualTextStays) {
  for (StringRef text :
       {"", "k", "_ZN3foo3barEv", "dir with blanks/a~b.o", "C:\\x\\y.o",
        "Gr\xc3\xb6\xc3\x9f"
        "e",
        "\xe6\xa0\xb8\xe5\xbf\x83.cu", "\xf0\x9f\x98\x80", "exactly8",
        "exactly8exactly8"})
    EXPECT_EQ(shown(text), text);
}

TEST(Printable, ControlCharactersAreNumbers) {
  EXPECT_EQ(shown("\x1b[2J"), "\\1B[2J");
  EXPECT_EQ(shown("a\nld.cuda: error: b\r\t"),
            "a\\0Ald.cuda: error: b\\0D\\09");
  EXPECT_EQ(shown("\x7f"), "\\7F");
  EXPECT_EQ(shown(StringRef("a\0b", 3)), "a\\00b");
  // U+009B, which is ESC [ in one character.
  EXPECT_EQ(shown("\xc2\x9b"
                  "2J"),
            "\\C2\\9B2J");
}

/// Wherever it stands in a text of any length.
TEST(Printable, EachPlaceIsLookedAt) {
  for (char c : {'\x1b', '\x7f', '\x1f', '\x01', '\0', '\xff'})
    for (size_t size = 1; size != 40; ++size)
      for (size_t at = 0; at != size; ++at) {
        std::string text(size, '~');
        text[at] = c;
        EXPECT_FALSE(isPrintable(text)) << size << ' ' << at;
      }
  for (char c = ' '; c != '\x7f'; ++c)
    EXPECT_TRUE(isPrintable(std::string(9, c))) << c;
}

TEST(Printable, WritingDirectionsAreNumbers) {
  EXPECT_EQ(shown("a\xe2\x80\xae"
                  "b"),
            "a\\E2\\80\\AEb");                      // U+202E
  EXPECT_EQ(shown("\xe2\x81\xa6"), "\\E2\\81\\A6"); // U+2066
  EXPECT_EQ(shown("\xe2\x80\x8f"), "\\E2\\80\\8F"); // U+200F
  EXPECT_EQ(shown("\xd8\x9c"), "\\D8\\9C");         // U+061C
  EXPECT_EQ(shown("\xe2\x80\xa8"), "\\E2\\80\\A8"); // U+2028
  // Hebrew letters are written from right to left without such marks.
  EXPECT_EQ(shown("\xd7\xa9\xd7\x9c"), "\xd7\xa9\xd7\x9c");
}

TEST(Printable, WhatIsNoUtf8IsNumbers) {
  EXPECT_EQ(shown("Gr\xf6\xdf"
                  "e"),
            "Gr\\F6\\DFe");
  EXPECT_EQ(shown("\xc3"), "\\C3");
  EXPECT_EQ(shown("\xc0\xaf"), "\\C0\\AF");         // Longer than needed.
  EXPECT_EQ(shown("\xed\xa0\x80"), "\\ED\\A0\\80"); // Half of a pair.
  EXPECT_EQ(shown("\xf4\x90\x80\x80"), "\\F4\\90\\80\\80");
  // What follows is shown again.
  EXPECT_EQ(shown("\xe2\xc3\xb6"), "\\E2\xc3\xb6");
}

TEST(Printable, LinesKeepTheirEnds) {
  EXPECT_EQ(printableLines("a\tb\n\x1b"
                           "c\r\n"),
            "a\tb\n\\1Bc\\0D\n");
}
