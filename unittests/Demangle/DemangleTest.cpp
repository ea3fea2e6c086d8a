//===- DemangleTest.cpp - C++ names as nvlink prints them -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Inputs/Demangle/names.txt holds names and what nvlink 13.0.88 prints for
/// them with -dump-callgraph: names of compiled programs, then invented ones
/// for the corners of the grammar.
///
//===----------------------------------------------------------------------===//

#include "lld-cuda/Demangle/Demangle.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace lld::cuda;

// [demangling]
TEST(Demangle, PrintsWhatNvlinkPrints) {
  auto file =
      MemoryBuffer::getFile(LLDCUDA_UNITTEST_INPUTS "/Demangle/names.txt");
  ASSERT_TRUE(bool(file));
  SmallVector<StringRef, 0> lines;
  (*file)->getBuffer().split(lines, '\n', -1, /*KeepEmpty=*/false);
  EXPECT_GT(lines.size(), 1000u);
  for (StringRef line : lines) {
    auto [name, text] = line.split('\t');
    EXPECT_EQ(demangleLikeNvlink(name), text) << name.str();
  }
}

TEST(Demangle, LeavesOtherNamesAlone) {
  for (const char *name : {"", "_", "_Z", "_ZN", "main", "_Zfoo", "$L"})
    EXPECT_EQ(demangleLikeNvlink(name), name);
}

// Substitutions let each level double the text.
TEST(Demangle, LimitsTheLengthOfTheText) {
  std::string name = "_Z1f1AI1BS0_E";
  for (unsigned i = 1; i != 60; ++i) {
    std::string last = i == 1 ? "1" : utostr(i, /*LowerCase=*/false);
    name += "S_IS" + last + "_S" + last + "_E";
  }
  EXPECT_LT(demangleLikeNvlink(name).size(), size_t(2) << 20);
}

TEST(Demangle, LimitsTheDepth) {
  for (StringRef level : {"P", "1AI", "N1AI", "XngXng", "Z1f", "DTcl"}) {
    std::string name = "_Z1f";
    for (unsigned i = 0; i != 100000; ++i)
      name += level;
    EXPECT_EQ(demangleLikeNvlink(name), name);
  }
}

// Every prefix of a name is read to its end and no further.
TEST(Demangle, SurvivesCutNames) {
  StringRef name = "_ZNK2ns1AIJifEE1fIXplT_Li1EENS_1BIDTcldtfp_1gEEEEEvPFvT_"
                   "ERA3_KS3_$clone";
  for (size_t i = 0; i != name.size(); ++i)
    demangleLikeNvlink(name.take_front(i).str());
}

TEST(Demangle, ShortensLongNames) {
  EXPECT_EQ(shortenName("f<int>(int)"), "f<int>(int)");
  const std::string type(100, 'T');
  EXPECT_EQ(shortenName("void ns::f<" + type + ">(" + type + "*, g<int>)"),
            "void ns::f<...>(...)");
  EXPECT_EQ(shortenName("(anonymous namespace)::f(" + type + ")"),
            "(anonymous namespace)::f(...)");
  // Not read: the angle is no bracket.
  EXPECT_EQ(shortenName("operator<(" + type + ")"), "operator<(" + type + ")");
}
