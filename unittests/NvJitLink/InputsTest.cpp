//===- InputsTest.cpp - Kinds of inputs -----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Library.h"

using namespace nvjitlink;

namespace {

/// What is linked of two inputs; empty: nothing.
std::string linked(const Library &library, int firstType,
                   const std::string &first, int secondType,
                   const std::string &second, const char *name = "in") {
  Link link(library, Sm90);
  EXPECT_EQ(link.add(firstType, first, name), Success) << link.errors();
  EXPECT_EQ(link.add(secondType, second, name), Success) << link.errors();
  EXPECT_EQ(link.complete(), Success) << link.errors();
  return link.cubin();
}

TEST(Inputs, AreOfTheirTypeOrAny) {
  const std::string fatbin = corpus(
                        "calls/calls-kernel.sm_75+sm_80+sm_90.none.fatbin"),
                    object = corpus("calls/calls-kernel.sm_75+sm_80+sm_90.o"),
                    expected =
                        linked(of13(), Cubin, kernel(), Cubin, function());
  const struct {
    int type;
    const std::string &content;
  } inputs[] = {{Cubin, kernel()}, {Fatbin, fatbin}, {Object, object}};
  for (auto &[type, content] : inputs) {
    const std::string cubin = linked(of13(), type, content, Cubin, function());
    EXPECT_TRUE(linked(of13(), Any, content, Any, function()) == cubin);
    if (type == Cubin) {
      EXPECT_TRUE(cubin == expected);
    }
    for (int other : {Cubin, Ptx, Fatbin, Archive, Index}) {
      if (other == type)
        continue;
      Link link(Sm90);
      EXPECT_EQ(link.add(other, content, "nm"), IncorrectInputType)
          << type << " as " << other << ": " << link.errors();
      EXPECT_EQ(link.complete(), Success);
    }
  }
}

TEST(Inputs, NameTheTypeThatTheyHaveNot) {
  Link link(Sm90);
  EXPECT_EQ(link.add(Cubin, "garbage", "nm"), IncorrectInputType);
  EXPECT_EQ(link.errors().substr(0, link.errors().find('\n')),
            "ERROR 1: bad input: does not match type NVJITLINK_INPUT_CUBINnm");
  Link old(of12(), Sm90);
  EXPECT_EQ(old.add(Cubin, "garbage", "nm"), InvalidInput);
  Link any(Sm90);
  EXPECT_EQ(any.add(Any, "garbage", "nm"), UnrecognizedInput);
  EXPECT_EQ(any.errors().substr(0, any.errors().find('\n')),
            "unrecognized input type: nm");
  Link oldAny(of12(), Sm90);
  EXPECT_EQ(oldAny.add(Any, "garbage", "nm"), UnrecognizedInput);
}

TEST(Inputs, HaveAKnownType) {
  for (int type : {0, 8, 9, 11, 99, -1}) {
    Link link(Sm90);
    EXPECT_EQ(link.add(type, kernel(), "nm"), IncorrectInputType);
    EXPECT_EQ(link.errors(), "unsupported input type: nm\n");
  }
}

TEST(Inputs, ThatAreCubinsAddedAsObjectsAreLinked) {
  Link link(Sm90);
  EXPECT_EQ(link.add(Object, kernel(), "a"), Success);
  EXPECT_EQ(link.add(Cubin, function(), "b"), Success);
  EXPECT_EQ(link.complete(), Success);
  EXPECT_TRUE(link.cubin() ==
              linked(of13(), Cubin, kernel(), Cubin, function()));
  EXPECT_EQ(link.infos().substr(0, 6), "note: ");
}

/// The program leaves out kernels that no host code refers to; who links at run
/// time may launch any.
TEST(Inputs, ThatAreObjectsKeepTheirKernels) {
  const std::string cubin = linked(
      of13(), Object,
      corpus("calls/calls-kernel.sm_75+sm_80+sm_90.uses-first.o"), Object,
      corpus("calls/calls-function.sm_75+sm_80+sm_90.uses-none.o"));
  EXPECT_NE(cubin.find(".text.first"), std::string::npos);
  EXPECT_NE(cubin.find(".text.second"), std::string::npos);
}

TEST(Inputs, NeedNoName) {
  const std::string expected =
      linked(of13(), Cubin, kernel(), Cubin, function());
  EXPECT_TRUE(linked(of13(), Cubin, kernel(), Cubin, function(), nullptr) ==
              expected);
  EXPECT_TRUE(linked(of13(), Cubin, kernel(), Cubin, function(), "") ==
              expected);
  EXPECT_TRUE(linked(of13(), Any, kernel(), Any, function(), "-foo") ==
              expected);
  Link link(Sm90);
  EXPECT_EQ(link.add(Cubin, "x"), IncorrectInputType);
  EXPECT_EQ(link.add(Cubin, kernel(), nullptr), Success);
  EXPECT_EQ(link.complete(), Internal);
  EXPECT_NE(link.errors().find(
                "error   : Undefined reference to 'scale' in '<input 2>'\n"),
            std::string::npos)
      << link.errors();
}

TEST(Inputs, OfAnotherArchitectureAreTold) {
  Link link({"-arch=sm_80"});
  EXPECT_EQ(link.add(Cubin, kernel(), "p"), InvalidInput);
  EXPECT_EQ(link.errors().substr(0, link.errors().find('\n')),
            "ERROR 4: bad input:p");
  Link fatbin({"-arch=sm_86"});
  EXPECT_EQ(fatbin.add(Fatbin,
                       corpus("calls/calls-kernel.sm_100.default.fatbin"), "p"),
            InvalidInput);
  EXPECT_EQ(fatbin.errors().substr(0, fatbin.errors().find('\n')),
            "ERROR 3: bad input: p");
  Link accelerated({"-arch=sm_90a"});
  EXPECT_EQ(accelerated.add(Cubin, kernel()), Success);
}

TEST(Inputs, OfCuda13AreNothingForAnImageOfCuda12) {
  Link link(of12(), Sm90);
  EXPECT_EQ(link.add(Cubin, function(), "p"), InvalidInput);
  EXPECT_EQ(link.errors().substr(0, 22), "ERROR 4: bad input:p\nn");
  EXPECT_NE(link.errors().find("13"), std::string::npos) << link.errors();
  // Nor in objects and fatbins.
  EXPECT_EQ(
      link.add(Fatbin,
               corpus("calls/calls-kernel.sm_75+sm_80+sm_90.none.fatbin")),
      InvalidInput);
  EXPECT_EQ(link.add(Object, corpus("calls/calls-kernel.sm_75+sm_80+sm_90.o")),
            InvalidInput);
  EXPECT_EQ(link.add(Cubin, corpus("calls/barrier-callee.sm_90.cuda120.cubin")),
            Success)
      << link.errors();
  EXPECT_EQ(link.complete(), Success);
  constexpr size_t OsAbi = 7;
  EXPECT_NE(link.cubin()[OsAbi], 0x41); // What images of CUDA 13 have.
}

/// At a NUL, or where the size says.
TEST(Inputs, ThatArePtxEnd) {
  const std::string text =
      ".version 8.0\n.target sm_90\n// makes " LLDCUDA_UNITTEST_INPUTS
      "/../../test/corpus/Inputs/calls/calls-function.sm_90.cubin\n";
  const std::string expected =
      linked(of13(), Cubin, kernel(), Cubin, function());
  for (const std::string &content :
       {text, text + '\0', text + std::string("\0\0", 2),
        text + std::string("\0 // says garbage", 17), "// c\n" + text,
        "\n\n  " + text})
    for (int type : {Ptx, Any})
      EXPECT_TRUE(linked(of13(), Cubin, kernel(), type, content) == expected);
  for (const std::string &content :
       {'\0' + text, "\xef\xbb\xbf" + text, std::string("hello"),
        std::string(1, '\0')}) {
    Link link(Sm90);
    EXPECT_EQ(link.add(Ptx, content), IncorrectInputType) << content;
    EXPECT_EQ(link.add(Any, content), UnrecognizedInput) << content;
  }
}

TEST(Inputs, ThatAreLtoIRNeedTheOption) {
  Link link(Sm90);
  EXPECT_NE(link.add(LtoIR, kernel()), Success);
  EXPECT_EQ(link.complete(), Success);
}

TEST(Inputs, AreFilesToo) {
  const std::string folder =
      std::string(LLDCUDA_UNITTEST_INPUTS) + "/../../test/corpus/Inputs/";
  Link link(Sm90);
  EXPECT_EQ(of13().addFile(link.handle, Cubin,
                           (folder + "calls/calls-kernel.sm_90.cubin").c_str()),
            Success);
  EXPECT_EQ(
      of13().addFile(link.handle, Any,
                     (folder + "calls/calls-function.sm_90.cubin").c_str()),
      Success);
  EXPECT_EQ(link.complete(), Success);
  EXPECT_TRUE(link.cubin() ==
              linked(of13(), Cubin, kernel(), Cubin, function()));
}

TEST(Inputs, MayBeMissing) {
  for (const char *path : {"/nonexistent/x.cubin", "/tmp", "/dev/null"}) {
    Link link(Sm90);
    EXPECT_EQ(of13().addFile(link.handle, Cubin, path), InvalidInput);
    EXPECT_EQ(link.errors(), "no such file: " + std::string(path) + "\n");
    EXPECT_EQ(link.complete(), Success);
  }
}

/// At every length: told at the add, or linked without a crash.
TEST(Inputs, MayBeCutShort) {
  for (size_t size = 1; size != kernel().size(); ++size) {
    Link link(Sm90);
    const std::string part = kernel().substr(0, size);
    const int result = link.add(size % 2 ? Cubin : Any, part);
    EXPECT_TRUE(result == InvalidInput || result == IncorrectInputType ||
                result == UnrecognizedInput)
        << size << ": " << result;
    EXPECT_NE(link.errors(), "");
    EXPECT_EQ(link.complete(), Success);
  }
}

TEST(Inputs, MayBeFlippedAnywhere) {
  for (size_t i = 0; i < function().size(); i += 3) {
    std::string damaged = function();
    damaged[i] ^= 0x81;
    Link link(Sm90);
    link.add(Cubin, kernel());
    link.add(Any, damaged);
    link.complete();
    EXPECT_LT(link.errors().size(), 1u << 20);
  }
}

} // namespace
