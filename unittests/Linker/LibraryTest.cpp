//===- LibraryTest.cpp - The linker as a library -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lld-cuda/Linker.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "gtest/gtest.h"
#include <fcntl.h>
#include <malloc.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

using namespace llvm;

namespace {

struct Result {
  bool ok;
  std::string out, err;
};

Result link(std::vector<const char *> args, bool disableOutput = false) {
  Result result;
  raw_string_ostream out(result.out), err(result.err);
  result.ok =
      lld::cuda::link(args, out, err, /*exitEarly=*/false, disableOutput);
  return result;
}

TEST(Library, NameDecidesWhoSpeaks) {
  EXPECT_EQ(link({"/usr/bin/nvlink", "-bogus"}).err,
            "nvlink fatal   : Unknown option 'bogus'\n");
  EXPECT_EQ(link({"ld.cuda", "-bogus"}).err,
            "ld.cuda: error: unknown argument '-bogus'\n");
  EXPECT_EQ(link({"lld-cuda", "-bogus"}).err,
            "nvlink fatal   : Unknown option 'bogus'\n");
  EXPECT_EQ(link({"lld-cuda", "-flavor", "lld", "-bogus"}).err,
            "lld-cuda: error: unknown argument '-bogus'\n");
  EXPECT_FALSE(link({}).ok);
}

TEST(Library, VersionUnderNvlinksName) {
  Result result = link({"nvlink", "-V"});
  EXPECT_TRUE(result.ok);
  EXPECT_EQ(result.err, "");
  EXPECT_EQ(result.out.find("Cuda compilation tools, release 13.0, V13.0.88\n"
                            "Build cuda_13.0.r13.0/compiler.36424714_0\n"),
            0u);
  EXPECT_NE(result.out.find("lld-cuda"), std::string::npos);
  EXPECT_EQ(link({"ld.cuda", "-V"}).out.find("lld-cuda"), 0u);
}

TEST(Library, HelpWinsOverVersion) {
  Result result = link({"nvlink", "-V", "-h"});
  EXPECT_TRUE(result.ok);
  EXPECT_EQ(result.out.find("Usage: nvlink"), 0u);
}

TEST(Library, LinksInTwoThreadsDontMix) {
  auto repeat = [](const char *option, std::string expected, bool *ok) {
    *ok = true;
    for (int i = 0; i != 200; ++i)
      *ok &= link({"nvlink", "-arch=sm_90", "-o", "x", option}).err == expected;
  };
  bool ok[2];
  std::thread other(repeat, "-bogus",
                    "nvlink fatal   : Unknown option 'bogus'\n", &ok[0]);
  repeat("/nonexistent.o",
         "nvlink fatal   : Could not open input file '/nonexistent.o'\n",
         &ok[1]);
  other.join();
  EXPECT_TRUE(ok[0]);
  EXPECT_TRUE(ok[1]);
}

/// A link of the corpus, into a file of its own.
class CorpusLink {
public:
  CorpusLink(const char *arch, std::vector<StringRef> names) {
    args = {"nvlink", std::string("-arch=") + arch};
    for (StringRef name : names)
      args.push_back((LLDCUDA_UNITTEST_INPUTS "/../../test/corpus/Inputs/" +
                      name + "." + arch + ".cubin")
                         .str());
    SmallString<128> output;
    EXPECT_FALSE(sys::fs::createTemporaryFile("lld-cuda", "cubin", output));
    path = std::string(output);
    args.push_back("-o");
    args.push_back(path);
  }
  ~CorpusLink() { sys::fs::remove(path); }

  /// What the link makes, or its messages.
  std::string run() {
    std::vector<const char *> words;
    for (const std::string &arg : args)
      words.push_back(arg.c_str());
    Result result = link(words);
    if (!result.ok)
      return result.err;
    auto buffer = MemoryBuffer::getFile(path);
    return buffer ? (*buffer)->getBuffer().str() : "no output";
  }

private:
  std::vector<std::string> args;
  std::string path;
};

TEST(Library, ThousandsOfLinksDontGrow) {
  CorpusLink calls("sm_90", {"calls-kernel", "calls-function"}),
      shared("sm_80", {"shared-module-a", "shared-module-b"}),
      undefined("sm_80", {"calls-kernel"});
  std::string expected[] = {calls.run(), shared.run(), undefined.run()};
  EXPECT_TRUE(StringRef(expected[0])
                  .starts_with("\x7f"
                               "ELF"));
  EXPECT_TRUE(StringRef(expected[1])
                  .starts_with("\x7f"
                               "ELF"));
  EXPECT_TRUE(StringRef(expected[2]).contains("Undefined reference"));
  size_t before = 0;
  for (int i = 0; i != 1000; ++i) {
    ASSERT_EQ(calls.run(), expected[0]);
    ASSERT_EQ(shared.run(), expected[1]);
    ASSERT_EQ(undefined.run(), expected[2]);
    // Whatever is made once exists by now, and the allocator's caches are full.
    if (i == 200)
      before = ::mallinfo2().uordblks;
  }
  // The smallest object lost in each of 2400 links would be more.
  EXPECT_LE(::mallinfo2().uordblks, before + 2400 * 16 - 1);
}

/// A process without a handler for SIGBUS survives that inputs are cut short
/// while they are linked, if it asks for copies.
TEST(Library, CopiedInputsMayShrink) {
  SmallString<128> directory;
  ASSERT_FALSE(sys::fs::createUniqueDirectory("lld-cuda-copied", directory));
  auto path = [&](const char *name) { return (directory + "/" + name).str(); };
  auto cubin = MemoryBuffer::getFile(LLDCUDA_UNITTEST_INPUTS
                                     "/../../test/corpus/Inputs/"
                                     "calls-function.sm_90.cubin");
  ASSERT_TRUE(bool(cubin));
  auto write = [&](const std::string &name, StringRef contents) {
    std::error_code ec;
    raw_fd_ostream os(name, ec);
    os << contents;
  };
  const std::string large = path("large.cubin"), pipe = path("pipe.cubin"),
                    output = path("out");
  write(large, ((*cubin)->getBuffer() + std::string(1 << 20, '\0')).str());
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0666), 0);
  // The pipe opens when the link has read the file in front of it.
  std::thread other([&] {
    int fd = ::open(pipe.c_str(), O_WRONLY);
    EXPECT_EQ(::truncate(large.c_str(), 0), 0);
    EXPECT_EQ(::write(fd, "not a cubin", 11), 11);
    ::close(fd);
  });
  std::string out, err;
  raw_string_ostream outStream(out), errStream(err);
  EXPECT_FALSE(lld::cuda::link({"nvlink", "-arch=sm_90", "-o", output.c_str(),
                                large.c_str(), pipe.c_str()},
                               outStream, errStream, /*exitEarly=*/false,
                               /*disableOutput=*/false,
                               lld::cuda::InputMode::Read));
  other.join();
  EXPECT_EQ(err, "nvlink fatal   : Could not open input file '" + pipe + "'\n");
  sys::fs::remove_directories(directory);
}

TEST(Library, LinksInTwoThreadsMakeWhatOneMakes) {
  CorpusLink a("sm_90", {"calls-kernel", "calls-function"}),
      b("sm_80", {"shared-module-a", "shared-module-b"});
  const std::string expectedA = a.run(), expectedB = b.run();
  auto repeat = [](CorpusLink &link, const std::string &expected, bool *same) {
    for (int i = 0; i != 200; ++i)
      *same &= link.run() == expected;
  };
  bool sameA = true, sameB = true;
  std::thread other(repeat, std::ref(a), expectedA, &sameA);
  repeat(b, expectedB, &sameB);
  other.join();
  EXPECT_TRUE(sameA);
  EXPECT_TRUE(sameB);
}

} // namespace
