//===- JobTokensTest.cpp --------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lld-cuda/Support/JobTokens.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "gtest/gtest.h"
#include <fcntl.h>
#include <string>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace llvm;
using namespace lld::cuda;

namespace {

/// A job server as make starts it: a FIFO with tokens in it.
class Fifo {
public:
  explicit Fifo(StringRef tokens) {
    EXPECT_FALSE(sys::fs::createUniqueDirectory("job-tokens", directory));
    path = (directory + "/fifo").str();
    EXPECT_EQ(::mkfifo(path.c_str(), 0600), 0);
    fd = ::open(path.c_str(), O_RDWR | O_NONBLOCK);
    EXPECT_EQ(::write(fd, tokens.data(), tokens.size()),
              ssize_t(tokens.size()));
  }
  ~Fifo() {
    ::close(fd);
    sys::fs::remove_directories(directory);
  }
  std::string flags() const { return " -j8 --jobserver-auth=fifo:" + path; }
  /// The tokens that are there; they are taken out.
  std::string tokens() {
    char buffer[64];
    const ssize_t n = ::read(fd, buffer, sizeof(buffer));
    return n > 0 ? std::string(buffer, n) : std::string();
  }

private:
  SmallString<64> directory;
  std::string path;
  int fd;
};

/// As make before 4.4: a pipe, whose ends commands inherit.
struct Pipe {
  Pipe() { EXPECT_EQ(::pipe(ends), 0); }
  ~Pipe() {
    ::close(ends[0]);
    ::close(ends[1]);
  }
  std::string flags(int from, int to) const {
    return "w -j8 --jobserver-auth=" + std::to_string(from) + "," +
           std::to_string(to);
  }
  int ends[2];
};

TEST(JobTokens, SaysWhetherThereIsAServer) {
  EXPECT_TRUE(hasJobServer(" -j8 --jobserver-auth=fifo:/tmp/x"));
  EXPECT_TRUE(hasJobServer("k --jobserver-fds=3,4 -j"));
  EXPECT_FALSE(hasJobServer("ks"));
  EXPECT_FALSE(hasJobServer(""));
  EXPECT_FALSE(hasJobServer("k -- A=--jobserver-auth=3,4"));
}

TEST(JobTokens, NoServerNoLimit) {
  EXPECT_EQ(JobTokens("", 5).threads(), 5u);
  EXPECT_EQ(JobTokens("k -j -- X=--jobserver-auth=fifo:/none", 5).threads(),
            5u);
}

TEST(JobTokens, AsManyAsThereAre) {
  Fifo fifo("abc");
  {
    JobTokens tokens(fifo.flags(), 8);
    EXPECT_EQ(tokens.threads(), 4u);
    EXPECT_EQ(fifo.tokens(), "");
  }
  EXPECT_EQ(fifo.tokens(), "abc");
}

TEST(JobTokens, NoMoreThanWanted) {
  Fifo fifo("abcdef");
  JobTokens tokens(fifo.flags(), 3), others(fifo.flags(), 2);
  EXPECT_EQ(tokens.threads(), 3u);
  EXPECT_EQ(others.threads(), 2u);
  EXPECT_EQ(fifo.tokens(), "def");
  tokens.giveBack();
  tokens.giveBack();
  EXPECT_EQ(tokens.threads(), 1u);
  EXPECT_EQ(fifo.tokens(), "ab");
}

TEST(JobTokens, NoneLeft) {
  Fifo fifo("");
  EXPECT_EQ(JobTokens(fifo.flags(), 8).threads(), 1u);
  EXPECT_EQ(JobTokens(" --jobserver-auth=fifo:/nowhere/fifo", 8).threads(), 1u);
}

TEST(JobTokens, APipeWhoseEndsAreInherited) {
  Pipe pipe;
  ASSERT_EQ(::write(pipe.ends[1], "xy", 2), 2);
  {
    JobTokens tokens(pipe.flags(pipe.ends[0], pipe.ends[1]), 8);
    EXPECT_EQ(tokens.threads(), 3u);
    // Others who have the pipe still wait for tokens.
    EXPECT_FALSE(::fcntl(pipe.ends[0], F_GETFL) & O_NONBLOCK);
  }
  char buffer[8];
  EXPECT_EQ(::read(pipe.ends[0], buffer, sizeof(buffer)), 2);
  EXPECT_EQ(StringRef(buffer, 2), "xy");
}

TEST(JobTokens, NumbersThatAreSomebodyElses) {
  Pipe pipe, other;
  ASSERT_EQ(::write(pipe.ends[1], "text", 4), 4);
  EXPECT_EQ(JobTokens(pipe.flags(pipe.ends[0], other.ends[1]), 8).threads(),
            1u);
  EXPECT_EQ(JobTokens(pipe.flags(pipe.ends[1], pipe.ends[0]), 8).threads(), 1u);
  EXPECT_EQ(JobTokens(pipe.flags(-2, -2), 8).threads(), 1u);
  EXPECT_EQ(JobTokens(pipe.flags(987, 988), 8).threads(), 1u);
  EXPECT_EQ(JobTokens(" --jobserver-auth=fifo:/dev/null", 8).threads(), 1u);
  char buffer[8];
  EXPECT_EQ(::read(pipe.ends[0], buffer, sizeof(buffer)), 4);
}

TEST(JobTokens, BackWhenTheProcessEnds) {
  Fifo fifo("abc");
  const pid_t child = ::fork();
  if (child == 0) {
    JobTokens tokens(fifo.flags(), 8);
    giveBackTokensForExit();
    tokens.giveBack();
    ::_exit(0);
  }
  int status = 1;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(fifo.tokens(), "abc");
}

} // namespace
