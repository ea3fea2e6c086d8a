//===- LldOptionsTest.cpp - Tests for the lld flavour's options -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Driver/LldOptions.h"
#include "llvm/ADT/StringSet.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace lld::cuda;

namespace {

using Words = std::vector<const char *>;

/// The only thing on a command line.
struct Only {
  explicit Only(const Words &words) : args(words) {
    EXPECT_EQ(std::distance(args.begin(), args.end()), 1) << words[0];
  }
  const LldArg *operator->() const { return &*args.begin(); }
  LldArgs args;
};

TEST(LldOptions, NamesAreDifferent) {
  StringSet<> names;
#define OPTION(ID, DASHES, NAME, KIND, GROUP, VALUE, HELP)                     \
  EXPECT_TRUE(names.insert(NAME).second) << NAME;
#define ALIAS OPTION
#include "Driver/LldOptions.def"
}

TEST(LldOptions, LongNamesHaveOneDashOrTwo) {
  EXPECT_EQ(Only({"--gc-sections"})->option, LldOpt::GcSections);
  EXPECT_EQ(Only({"-gc-sections"})->option, LldOpt::GcSections);
  EXPECT_EQ(Only({"---gc-sections"})->option, LldOpt::Unknown);
  // -o=utput.
  EXPECT_EQ(Only({"--output=x"})->value, "x");
  EXPECT_EQ(Only({"-output=x"})->value, "utput=x");
  EXPECT_EQ(Only({"--o"})->option, LldOpt::Unknown);
}

TEST(LldOptions, Values) {
  EXPECT_EQ(Only({"-ox"})->value, "x");
  EXPECT_EQ(Only({"-o", "-x"})->value, "-x");
  EXPECT_EQ(Only({"-o", ""})->value, "");
  EXPECT_EQ(Only({"--arch=sm_90"})->value, "sm_90");
  EXPECT_EQ(Only({"--arch="})->value, "");
  EXPECT_EQ(Only({"-arch", "sm_90"})->value, "sm_90");
  EXPECT_EQ(Only({"-O"})->value, "");
  EXPECT_EQ(Only({"-O3"})->value, "3");
}

TEST(LldOptions, TheLongestNameCounts) {
  EXPECT_EQ(Only({"--lto"})->option, LldOpt::Lto);
  EXPECT_EQ(Only({"--lto-O2"})->option, LldOpt::LtoLevel);
  EXPECT_EQ(Only({"--lto-other"})->option, LldOpt::LtoOther);
  EXPECT_EQ(Only({"--lto-emit-asm"})->option, LldOpt::LtoEmitAsm);
  EXPECT_EQ(Only({"--time-trace"})->option, LldOpt::TimeTrace);
  EXPECT_EQ(Only({"--time-trace=x"})->option, LldOpt::TimeTraceFile);
  // What has a longer name but no place for a value.
  EXPECT_EQ(Only({"-entrypoint"})->option, LldOpt::Entry);
  EXPECT_EQ(Only({"-entrypoint"})->value, "ntrypoint");
  EXPECT_EQ(Only({"--lto-emit-asm1"})->option, LldOpt::LtoOther);
}

TEST(LldOptions, AliasesAreToldAsWhatTheyMean) {
  const Only arg({"-entry=k"});
  EXPECT_EQ(arg->option, LldOpt::Entry);
  EXPECT_TRUE(arg->isAlias);
  EXPECT_EQ(arg->spelling, "-e");
  EXPECT_EQ(arg->word, "-entry=k");
  EXPECT_EQ(arg->render(), (std::vector<std::string>{"-e", "k"}));
  EXPECT_EQ(Only({"-time-trace=x"})->render(),
            std::vector<std::string>{"-time-trace=x"});
  EXPECT_EQ(Only({"-s"})->render(), std::vector<std::string>{"-S"});
}

TEST(LldOptions, InputsAndUnknownWords) {
  EXPECT_EQ(Only({"-"})->option, LldOpt::Input);
  EXPECT_EQ(Only({"a.o"})->option, LldOpt::Input);
  EXPECT_EQ(Only({"/a.o"})->value, "/a.o");
  EXPECT_EQ(Only({"--"})->option, LldOpt::Unknown);
  EXPECT_EQ(Only({"--nothing=x"})->value, "--nothing=x");
  const Words words = {"", "a.o", "", "-o", ""};
  const LldArgs args(words);
  EXPECT_EQ(std::distance(args.begin(), args.end()), 2);
}

TEST(LldOptions, ValuesThatAreMissing) {
  for (const char *word : {"-o", "--arch", "-why-live", "--entry"}) {
    const Words words = {"a.o", word};
    EXPECT_EQ(LldArgs(words).findIncomplete(), word);
  }
  const Words words = {"-o", "--arch"};
  EXPECT_EQ(LldArgs(words).findIncomplete(), "");
}

TEST(LldOptions, TheLastOneCounts) {
  const Words words = {"-o", "a",          "--no-gc-sections", "-L",
                       "x",  "--output=b", "--gc-sections",    "-Ly"};
  const LldArgs args(words);
  EXPECT_EQ(args.value(LldOpt::OutputFile), "b");
  EXPECT_TRUE(args.isOn(LldOpt::GcSections, LldOpt::NoGcSections, false));
  EXPECT_TRUE(args.isOn(LldOpt::Explain, LldOpt::NoExplain, true));
  EXPECT_EQ(args.values(LldOpt::LibraryPath),
            (std::vector<std::string>{"x", "y"}));
  EXPECT_EQ(args.all({LldOpt::OutputFile, LldOpt::LibraryPath}).size(), 4u);
  EXPECT_EQ(args.value(LldOpt::MapFile, "none"), "none");
}

TEST(LldOptions, Suggestions) {
  EXPECT_EQ(findNearestLldOption("--gc-section"), "--gc-sections");
  EXPECT_EQ(findNearestLldOption("-gc-section"), "-gc-sections");
  EXPECT_EQ(findNearestLldOption("--entri=k"), "--entry=k");
  EXPECT_EQ(findNearestLldOption("--time-trase"), "--time-trace");
  EXPECT_EQ(findNearestLldOption("--nothing-like-it"), "");
  EXPECT_EQ(findNearestLldOption("-xx"), "");
}

} // namespace
