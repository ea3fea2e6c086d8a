//===- InputBufferTest.cpp - Files that change while they are read --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Files are read on a system whose file times are rounded down to 4 ms, as
/// kernels before 6.13 do, and somebody writes to them in the same 4 ms.
///
//===----------------------------------------------------------------------===//

#include "Input/InputBuffer.h"
#include "llvm/ADT/SmallString.h"
#include "gtest/gtest.h"
#include <algorithm>
#include <atomic>
#include <ctime>
#include <fcntl.h>
#include <functional>
#include <thread>
#include <unistd.h>

using namespace lld::cuda;
using namespace llvm;

namespace {

constexpr int64_t Tick = 4'000'000; // ns

timespec roundDown(timespec time) {
  time.tv_nsec -= time.tv_nsec % Tick;
  return time;
}

/// The clock by which the kernel dates writes, which is behind the exact one.
/// By the exact one a tick would be over while writes still get its time.
timespec timeOfWrites() {
  timespec time;
  ::clock_gettime(CLOCK_REALTIME_COARSE, &time);
  return time;
}

/// Such a system. Somebody else's turn comes before each read.
class CoarseSystem : public InputSystem {
public:
  int status(int fd, struct stat &status) const override {
    const int failed = InputSystem::status(fd, status);
    status.st_mtim = roundDown(status.st_mtim);
    status.st_ctim = roundDown(status.st_ctim);
    return failed;
  }
  ssize_t read(int fd, char *to, size_t size, uint64_t offset) const override {
    ++reads;
    if (beforeRead)
      beforeRead(reads);
    return InputSystem::read(fd, to, std::min(size, most), offset);
  }
  timespec now() const override { return roundDown(timeOfWrites()); }

  std::function<void(unsigned)> beforeRead;
  size_t most = ~size_t(0); ///< That one call reads.
  mutable unsigned reads = 0;
};

class InputBufferTest : public ::testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(sys::fs::createTemporaryFile("input", "bin", fd, path));
  }
  void TearDown() override {
    ::close(fd);
    sys::fs::remove(path);
  }

  void write(StringRef bytes, uint64_t offset = 0) {
    ASSERT_EQ(::pwrite(fd, bytes.data(), bytes.size(), offset),
              ssize_t(bytes.size()));
  }

  std::unique_ptr<InputBuffer> read(InputBuffer::Options options = {}) {
    system.reads = 0;
    options.system = &system;
    struct stat status;
    EXPECT_EQ(system.status(fd, status), 0);
    return InputBuffer::read(fd, path.str().str(), status, options, problem);
  }

  /// Does something in one tick of the clock; tries until it is.
  void inOneTick(function_ref<void()> act) {
    for (;;) {
      const timespec before = system.now();
      act();
      const timespec after = system.now();
      if (HasFatalFailure() ||
          (before.tv_sec == after.tv_sec && before.tv_nsec == after.tv_nsec))
        return;
    }
  }
  void awaitNextTick() {
    const timespec before = system.now();
    while (system.now().tv_nsec == before.tv_nsec)
      ::usleep(100);
  }
  /// Writes at a time that no coarser clock would tell, so that the file is at
  /// rest one tick later. Every fifth tick is a multiple of 10 ms, too, as are
  /// all times of exFAT.
  void writeAtUnroundTime(StringRef bytes) {
    constexpr int64_t CoarserTick = 10'000'000; // ns
    struct stat status;
    do {
      awaitNextTick();
      write(bytes);
      ASSERT_EQ(system.status(fd, status), 0);
    } while (status.st_ctim.tv_nsec % CoarserTick == 0);
  }

  SmallString<64> path;
  int fd = -1;
  CoarseSystem system;
  InputBuffer::Problem problem = InputBuffer::Problem::None;
};

TEST_F(InputBufferTest, SeesWriteInTheTickOfTheLastChange) {
  std::unique_ptr<InputBuffer> buffer;
  inOneTick([&] {
    write("aaaaaaaa");
    // Half of it was read, and both halves get new contents.
    system.most = 4;
    system.beforeRead = [&](unsigned number) {
      if (number == 2)
        write("bbbbbbbb");
    };
    buffer = read();
  });
  // It was read again as a whole.
  ASSERT_TRUE(buffer);
  EXPECT_EQ(buffer->getBuffer(), "bbbbbbbb");
}

TEST_F(InputBufferTest, RefusesFileThatNeverRests) {
  char last = 0;
  write(std::string(100, last));
  system.beforeRead = [&](unsigned) { write(std::string(100, ++last)); };
  EXPECT_FALSE(read());
  EXPECT_EQ(problem, InputBuffer::Problem::Changed);
}

TEST_F(InputBufferTest, ReadsFilesAtRestOnce) {
  writeAtUnroundTime("at rest");
  awaitNextTick();
  auto buffer = read();
  ASSERT_TRUE(buffer);
  EXPECT_EQ(buffer->getBuffer(), "at rest");
  EXPECT_EQ(system.reads, 1u);
}

TEST_F(InputBufferTest, DoesNotWaitForTheTick) {
  std::unique_ptr<InputBuffer> buffer;
  inOneTick([&] {
    write("new");
    buffer = read();
  });
  ASSERT_TRUE(buffer);
  EXPECT_EQ(buffer->getBuffer(), "new");
}

/// Of a host object only parts are read; those are compared at the end.
class PartlyReadTest : public InputBufferTest {
protected:
  void SetUp() override {
    InputBufferTest::SetUp();
    ASSERT_EQ(
        ::system(("cp " LLDCUDA_UNITTEST_INPUTS "/whole.o " + path.str().str())
                     .c_str()),
        0);
    ::close(fd);
    fd = ::open(path.c_str(), O_RDWR);
    options.lazy = true;
  }
  InputBuffer::Options options;
};

TEST_F(PartlyReadTest, SeesWriteBetweenParts) {
  bool isUnchanged = true;
  inOneTick([&] {
    write("x", 200);
    auto buffer = read(options);
    ASSERT_TRUE(buffer);
    ASSERT_TRUE(buffer->isOpen());
    buffer->load(buffer->getBuffer().substr(200, 16));
    write("y", 200);
    buffer->load(buffer->getBuffer().substr(300, 16));
    isUnchanged = buffer->isUnchanged();
  });
  EXPECT_FALSE(isUnchanged);
}

TEST_F(PartlyReadTest, IsUnchangedIfNobodyWrites) {
  for (bool isShared : {false, true}) {
    options.isShared = isShared;
    write("x", 200);
    auto buffer = read(options);
    ASSERT_TRUE(buffer);
    buffer->load(buffer->getBuffer().substr(200, 16));
    buffer->load(buffer->getBuffer().substr(300, 16));
    EXPECT_TRUE(buffer->isUnchanged());
  }
}

TEST_F(PartlyReadTest, SeesWriteAfterTheTick) {
  auto buffer = read(options);
  ASSERT_TRUE(buffer);
  buffer->load(buffer->getBuffer().substr(200, 16));
  awaitNextTick();
  write("y", 200);
  EXPECT_FALSE(buffer->isUnchanged());
}

/// Writes the numbers of its rounds all over the file, as fast as it can.
TEST_F(InputBufferTest, NeverMixesTwoWrites) {
  constexpr size_t Words = 8 << 10;
  std::vector<uint32_t> words(Words);
  auto bytes = [&] {
    return StringRef(reinterpret_cast<const char *>(words.data()),
                     Words * sizeof(uint32_t));
  };
  write(bytes());
  system.most = 4096;
  std::atomic<bool> ends{false};
  std::thread writer([&] {
    for (uint32_t round = 1; !ends; ++round) {
      std::fill(words.begin(), words.end(), round);
      // Page by page, so that readers may come between.
      for (size_t at = 0; at != bytes().size(); at += 4096)
        write(bytes().substr(at, 4096), at);
      if (round % 4 == 0)
        ::usleep(50);
    }
  });
  unsigned mixed = 0;
  for (int i = 0; i != 2000; ++i)
    if (auto buffer = read()) {
      StringRef found = buffer->getBuffer();
      // Pages may be of two rounds, if the writer was between them.
      uint32_t first, last;
      memcpy(&first, found.data(), sizeof(first));
      memcpy(&last, found.end() - sizeof(last), sizeof(last));
      mixed += first != last && first != last + 1;
    }
  ends = true;
  writer.join();
  EXPECT_EQ(mixed, 0u);
}

} // namespace
