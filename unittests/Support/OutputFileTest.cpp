//===- OutputFileTest.cpp - Writing files -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lld-cuda/Support/OutputFile.h"
#include "lld-cuda/Support/Parallel.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "gtest/gtest.h"
#include <array>
#include <csignal>
#include <fcntl.h>
#include <linux/capability.h>
#include <optional>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace lld::cuda;
using namespace llvm;

namespace {

class OutputFile : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(sys::fs::createUniqueDirectory("lld-cuda-output", directory));
  }
  void TearDown() override { sys::fs::remove_directories(directory); }

  std::string path(StringRef name) { return (directory + "/" + name).str(); }

  std::string write(StringRef name, uint64_t size, ArrayRef<OutputSpan> spans) {
    return toString(writeOutputFile(path(name), size, spans));
  }
  std::string write(StringRef name, StringRef text) {
    return write(name, text.size(), OutputSpan{0, arrayRefFromStringRef(text)});
  }
  std::string read(StringRef name) {
    auto buffer = MemoryBuffer::getFile(path(name));
    return buffer ? (*buffer)->getBuffer().str() : "<cannot be read>";
  }
  unsigned mode(StringRef name) {
    struct stat status;
    return ::stat(path(name).c_str(), &status) ? 0 : status.st_mode & 07777;
  }
  unsigned filesInDirectory() {
    std::error_code ec;
    unsigned n = 0;
    for (sys::fs::directory_iterator i(directory, ec), e; i != e && !ec;
         i.increment(ec))
      ++n;
    return n;
  }

  SmallString<128> directory;
};

TEST_F(OutputFile, GapsAreZero) {
  uint8_t a[] = {1, 2}, b[] = {3};
  EXPECT_EQ(write("x", 10000, {{1, a}, {3, ArrayRef<uint8_t>()}, {9000, b}}),
            "");
  std::string expected(10000, '\0');
  expected[1] = 1, expected[2] = 2, expected[9000] = 3;
  EXPECT_EQ(read("x"), expected);
}

TEST_F(OutputFile, ManySpans) {
  std::string text;
  std::vector<std::string> pieces;
  for (unsigned i = 0; i != 3000; ++i)
    pieces.push_back(std::string(i % 50, char('a' + i % 26)));
  std::vector<OutputSpan> spans;
  for (const std::string &piece : pieces) {
    spans.push_back({text.size(), arrayRefFromStringRef(piece)});
    text += piece;
  }
  EXPECT_EQ(write("x", text.size(), spans), "");
  EXPECT_EQ(read("x"), text);
}

/// Such a file is copied together in blocks, by as many threads as the loop
/// has.
TEST_F(OutputFile, LargeFileOfSmallSpans) {
  constexpr size_t Size = (5 << 20) + 123;
  std::string contents(Size, '\0');
  std::vector<OutputSpan> spans;
  // Lengths and gaps of 0 to 4,000 bytes, so that spans and gaps lie across the
  // bounds of blocks.
  for (size_t at = 17, i = 0; at < Size; ++i) {
    const size_t length = std::min(i * 7919 % 4001, Size - at);
    for (size_t k = 0; k != length; ++k)
      contents[at + k] = char((at + k) * 31 >> 3);
    spans.push_back(
        {at, arrayRefFromStringRef(StringRef(contents)).slice(at, length)});
    at += length + (i % 3 ? 0 : i * 104729 % 4001);
  }
  for (const unsigned threads : {0, 1, 2, 20}) {
    OutputRequest request(path("x"), Size, spans);
    if (threads)
      request.loop = [&](size_t n, function_ref<void(size_t)> fn) {
        parallelForEach(threads, n, fn);
      };
    OutputSet outputs;
    ASSERT_EQ(toString(outputs.add(std::move(request))), "");
    ASSERT_EQ(toString(outputs.commit()), "");
    EXPECT_TRUE(read("x") == contents) << threads;
  }
}

TEST_F(OutputFile, Empty) {
  EXPECT_EQ(write("x", ""), "");
  EXPECT_EQ(read("x"), "");
}

TEST_F(OutputFile, NewFileHasTheUmasksMode) {
  mode_t old = ::umask(027);
  EXPECT_EQ(write("x", "1"), "");
  ::umask(old);
  EXPECT_EQ(mode("x"), 0640u);
}

TEST_F(OutputFile, ReplacedFileKeepsItsMode) {
  EXPECT_EQ(write("x", "long contents"), "");
  ::chmod(path("x").c_str(), 0751);
  EXPECT_EQ(write("x", "new"), "");
  EXPECT_EQ(read("x"), "new");
  EXPECT_EQ(mode("x"), 0751u);
  EXPECT_EQ(filesInDirectory(), 1u);
}

TEST_F(OutputFile, ReadersOfTheOldFileKeepIt) {
  EXPECT_EQ(write("x", "old"), "");
  int fd = ::open(path("x").c_str(), O_RDONLY);
  EXPECT_EQ(write("x", "new"), "");
  char buffer[4] = {};
  EXPECT_EQ(::read(fd, buffer, 3), 3);
  ::close(fd);
  EXPECT_STREQ(buffer, "old");
}

TEST_F(OutputFile, ReplacesAFileThatIsMapped) {
  std::string text(100000, 'a');
  EXPECT_EQ(write("x", text), "");
  auto mapped = MemoryBuffer::getFile(path("x"), false, false);
  ASSERT_TRUE(bool(mapped));
  auto bytes = arrayRefFromStringRef((*mapped)->getBuffer());
  uint8_t b[] = {'b'};
  EXPECT_EQ(write("x", text.size() + 1, {{0, b}, {1, bytes}}), "");
  EXPECT_EQ(read("x"), "b" + text);
  EXPECT_EQ((*mapped)->getBuffer(), text);
  EXPECT_EQ(filesInDirectory(), 1u);
}

TEST_F(OutputFile, ShrinksAndGrows) {
  std::string text(100000, 'a');
  EXPECT_EQ(write("x", text), "");
  EXPECT_EQ(write("x", "short"), "");
  EXPECT_EQ(read("x"), "short");
  uint8_t b[] = {'b'};
  EXPECT_EQ(write("x", 50000, OutputSpan{20000, b}), "");
  std::string expected(50000, '\0');
  expected[20000] = 'b';
  EXPECT_EQ(read("x"), expected);
  EXPECT_EQ(filesInDirectory(), 1u);
}

TEST_F(OutputFile, SymbolicLinkStays) {
  EXPECT_EQ(write("x", "old"), "");
  ASSERT_EQ(::symlink("x", path("link").c_str()), 0);
  EXPECT_EQ(write("link", "new"), "");
  EXPECT_EQ(read("x"), "new");
  EXPECT_TRUE(sys::fs::is_symlink_file(path("link")));
}

TEST_F(OutputFile, DanglingSymbolicLink) {
  ASSERT_EQ(::symlink("x", path("link").c_str()), 0);
  EXPECT_EQ(write("link", "new"), "");
  EXPECT_EQ(read("x"), "new");
}

TEST_F(OutputFile, FileWithTwoNamesIsWrittenInPlace) {
  EXPECT_EQ(write("x", "old and longer"), "");
  ASSERT_EQ(::link(path("x").c_str(), path("y").c_str()), 0);
  EXPECT_EQ(write("x", "new"), "");
  EXPECT_EQ(read("y"), "new");
}

TEST_F(OutputFile, InPlaceFromItsOwnMapping) {
  std::string text(100000, 'a');
  text += 'b';
  EXPECT_EQ(write("x", text), "");
  ASSERT_EQ(::link(path("x").c_str(), path("y").c_str()), 0);
  auto mapped = MemoryBuffer::getFile(path("x"), false, false);
  ASSERT_TRUE(bool(mapped));
  auto bytes = arrayRefFromStringRef((*mapped)->getBuffer());
  EXPECT_EQ(write("x", text.size() + 1, {{0, bytes.take_back(1)}, {1, bytes}}),
            "");
  EXPECT_EQ(read("y"), "b" + text);
}

TEST_F(OutputFile, LinkToALinkInAnotherDirectory) {
  ASSERT_EQ(::mkdir(path("d").c_str(), 0777), 0);
  ASSERT_EQ(::symlink("../x", path("d/inner").c_str()), 0);
  ASSERT_EQ(::symlink("d/inner", path("link").c_str()), 0);
  EXPECT_EQ(write("link", "new"), "");
  EXPECT_EQ(read("x"), "new");
  EXPECT_EQ(write("link", "newer"), "");
  EXPECT_EQ(read("x"), "newer");
}

TEST_F(OutputFile, LinkToItself) {
  ASSERT_EQ(::symlink("link", path("link").c_str()), 0);
  EXPECT_NE(write("link", "new"), "");
}

TEST_F(OutputFile, LongestName) {
  std::string name(255, 'n');
  EXPECT_EQ(write(name, "old"), "");
  EXPECT_EQ(write(name, "new"), "");
  EXPECT_EQ(read(name), "new");
  EXPECT_EQ(filesInDirectory(), 1u);
}

TEST_F(OutputFile, Pipe) {
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0666), 0);
  std::string received;
  std::thread reader([&] { received = read("pipe"); });
  EXPECT_EQ(write("pipe", "contents"), "");
  reader.join();
  EXPECT_EQ(received, "contents");
  // remove_directories() leaves what is no file.
  EXPECT_EQ(::unlink(path("pipe").c_str()), 0);
}

TEST_F(OutputFile, OpenFileIsWrittenInPlace) {
  // As /dev/stdout is when it is redirected.
  EXPECT_EQ(write("x", "old and longer"), "");
  int fd = ::open(path("x").c_str(), O_RDWR);
  std::string open = "/proc/self/fd/" + std::to_string(fd);
  ASSERT_EQ(::symlink(open.c_str(), path("link").c_str()), 0);
  EXPECT_EQ(write("link", "new"), "");
  EXPECT_EQ(read("x"), "new");
  char buffer[8] = {};
  EXPECT_EQ(::pread(fd, buffer, sizeof(buffer), 0), 3);
  EXPECT_STREQ(buffer, "new");
  // It needn't have a name any more.
  ASSERT_EQ(::unlink(path("x").c_str()), 0);
  EXPECT_EQ(write("link", "newer"), "");
  EXPECT_EQ(::pread(fd, buffer, sizeof(buffer), 0), 5);
  EXPECT_STREQ(buffer, "newer");
  ::close(fd);
  EXPECT_EQ(filesInDirectory(), 1u);
}

/// Nothing is denied to root, who has the capability to pass over permissions:
/// it is given up for a while.
class OrdinaryUser {
public:
  OrdinaryUser() {
    if (::syscall(SYS_capget, &header, &before) != 0)
      return;
    auto without = before;
    without[0].effective &=
        ~(1u << CAP_DAC_OVERRIDE | 1u << CAP_DAC_READ_SEARCH);
    isOrdinary = ::syscall(SYS_capset, &header, &without) == 0;
  }
  ~OrdinaryUser() {
    if (isOrdinary && ::syscall(SYS_capset, &header, &before) != 0)
      abort();
  }
  bool isOrdinary = false;

private:
  __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  std::array<__user_cap_data_struct, _LINUX_CAPABILITY_U32S_3> before = {};
};

TEST_F(OutputFile, InADirectoryWhereNothingCanBeCreated) {
  EXPECT_EQ(write("x", "old and longer"), "");
  EXPECT_EQ(write("forbidden", "old"), "");
  ::chmod(path("x").c_str(), 0666);
  ::chmod(path("forbidden").c_str(), 0444);
  ::chmod(directory.c_str(), 0555);
  {
    OrdinaryUser user;
    if (!user.isOrdinary)
      GTEST_SKIP();
    EXPECT_EQ(write("x", "new"), "");
    EXPECT_NE(write("forbidden", "new"), "");
    EXPECT_NE(write("absent", "new"), "");
  }
  ::chmod(directory.c_str(), 0755);
  EXPECT_EQ(read("x"), "new");
  EXPECT_EQ(read("forbidden"), "old");
  EXPECT_EQ(filesInDirectory(), 2u);
}

TEST_F(OutputFile, ReadOnlyFileIsNotReplaced) {
  EXPECT_EQ(write("x", "old"), "");
  ::chmod(path("x").c_str(), 0444);
  ::chmod(directory.c_str(), 0777);
  OrdinaryUser user;
  if (!user.isOrdinary)
    GTEST_SKIP();
  EXPECT_NE(write("x", "new"), "");
  EXPECT_EQ(read("x"), "old");
  EXPECT_EQ(filesInDirectory(), 1u);
}

/// A limit of the size of files stands for a full disk.
class SizeLimit {
public:
  explicit SizeLimit(rlim_t bytes) {
    handler = std::signal(SIGXFSZ, SIG_IGN);
    ::getrlimit(RLIMIT_FSIZE, &old);
    rlimit limit{bytes, old.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~SizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &old);
    std::signal(SIGXFSZ, handler);
  }

private:
  rlimit old;
  void (*handler)(int);
};

TEST_F(OutputFile, FullDiskLeavesTheOldFileAndNothingElse) {
  EXPECT_EQ(write("old", "old"), "");
  EXPECT_EQ(write("first", "old"), "");
  ASSERT_EQ(::link(path("first").c_str(), path("second").c_str()), 0);
  ASSERT_EQ(::symlink("x", path("dangling").c_str()), 0);
  std::string text(100000, 'a');
  {
    SizeLimit limit(50000);
    for (const char *name : {"old", "first", "dangling", "new"})
      EXPECT_EQ(write(name, text).rfind("writing ", 0), 0u);
  }
  EXPECT_EQ(read("old"), "old");
  EXPECT_EQ(read("second").substr(0, 4), "old");
  EXPECT_FALSE(sys::fs::exists(path("x")));
  EXPECT_EQ(filesInDirectory(), 4u); // old, first, second, dangling
}

/// Runs `fn` in a process that is killed when it comes to its n-th system call
/// (or returns from one). False: it ended before; nothing if processes can't be
/// traced here.
std::optional<bool> killAtSystemCall(unsigned n, function_ref<void()> fn) {
  pid_t child = ::fork();
  if (child == 0) {
    if (::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0)
      ::_exit(1);
    ::raise(SIGSTOP);
    fn();
    ::_exit(0);
  }
  int status;
  ::waitpid(child, &status, 0);
  if (!WIFSTOPPED(status))
    return std::nullopt;
  for (unsigned i = 0; i != n; ++i) {
    ::ptrace(PTRACE_SYSCALL, child, nullptr, nullptr);
    ::waitpid(child, &status, 0);
    if (WIFEXITED(status))
      return false;
  }
  ::kill(child, SIGKILL);
  ::waitpid(child, &status, 0);
  return true;
}

TEST_F(OutputFile, KilledAtAnySystemCall) {
  const std::string text(100000, 'n');
  for (bool exists : {false, true}) {
    bool isNew = false;
    for (unsigned n = 1;; ++n) {
      sys::fs::remove(path("x"));
      if (exists) {
        EXPECT_EQ(write("x", "old"), "");
      }
      std::optional<bool> killed =
          killAtSystemCall(n, [&] { write("x", text); });
      if (!killed)
        GTEST_SKIP();
      std::string now = read("x");
      bool isOld = now == (exists ? "old" : "<cannot be read>");
      EXPECT_TRUE(now == text || (isOld && !isNew)) << "system call " << n;
      isNew |= now == text;
      // A temporary has the documented name and is complete. It is the old file
      // once the two are exchanged.
      const bool isExchanged = exists && now == text;
      for (std::error_code ec;;) {
        sys::fs::directory_iterator i(directory, ec), end;
        while (i != end && StringRef(i->path()).ends_with("/x"))
          i.increment(ec);
        if (i == end)
          break;
        StringRef name = sys::path::filename(i->path());
        unsigned number;
        EXPECT_TRUE(name.consume_front("x.tmp") &&
                    !name.getAsInteger(16, number));
        const std::string left = read(sys::path::filename(i->path()));
        EXPECT_TRUE(left == text || (isExchanged && left == "old"));
        sys::fs::remove(i->path());
      }
      if (!*killed)
        break;
    }
    EXPECT_TRUE(isNew);
  }
}

/// The disk of a file that isn't the first of a set fills up when all are put
/// in place: files with several names are written then.
TEST_F(OutputFile, OfSeveralAllAreWrittenOrNone) {
  for (const char *name : {"replaced", "first", "large"})
    EXPECT_EQ(write(name, "old"), "");
  ASSERT_EQ(::link(path("first").c_str(), path("second").c_str()), 0);
  ASSERT_EQ(::link(path("large").c_str(), path("larger").c_str()), 0);
  std::string text(100000, 'a');
  OutputSet outputs;
  auto add = [&](StringRef name, std::string contents) {
    return toString(outputs.add({path(name), std::move(contents)}));
  };
  EXPECT_EQ(add("replaced", "new"), "");
  EXPECT_EQ(add("absent", "new"), "");
  EXPECT_EQ(add("first", "new and longer"), "");
  EXPECT_EQ(add("large", text), "");
  {
    SizeLimit limit(50000);
    EXPECT_EQ(toString(outputs.commit()).rfind("writing ", 0), 0u);
  }
  EXPECT_EQ(read("replaced"), "old");
  EXPECT_EQ(read("second"), "old");
  EXPECT_EQ(read("larger"), "old");
  EXPECT_EQ(filesInDirectory(), 5u);
}

TEST_F(OutputFile, OnlyCopyWithTwoNamesIsReplaced) {
  EXPECT_EQ(write("x", "old"), "");
  ASSERT_EQ(::link(path("x").c_str(), path("y").c_str()), 0);
  FileChange change;
  change.replacesOnlyCopy = true;
  change.backup = path("backup");
  OutputRequest request(path("x"), "new");
  request.change = &change;
  OutputSet outputs;
  EXPECT_EQ(toString(outputs.add(std::move(request))), "");
  EXPECT_EQ(read("x"), "old");
  EXPECT_EQ(toString(outputs.commit()), "");
  EXPECT_EQ(read("x"), "new");
  EXPECT_EQ(read("y"), "old");
  EXPECT_EQ(read("backup"), "old");
  EXPECT_EQ(change.losses, std::vector<std::string>{"other names (1)"});
  EXPECT_EQ(filesInDirectory(), 3u);
}

TEST_F(OutputFile, OnlyCopyThatIsNoLongerWhatItWas) {
  EXPECT_EQ(write("x", "old"), "");
  FileChange change;
  change.replacesOnlyCopy = true;
  change.backup = path("backup");
  change.checkOld = [] { return createStringError("another now"); };
  OutputRequest request(path("x"), "new");
  request.change = &change;
  OutputSet outputs;
  EXPECT_EQ(toString(outputs.add(std::move(request))), "");
  EXPECT_EQ(toString(outputs.commit()), "another now");
  EXPECT_EQ(read("x"), "old");
  EXPECT_EQ(filesInDirectory(), 1u);
}

TEST_F(OutputFile, ErrorsTellOpeningFromWriting) {
  Error open = writeOutputFile(path("no/such/x"), 0, {});
  EXPECT_TRUE(open.isA<ECError>());
  consumeError(std::move(open));
  Error isDirectory = writeOutputFile(directory, 0, {});
  EXPECT_TRUE(isDirectory.isA<ECError>());
  consumeError(std::move(isDirectory));

  uint8_t byte[] = {1};
  Error full = writeOutputFile("/dev/full", 1, OutputSpan{0, byte});
  EXPECT_FALSE(full.isA<ECError>());
  EXPECT_EQ(toString(std::move(full)).rfind("writing '/dev/full'", 0), 0u);
}

} // namespace
