//===- NamePatternsTest.cpp - Names with '*' in lists ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What is expected of --kernels-used is which of three kernels nvlink 13.0.88
/// keeps, in a link of cubins as in one of LTO IR [kernels-used]; of host
/// references what nvcc means by them [host-references].
///
//===----------------------------------------------------------------------===//

#include "Input/NamePatterns.h"
#include "gtest/gtest.h"

using namespace lld::cuda;
using namespace llvm;

namespace {

TEST(NamePatterns, KernelsUsedMayStandAnywhereInAName) {
  struct {
    std::vector<std::string> patterns;
    bool alphaBeta, betaAlpha, gammaDelta;
  } const cases[] = {
      {{"alpha_beta"}, true, false, false},
      {{"alpha"}, true, true, false},
      {{"pha_b"}, true, false, false},
      {{"alpha*beta"}, true, false, false},
      {{"al*ta"}, true, false, false},
      {{"alpha_beta*"}, true, false, false},
      {{"alpha**beta"}, true, false, false},
      {{"*beta"}, true, true, false},
      {{"*"}, true, true, true},
      {{"gam?a_delta"}, false, false, false},
      {{"beta*alpha", "gamma*"}, false, true, true},
      {{}, false, false, false},
  };
  for (const auto &c : cases) {
    EXPECT_EQ(matchesKernelFilter("alpha_beta", c.patterns), c.alphaBeta);
    EXPECT_EQ(matchesKernelFilter("beta_alpha", c.patterns), c.betaAlpha);
    EXPECT_EQ(matchesKernelFilter("gamma_delta", c.patterns), c.gammaDelta);
  }
}

TEST(NamePatterns, HostReferencesAreWholeNames) {
  NamePatterns names;
  const char list[] = "_Z1kPi\0_Z6kernelIi*\0_Z*middle*end";
  names.add(StringRef(list, sizeof(list)));
  EXPECT_TRUE(names.matches("_Z1kPi"));
  EXPECT_FALSE(names.matches("_Z1kPii"));
  EXPECT_FALSE(names.matches("x_Z1kPi"));
  EXPECT_TRUE(names.matches("_Z6kernelIi"));
  EXPECT_TRUE(names.matches("_Z6kernelIiEvPT_"));
  EXPECT_FALSE(names.matches("_Z6kernel"));
  EXPECT_TRUE(names.matches("_Zmiddleend"));
  EXPECT_TRUE(names.matches("_Z1middle2middle3end"));
  EXPECT_FALSE(names.matches("_Zend"));
  EXPECT_FALSE(names.matches("_Zmiddleendx"));
}

} // namespace
