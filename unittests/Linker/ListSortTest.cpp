//===- ListSortTest.cpp - nvlink's list sort ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The permutations of equal keys are those that nvlink was seen to make
/// [list-sort].
///
//===----------------------------------------------------------------------===//

#include "Layout/ListSort.h"
#include "gtest/gtest.h"

using namespace lld::cuda;

namespace {

struct Item {
  unsigned number;
  uint64_t size = 8, align = 4;
};

template <typename TakeFirst>
std::vector<unsigned> sorted(std::vector<Item> items, TakeFirst takeFirst) {
  sortLikeNvlink(items, takeFirst);
  std::vector<unsigned> numbers;
  for (const Item &item : items)
    numbers.push_back(item.number);
  return numbers;
}

std::vector<Item> equalItems(unsigned count) {
  std::vector<Item> items;
  for (unsigned i = 0; i != count; ++i)
    items.push_back({i});
  return items;
}

using Numbers = std::vector<unsigned>;

TEST(ListSort, EqualSizesInSizeOrder) {
  EXPECT_EQ(sorted(equalItems(4), bySize<Item>), (Numbers{1, 3, 0, 2}));
  EXPECT_EQ(sorted(equalItems(5), bySize<Item>), (Numbers{1, 3, 2, 4, 0}));
  EXPECT_EQ(sorted(equalItems(6), bySize<Item>), (Numbers{3, 5, 1, 2, 4, 0}));
}

TEST(ListSort, EqualKeysInAlignmentOrder) {
  EXPECT_EQ(sorted(equalItems(3), byAlignment<Item>), (Numbers{2, 0, 1}));
  EXPECT_EQ(sorted(equalItems(4), byAlignment<Item>), (Numbers{2, 0, 3, 1}));
  EXPECT_EQ(sorted(equalItems(5), byAlignment<Item>), (Numbers{0, 4, 2, 3, 1}));
  EXPECT_EQ(sorted(equalItems(6), byAlignment<Item>),
            (Numbers{0, 4, 2, 1, 5, 3}));
}

TEST(ListSort, LargerVariablesFirst) {
  EXPECT_EQ(sorted({{0, 4}, {1, 16}, {2, 8}}, bySize<Item>),
            (Numbers{1, 2, 0}));
}

TEST(ListSort, LargerAlignmentsThenSmallerSizesFirst) {
  EXPECT_EQ(
      sorted({{0, 4, 4}, {1, 16, 8}, {2, 8, 8}, {3, 2, 4}}, byAlignment<Item>),
      (Numbers{2, 1, 3, 0}));
}

TEST(ListSort, NothingToSort) {
  EXPECT_EQ(sorted({}, bySize<Item>), Numbers{});
  EXPECT_EQ(sorted(equalItems(1), bySize<Item>), Numbers{0});
}

} // namespace
