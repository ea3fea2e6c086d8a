//===- ArenaVectorTest.cpp ------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ArenaVector.h"
#include "llvm/Support/Allocator.h"
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

TEST(ArenaVector, AppendsLists) {
  llvm::BumpPtrAllocator arena;
  ArenaVector<int> list;
  list.append(arena, {});
  EXPECT_TRUE(list.empty());
  list.append(arena, {1, 2, 3});
  list.push_back(arena, 4);
  list.append(arena, {5});
  list.append(arena, {6, 7, 8, 9, 10, 11, 12});
  EXPECT_EQ(llvm::ArrayRef<int>(list),
            llvm::ArrayRef({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}));
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

/// An arena that counts how often it was asked for memory.
struct CountingArena {
  template <typename T> T *Allocate(size_t count) {
    ++calls;
    return memory.Allocate<T>(count);
  }
  unsigned calls = 0;
  llvm::BumpPtrAllocator memory;
};

TEST(ArenaVector, ClearedItTakesNoMoreMemoryForAsMany) {
  CountingArena arena;
  ArenaVector<int> list;
  list.push_back(arena, 1);
  list.push_back(arena, 2);
  const unsigned allocated = arena.calls;
  list.clear();
  EXPECT_TRUE(list.empty());
  list.push_back(arena, 3);
  list.push_back(arena, 4);
  EXPECT_EQ(arena.calls, allocated);
  EXPECT_EQ(list[1], 4);
}

TEST(ArenaVector, MakesRoomAtOnceForWhatIsToCome) {
  CountingArena arena;
  ArenaVector<int> list;
  list.makeRoom(arena, 3);
  const unsigned allocated = arena.calls;
  for (int i = 0; i != 3; ++i) {
    list.makeRoom(arena, 3 - i);
    list.push_back(arena, i);
  }
  EXPECT_EQ(arena.calls, allocated);
  list.makeRoom(arena, 1);
  EXPECT_GT(arena.calls, allocated);
  ASSERT_EQ(list.size(), 3u);
  EXPECT_EQ(list[2], 2);
}

TEST(ArenaVector, ItsElementsCanBeChangedAndSwapped) {
  llvm::BumpPtrAllocator arena;
  ArenaVector<int> list, other;
  list.push_back(arena, 1);
  list.push_back(arena, 2);
  for (int &element : list.elements())
    element *= 10;
  list.swap(other);
  EXPECT_TRUE(list.empty());
  ASSERT_EQ(other.size(), 2u);
  EXPECT_EQ(other[0], 10);
  EXPECT_EQ(other[1], 20);
}

} // namespace
