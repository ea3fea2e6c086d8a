//===- PtxTextTest.cpp - PTX as it is kept in fatbins ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What fatbinary 13.0.88 makes of each text.
///
//===----------------------------------------------------------------------===//

#include "lld-cuda/Object/PtxText.h"
#include "gtest/gtest.h"

using namespace lld::cuda;

// [fatbinary-ptx]
TEST(PtxText, Blanks) {
  EXPECT_EQ(shortenPtx("  a \t b\t\tc  \n\t\t d"), "a b\tc \nd");
  EXPECT_EQ(shortenPtx("a\r  b\v\v\f\fc"), "a\rb\v\v\f\fc");
}

TEST(PtxText, Comments) {
  EXPECT_EQ(shortenPtx("a // b\n  c"), "a \nc");
  EXPECT_EQ(shortenPtx("a // b\rc  d"), "a \rc d");
  EXPECT_EQ(shortenPtx("a  /* b\n */  c"), "a  c");
  EXPECT_EQ(shortenPtx("/*x*/  b"), " b");
  EXPECT_EQ(shortenPtx("a/**/  b"), "a b");
  EXPECT_EQ(shortenPtx("b  /*/ c */ d"), "b  c */ d");
  EXPECT_EQ(shortenPtx("a /* b"), "a ");
  EXPECT_EQ(shortenPtx("a/ /b /"), "a/ /b /");
}

TEST(PtxText, Strings) {
  EXPECT_EQ(shortenPtx("\"a  // b\n  c\"  d"), "\"a  // b\n  c\" d");
  EXPECT_EQ(shortenPtx("a \\\"  b  c\"  d"), "a \\\" b c\"  d");
  EXPECT_EQ(shortenPtx("\"a\\\\\"  b  c"), "\"a\\\\\"  b  c");
  EXPECT_EQ(shortenPtx("\"a  b"), "\"a  b");
}

TEST(PtxText, Version) {
  using Version = std::pair<uint16_t, uint16_t>;
  EXPECT_EQ(readPtxVersion(".version 8.4\n"), Version(8, 4));
  EXPECT_EQ(readPtxVersion("// .version 1.2\n.version 3.4"), Version(1, 2));
  EXPECT_EQ(readPtxVersion(".version\n9.12"), Version(9, 1));
  EXPECT_EQ(readPtxVersion(".version10.2"), Version(10, 2));
  EXPECT_EQ(readPtxVersion(".version 9"), std::nullopt);
  EXPECT_EQ(readPtxVersion(".versions 7.1\n.version 3.4"), std::nullopt);
  EXPECT_EQ(readPtxVersion("hello"), std::nullopt);
}
