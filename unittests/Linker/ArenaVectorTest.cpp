//===- ArenaVectorTest.cpp ------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ArenaVector.h"
#include "gtest/gtest.h"

using namespace lld::cuda;

namespace {

TEST(ArenaVector, KeepsItsElementsInOrderAsItGrows) {
  llvm::BumpPtrAllocator arena;
  ArenaVector<int> list;
  EXPECT_TRUE(list.empty());
  EXPECT_EQ(list.begin(), list.end());
  for (int i = 0; i != 1000; ++i)
    list.push_back(arena, i);
  ASSERT_EQ(list.size(), 1000u);
  int next = 0;
  for (int element : list)
    EXPECT_EQ(element, next++);
  EXPECT_EQ(llvm::ArrayRef<int>(list).back(), 999);
}

TEST(ArenaVector, TakesAnElementOfItsOwn) {
  llvm::BumpPtrAllocator arena;
  ArenaVector<int> list;
  list.push_back(arena, 7);
  for (int i = 0; i != 8; ++i)
    list.push_back(arena, list[0]);
  for (int element : list)
    EXPECT_EQ(element, 7);
}

TEST(ArenaVector, ClearedItTakesNoMoreMemoryForAsMany) {
  llvm::BumpPtrAllocator arena;
  ArenaVector<int> list;
  list.push_back(arena, 1);
  list.push_back(arena, 2);
  const size_t allocated = arena.getBytesAllocated();
  list.clear();
  EXPECT_TRUE(list.empty());
  list.push_back(arena, 3);
  list.push_back(arena, 4);
  EXPECT_EQ(arena.getBytesAllocated(), allocated);
  EXPECT_EQ(list[1], 4);
}

} // namespace
