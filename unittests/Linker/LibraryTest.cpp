//===- LibraryTest.cpp - The linker as a library -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lld-cuda/Linker.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "gtest/gtest.h"
#include <thread>

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
            "lld-cuda fatal   : Unknown option 'bogus'\n");
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

} // namespace
