//===- SharedUseTest.cpp - Many threads and processes ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Library.h"
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace nvjitlink;

namespace {

std::string linkBoth() {
  Link link(Sm90);
  link.add(Cubin, kernel());
  link.add(Cubin, function());
  link.complete();
  return link.cubin();
}

TEST(SharedUse, ThreadsWithTheirOwnHandles) {
  const std::string expected = linkBoth();
  std::vector<std::thread> threads;
  for (int i = 0; i != 16; ++i)
    threads.emplace_back([&] {
      for (int n = 0; n != 20; ++n)
        EXPECT_TRUE(linkBoth() == expected);
    });
  for (std::thread &thread : threads)
    thread.join();
}

/// All of them add; which one's is first, and whose definitions are refused,
/// doesn't matter.
TEST(SharedUse, ThreadsWithOneHandle) {
  Link link(Sm90);
  std::vector<std::thread> threads;
  for (int i = 0; i != 16; ++i)
    threads.emplace_back([&, i] {
      for (int n = 0; n != 20; ++n) {
        link.add(Cubin, i % 2 ? kernel() : function());
        link.add(Cubin, "garbage");
        // Its text can't be read meanwhile: it may be longer than its size was.
        size_t size;
        EXPECT_EQ(link.size("ErrorLog", size), Success);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(link.complete(), Success) << link.errors();
  EXPECT_EQ(link.cubin().substr(1, 3), "ELF");
}

TEST(SharedUse, AChildOfForkLinks) {
  const std::string expected = linkBoth();
  Link link(Sm90);
  link.add(Cubin, kernel());
  const pid_t child = fork();
  if (!child) {
    link.add(Cubin, function());
    const bool isGood = link.complete() == Success &&
                        link.cubin() == expected && linkBoth() == expected;
    _exit(isGood ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

} // namespace
