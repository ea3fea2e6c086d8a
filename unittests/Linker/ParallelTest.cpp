//===- ParallelTest.cpp - Parallel loops -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Parallel.h"
#include "Ctx.h"
#include "gtest/gtest.h"
#include <thread>

using namespace lld::cuda;

namespace {

void callsEachIndexOnce(unsigned worthThreads, unsigned threads) {
  LinkJob job(llvm::nulls(), llvm::nulls());
  Ctx ctx(job);
  ctx.inputs.worthThreads = worthThreads;
  job.config.threads = threads;
  for (size_t n : {0, 1, 2, 3, 7, 1000}) {
    std::vector<std::atomic<int>> calls(n);
    parallelForEach(ctx.inputs, n, [&](size_t i) { ++calls[i]; });
    for (const std::atomic<int> &count : calls)
      EXPECT_EQ(count, 1);
  }
}

TEST(Parallel, CallsEachIndexOnce) {
  callsEachIndexOnce(1, 0);
  callsEachIndexOnce(100, 0);
  callsEachIndexOnce(100, 1);
  callsEachIndexOnce(2, 16);
}

TEST(Parallel, SmallLinksStayInOneThread) {
  LinkJob job(llvm::nulls(), llvm::nulls());
  Ctx ctx(job);
  job.config.threads = 4;
  std::thread::id self = std::this_thread::get_id();
  parallelForEach(ctx.inputs, 100,
                  [&](size_t) { EXPECT_EQ(std::this_thread::get_id(), self); });
}

// Half a megabyte or 32 files for each thread, and two threads at least.
TEST(Parallel, ThreadsHaveEnoughToDo) {
  EXPECT_EQ(worthThreads(0, LargeLinkFiles + 1), 2u);
  EXPECT_EQ(worthThreads(LargeLinkBytes + 1, 3), 4u);
  EXPECT_EQ(worthThreads(1 << 20, 500), 15u);
  EXPECT_EQ(worthThreads(uint64_t(64) << 20, 2), 128u);
  EXPECT_EQ(worthThreads(UINT64_MAX, 0), UINT32_MAX);
}

TEST(Parallel, GrowingLoopCallsEachIndexOnce) {
  for (size_t n : {0, 1, 2, 50}) {
    std::vector<std::atomic<int>> calls(n);
    GrowingLoop *self = nullptr;
    auto call = [&](size_t i) {
      ++calls[i];
      self->grow(4);
    };
    GrowingLoop loop(n, call);
    self = &loop;
    loop.run();
    for (const std::atomic<int> &count : calls)
      EXPECT_EQ(count, 1);
  }
}

TEST(Parallel, GrowingLoopStaysInOneThreadUntilItGrows) {
  const std::thread::id self = std::this_thread::get_id();
  auto isSelf = [&](size_t) { EXPECT_EQ(std::this_thread::get_id(), self); };
  GrowingLoop(20, isSelf).run();

  // The first step waits for the second, which only another thread can do.
  std::atomic<bool> isDone{false};
  GrowingLoop *loop = nullptr;
  auto wait = [&](size_t i) {
    if (i == 1)
      isDone = true;
    else
      loop->grow(2);
    while (!isDone)
      std::this_thread::yield();
  };
  GrowingLoop two(2, wait);
  loop = &two;
  two.run();
  EXPECT_TRUE(isDone);
}

} // namespace
