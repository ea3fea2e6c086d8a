//===- LogTextsTest.cpp - Texts that programs parse -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// With a compiler that is none: the texts are those of ptxas, in the form that
/// XLA looks for. Its patterns:
///
/// * The newest version of PTX is what stands between the only two apostrophes
///   of the error log after ".version 99.99".
/// * "ptxas fatal   : Value '" and "is not defined for option 'gpu-name'";
///   "ptxas fatal" and "Register allocation failed": what to do after an error.
/// * "warning" and "Registers are spilled" in the info log: a kernel that
/// spills.
///
//===----------------------------------------------------------------------===//

#include "Library.h"
#include <algorithm>
#include <cstdlib>

using namespace nvjitlink;

namespace {

/// The libraries read it once, at the first link of the process.
[[maybe_unused]] const int PtxasIsSet =
    setenv("LLDCUDA_PTXAS", LLDCUDA_UNITTEST_INPUTS "/ptxas-says.sh", 1);

size_t count(const std::string &text, char what) {
  return std::count(text.begin(), text.end(), what);
}

bool has(const std::string &text, const char *what) {
  return text.find(what) != std::string::npos;
}

/// What each of ours says where PTX isn't concerned.
std::vector<std::string> ownTexts() {
  std::vector<std::string> texts;
  auto take = [&](Link &link) {
    texts.push_back(link.errors());
    texts.push_back(link.infos());
  };
  for (const char *option :
       {"-arch=sm_90", "-arch=sm_80", "-bogus", "-arch=sm_999"}) {
    for (int type : {1, 2, 3, 4, 5, 6, 7, 10, 99}) {
      Link link({option, "-verbose"});
      link.add(type, kernel());
      link.add(type, "garbage");
      link.complete();
      take(link);
    }
  }
  Link twice({"-arch=sm_90"});
  twice.add(Cubin, function());
  twice.add(Cubin, function());
  take(twice);
  return texts;
}

/// PTX for the compiler above, which says these lines; it makes a cubin or
/// fails.
std::string ptx(std::vector<std::string> lines, bool isGood) {
  std::string text = ".version 8.0\n.target sm_90\n";
  for (const std::string &line : lines)
    text += "// says " + line + '\n';
  if (isGood)
    text += "// makes " LLDCUDA_UNITTEST_INPUTS
            "/../../test/corpus/Inputs/calls/calls-function.sm_90.cubin\n";
  return text;
}

TEST(LogTexts, OfTheNewestVersionOfPtx) {
  // The size doesn't count a NUL, and there is none.
  Link link({"-arch=sm_90a"});
  const std::string query =
      ".version 99.99\n// says ptxas application ptx input, line 1; fatal   : "
      "Unsupported .version 99.99; current version is '9.5'\n"
      "// says ptxas fatal   : Ptx assembly aborted due to errors\n";
  EXPECT_EQ(link.add(Ptx, query, nullptr), PtxCompile);
  const std::string errors = link.errors();
  ASSERT_EQ(count(errors, '\''), 2) << errors;
  const size_t begin = errors.find('\'') + 1;
  EXPECT_EQ(errors.substr(begin, errors.find('\'', begin) - begin), "9.5");
  EXPECT_TRUE(
      has(errors, "'9.5'\nERROR NVJITLINK_ERROR_PTX_COMPILE: JIT the PTX\n"))
      << errors;
}

TEST(LogTexts, OfErrorsOfPtxas) {
  for (const char *text :
       {"ptxas fatal   : Value 'sm_999' is not defined for option 'gpu-name'",
        "ptxas fatal   : (C7600) Register allocation failed with register "
        "count of '24'.",
        "ptxas fatal   : (C7602) Insufficient registers (24)"}) {
    Link link({"-arch=sm_90"});
    EXPECT_EQ(link.add(Ptx, ptx({text}, false), "p"), PtxCompile);
    EXPECT_EQ(link.errors(),
              std::string(text) +
                  "\nERROR NVJITLINK_ERROR_PTX_COMPILE: JIT the PTX (p)\n");
    EXPECT_EQ(link.infos(), "");
    EXPECT_EQ(link.complete(), Success);
  }
}

TEST(LogTexts, OfErrorsInPtx) {
  // As libnvJitLink 13.0.88 and 13.5.37 have it for an unknown instruction.
  const std::string line =
                        "ptxas application ptx input, line 4; error   : Not a "
                        "name of any known instruction: 'bogus'",
                    last = "ptxas fatal   : Ptx assembly aborted due to errors";
  Link link({"-arch=sm_90"});
  EXPECT_EQ(link.add(Ptx, ptx({line, last}, false), nullptr), PtxCompile);
  EXPECT_EQ(link.errors(),
            line + '\n' + last +
                "\nERROR NVJITLINK_ERROR_PTX_COMPILE: JIT the PTX\n");
}

TEST(LogTexts, OfKernelsThatSpill) {
  const std::string spills =
      "ptxas warning : Registers are spilled to local memory in function "
      "'kernel', 8 bytes spill stores, 16 bytes spill loads";
  Link link({"-arch=sm_90"});
  EXPECT_EQ(link.add(Ptx, ptx({spills}, true), "p"), Success) << link.errors();
  EXPECT_EQ(link.complete(), Success);
  EXPECT_EQ(link.errors(), "");
  EXPECT_EQ(link.infos(), spills + "\n");
}

TEST(LogTexts, OfOursAreNoneOfTheCompilers) {
  for (const std::string &text : ownTexts()) {
    EXPECT_FALSE(has(text, "ptxas fatal")) << text;
    EXPECT_FALSE(has(text, "Register allocation failed")) << text;
    EXPECT_FALSE(has(text, "Insufficient registers")) << text;
    EXPECT_FALSE(has(text, "gpu-name")) << text;
    EXPECT_FALSE(has(text, "Registers are spilled")) << text;
    EXPECT_FALSE(has(text, "spill stores")) << text;
  }
}

} // namespace
