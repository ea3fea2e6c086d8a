//===- PoolTest.cpp -------------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Pool.h"
#include "gtest/gtest.h"
#include <memory>

using lld::cuda::Pool;

namespace {

TEST(Pool, ElementsStayWhereTheyAre) {
  Pool<int> pool;
  EXPECT_TRUE(pool.empty());
  std::vector<int *> places;
  for (int i = 0; i != 1000; ++i)
    places.push_back(&pool.emplace_back(i));
  ASSERT_EQ(pool.size(), 1000u);
  for (int i = 0; i != 1000; ++i) {
    EXPECT_EQ(&pool[i], places[i]);
    EXPECT_EQ(pool[i], i);
  }
}

TEST(Pool, IteratesInOrderOfCreation) {
  Pool<int> pool;
  for (int i = 0; i != 100; ++i)
    pool.emplace_back(i);
  int next = 0;
  for (int &element : pool)
    EXPECT_EQ(element, next++);
  EXPECT_EQ(next, 100);
  const Pool<int> &constant = pool;
  EXPECT_EQ(std::distance(constant.begin(), constant.end()), 100);
}

TEST(Pool, DestroysItsElements) {
  auto shared = std::make_shared<int>();
  {
    Pool<std::shared_ptr<int>> pool;
    for (int i = 0; i != 40; ++i)
      pool.emplace_back(shared);
    EXPECT_EQ(shared.use_count(), 41);
  }
  EXPECT_EQ(shared.use_count(), 1);
}

} // namespace
