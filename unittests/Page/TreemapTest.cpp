//===- TreemapTest.cpp - What treemaps show -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lld-cuda/Page/Page.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace lld::cuda::page;

static std::vector<std::string> split(StringRef name) {
  SmallVector<std::string, 8> parts;
  splitFunctionName(name, parts);
  return {parts.begin(), parts.end()};
}

TEST(Treemap, FunctionNames) {
  using Parts = std::vector<std::string>;
  EXPECT_EQ(split("f"), Parts({"f"}));
  EXPECT_EQ(split("void a::b<int>::f<c::d>(e::g)"), Parts({"a", "b<>", "f<>"}));
  EXPECT_EQ(split("(anonymous namespace)::f(int)"),
            Parts({"(anonymous namespace)", "f"}));
  EXPECT_EQ(split("a::operator<(a::b)"), Parts({"a", "operator<"}));
}

/// Sum of the sizes of nodes with that name.
static uint64_t sizeOf(const Tree &tree, StringRef name) {
  uint64_t size = 0;
  for (const Tree::Node &n : tree.all())
    if (n.part.name == name)
      size += n.size;
  return size;
}

// Sums go up to the root; instances of a template are one, wherever they stand.
TEST(Treemap, Sums) {
  Tree tree;
  tree.add(ArrayRef<TreePart>{{"a"}, {"f", true}}, 1);
  tree.add(ArrayRef<TreePart>{{"a"}, {"g"}}, 2);
  tree.add(ArrayRef<TreePart>{{"a"}, {"g"}}, 4);
  tree.add(ArrayRef<TreePart>{{"b"}, {"g"}}, 8);
  tree.add(ArrayRef<TreePart>{{"a"}, {"f", true}}, 16);
  EXPECT_EQ(tree.size(), 31u);
  EXPECT_EQ(sizeOf(tree, "a"), 23u);
  EXPECT_EQ(sizeOf(tree, "f"), 17u);
  EXPECT_EQ(sizeOf(tree, "g"), 14u);
  EXPECT_EQ(tree.all().size(), 6u);
}

// Names that are gone afterwards, in any order.
TEST(Treemap, OwnNames) {
  Tree tree;
  for (int i = 0; i != 100; ++i)
    tree.add(ArrayRef<std::string>{"folder" + std::to_string(i % 3),
                                   "file" + std::to_string(i % 7)},
             1);
  EXPECT_EQ(tree.size(), 100u);
  EXPECT_EQ(sizeOf(tree, "folder1"), 33u);
  EXPECT_EQ(tree.all().size(), 1u + 3 + 21);
}

/// Values of an attribute of all <rect> elements.
static std::vector<uint64_t> readNumbers(StringRef svg, StringRef attribute) {
  std::vector<uint64_t> values;
  SmallVector<StringRef> pieces;
  svg.split(pieces, "<rect");
  const std::string name = " " + attribute.str() + "=";
  for (StringRef piece : ArrayRef(pieces).drop_front()) {
    StringRef rest = piece.split(name).second;
    uint64_t value = 0;
    EXPECT_FALSE(rest.consumeInteger(10, value));
    values.push_back(value);
  }
  return values;
}

// Areas are as the sizes, up to the rounding of their sides, and fill the
// picture; what is too small, or one of too many, is one box.
TEST(Treemap, Areas) {
  Tree tree;
  const std::string sizes[] = {"1000", "2000", "5000"};
  for (const std::string &s : sizes)
    tree.add(ArrayRef<TreePart>{{s}}, std::stoul(s));
  Text text;
  drawTreemap(text, tree, 400, "x");
  const std::string svg = text.str();
  const auto width = readNumbers(svg, "width"),
             height = readNumbers(svg, "height");
  ASSERT_EQ(width.size(), 3u);
  const double all = 10000.0 * 4000.0;
  EXPECT_NEAR(double(width[0] * height[0]) / all, 5.0 / 8, 0.001);
  EXPECT_NEAR(double(width[1] * height[1]) / all, 2.0 / 8, 0.001);
  EXPECT_NEAR(double(width[2] * height[2]) / all, 1.0 / 8, 0.001);
}

TEST(Treemap, Many) {
  Tree tree;
  tree.add(ArrayRef<std::string>{"large"}, 100000);
  for (int i = 0; i != 1000; ++i)
    tree.add(ArrayRef<std::string>{"f" + std::to_string(i)}, 10);
  Text text;
  drawTreemap(text, tree, 400, "x");
  const std::string svg = text.str();
  EXPECT_EQ(readNumbers(svg, "width").size(), 2u);
  EXPECT_NE(StringRef(svg).find("<title>1000 more: 10,000 B</title>"),
            StringRef::npos);
}

// What is left over is never the largest tile.
TEST(Treemap, ManyOfOneSize) {
  Tree tree;
  for (int i = 0; i != 1000; ++i)
    tree.add(ArrayRef<std::string>{"f" + std::to_string(i)}, 100);
  Text text;
  drawTreemap(text, tree, 400, "x");
  const std::string svg = text.str();
  EXPECT_GE(readNumbers(svg, "width").size(), 999u);
  EXPECT_EQ(StringRef(svg).find(" more: "), StringRef::npos);
}

// Nor if there are more things than tiles can be seen: it has no tile then.
TEST(Treemap, TooMany) {
  Tree tree;
  for (int i = 0; i != 100000; ++i)
    tree.add(ArrayRef<std::string>{"f" + std::to_string(i)}, 100);
  Text text;
  drawTreemap(text, tree, 400, "x");
  const std::string svg = text.str();
  EXPECT_EQ(StringRef(svg).find("<title>100000 more"), StringRef::npos);
  EXPECT_NE(StringRef(svg).find("100000 more"), StringRef::npos);
}

TEST(Treemap, Nothing) {
  Text text;
  drawTreemap(text, Tree(), 400, "x");
  EXPECT_EQ(text.str(), "");
}
