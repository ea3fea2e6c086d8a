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

void callsEachIndexOnce(bool largeLink, unsigned threads) {
  LinkJob job(llvm::nulls(), llvm::nulls());
  Ctx ctx(job);
  ctx.largeLink = largeLink;
  job.config.threads = threads;
  for (size_t n : {0, 1, 2, 3, 7, 1000}) {
    std::vector<std::atomic<int>> calls(n);
    parallelForEach(ctx, n, [&](size_t i) { ++calls[i]; });
    for (const std::atomic<int> &count : calls)
      EXPECT_EQ(count, 1);
  }
}

TEST(Parallel, CallsEachIndexOnce) {
  callsEachIndexOnce(false, 0);
  callsEachIndexOnce(true, 0);
  callsEachIndexOnce(true, 1);
  callsEachIndexOnce(true, 16);
}

TEST(Parallel, SmallLinksStayInOneThread) {
  LinkJob job(llvm::nulls(), llvm::nulls());
  Ctx ctx(job);
  job.config.threads = 4;
  std::thread::id self = std::this_thread::get_id();
  parallelForEach(ctx, 100,
                  [&](size_t) { EXPECT_EQ(std::this_thread::get_id(), self); });
}

} // namespace
