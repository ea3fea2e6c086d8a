//===- OptionsTest.cpp - Options of libnvJitLink --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What NVIDIA's library of 13.5 does with each, but for names of which only
/// the beginning is an option's.
///
//===----------------------------------------------------------------------===//

#include "Library.h"
#include <cstring>

using namespace nvjitlink;

namespace {

int created(const std::string &option) {
  return Link({"-arch=sm_90", option}).created;
}

std::string errorsOf(std::vector<std::string> options) {
  return Link(of13(), std::move(options)).errors();
}

/// What is linked with an option.
std::string linked(std::vector<std::string> options) {
  options.insert(options.begin(), "-arch=sm_90");
  Link link(of13(), options);
  EXPECT_EQ(link.created, Success) << link.errors();
  EXPECT_EQ(link.add(Cubin, kernel()), Success) << link.errors();
  EXPECT_EQ(link.add(Cubin, function()), Success) << link.errors();
  EXPECT_EQ(link.complete(), Success) << link.errors();
  return link.cubin();
}

TEST(Options, ThatLinksOfCubinsDontCareFor) {
  const std::string expected = linked({});
  for (const char *option : {"-maxrregcount=32",
                             "-maxrregcount=0",
                             "-maxrregcount=-1",
                             "-maxrregcount=abc",
                             "-maxrregcount=1000",
                             "-time",
                             "-time=1",
                             "-time=x.csv",
                             "-verbose",
                             "-O0",
                             "-O3",
                             "-Ofc=max",
                             "-Ofc=mid",
                             "-Ofc=min",
                             "-Ofc=0",
                             "-lineinfo",
                             "-ftz=0",
                             "-ftz=1",
                             "-ftz=true",
                             "-ftz=2",
                             "-ftz=",
                             "-prec-div=0",
                             "-prec-sqrt=true",
                             "-fma=false",
                             "-optimize-unused-variables",
                             "-Xptxas=-v",
                             "-Xptxas=--bogus",
                             "-Xnvvm=-opt=0",
                             "-Xnvvm=-bogus",
                             "-nvvm-latest",
                             "-no-cache",
                             "-no-opt",
                             "-split-compile=1",
                             "-split-compile=0",
                             "-split-compile=4",
                             "-split-compile=abc",
                             "-split-compile=",
                             "-split-compile-extended=2x",
                             "-jump-table-density=50",
                             "-jump-table-density=102",
                             "-jump-table-density=-1",
                             "-jump-table-density=x",
                             "-device-stack-protector",
                             "-device-stack-protector=true"})
    EXPECT_TRUE(linked({option}) == expected) << option;
}

TEST(Options, ThatAreNone) {
  for (const char *option :
       {"", "x", "-", "-bogus", "-v", "-G", "-L/tmp", "-lx", "-o=x", "-w",
        "-ftz", "-O", "-O=3", "-arch", "--arch=sm_90", "-Werror", "-cudadevrt",
        "-use-host-info", "-dump-callgraph", "-emit-ptx", "-nvvmpath=/",
        "-cpu-arch=X86_64", "-dlcm=ca", "-edv=1", "-maxrregcount",
        "-kernels-used", "-variables-used", "-Xptxas", "-Xptxas -v",
        "-split-compile", "-generate-line-info", "-fmad=1", "--version",
        "-options-file=x", "@x",
        // NVIDIA's library takes these for options that they begin as.
        "-ltox", "-lto=1", "-timex", "-verbosex", "-lineinfox", "-no-cachex",
        "-nvvm-latestx", "-optimize-unused-variablesx", "-rx", "-ptxx",
        "-relocatable-link", "-register-link-binaries=x", "-rdc=false",
        "-gx"}) {
    EXPECT_EQ(created(option), UnrecognizedOption) << option;
    EXPECT_EQ(errorsOf({"-arch=sm_90", option}),
              "unrecognized option: " + std::string(option) + "\n");
  }
}

TEST(Options, WithoutAValueThatTheyNeed) {
  for (const char *option : {"-maxrregcount=", "-kernels-used=",
                             "-variables-used=", "-Xptxas=", "-Xnvvm="}) {
    EXPECT_EQ(created(option), UnrecognizedOption) << option;
    EXPECT_EQ(errorsOf({"-arch=sm_90", option}),
              "ERROR NVJITLINK_ERROR_UNRECOGNIZED_OPTION: missing option "
              "value (" +
                  std::string(option) + ")\n");
  }
}

TEST(Options, WithWrongValues) {
  const struct {
    const char *option, *text;
  } cases[] = {
      {"-O1", "unsupported value of -O: 1. Only 0 and 3 are supported.\n"},
      {"-O4", "unsupported value of -O: 4. Only 0 and 3 are supported.\n"},
      {"-Ofc=foo", "unsupported value of --Ofast-compile (-Ofc): foo. Only 0, "
                   "min, mid, and max are supported.\n"},
      {"-split-compile=-99999999999999999999",
       "argument for -split-compile must be non-negative.\n"},
      {"-split-compile=-1",
       "argument for -split-compile must be non-negative.\n"},
      {"-split-compile-extended=-2",
       "argument for -split-compile-extended must be non-negative.\n"}};
  for (const auto &[option, text] : cases) {
    EXPECT_EQ(created(option), UnrecognizedOption) << option;
    EXPECT_EQ(errorsOf({"-arch=sm_90", option}), text);
  }
}

TEST(Options, ThatAreWrongAreAllNamed) {
  EXPECT_EQ(errorsOf({"-arch=sm_90", "-bogus", "-lto", "-bogus2"}),
            "unrecognized option: -bogus\nunrecognized option: -bogus2\n");
}

TEST(Options, Architectures) {
  for (const char *arch :
       {"sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_90a", "sm_100",
        "sm_100a", "sm_100f", "sm_103", "sm_107", "sm_110", "sm_120", "sm_121",
        "sm_90 ", "lto_90"})
    EXPECT_EQ(Link({std::string("-arch=") + arch}).created, Success) << arch;
  for (const char *arch :
       {"", "sm_XX", "90", "all", "native", "SM_90", "sm_", "sm_90x"}) {
    const std::string option = std::string("-arch=") + arch;
    EXPECT_EQ(Link({option}).created, UnrecognizedOption) << arch;
    EXPECT_EQ(errorsOf({option}),
              "ERROR NVJITLINK_ERROR_UNRECOGNIZED_OPTION: missing option "
              "value (" +
                  option + ")\n");
  }
  for (const char *number : {"10", "50", "60", "70", "72", "101", "90f"}) {
    const std::string option = std::string("-arch=sm_") + number;
    EXPECT_EQ(Link({option}).created, UnsupportedArch) << number;
    EXPECT_EQ(errorsOf({option}),
              "ERROR NVJITLINK_ERROR_UNSUPPORTED_ARCH: unsupported "
              "architecture (compute_" +
                  std::string(number) + ")\n");
  }
  for (const char *number : {"130", "999"}) {
    const std::string option = std::string("-arch=sm_") + number;
    EXPECT_EQ(Link({option}).created, UnrecognizedArch) << number;
    EXPECT_EQ(errorsOf({option}),
              "ERROR NVJITLINK_ERROR_UNRECOGNIZED_ARCH: unrecognized "
              "architecture (compute_" +
                  std::string(number) + ")\n");
    EXPECT_EQ(Link(of12(), {option}).created, Internal);
  }
}

TEST(Options, ThatContradict) {
  const struct {
    std::vector<std::string> options;
    const char *text;
  } cases[] = {
      {{"-arch=sm_90", "-ptx"}, "ERROR: -ptx requires -lto\n"},
      {{"-arch=compute_90"}, "ERROR: virtual arch requires -ptx\n"},
      {{"-arch=compute_90", "-lto"}, "ERROR: virtual arch requires -ptx\n"},
      {{"-arch=lto_90", "-lto", "-ptx"},
       "ERROR: -arch=lto_90 conflicts with -ptx\n"}};
  for (const auto &[options, text] : cases) {
    EXPECT_EQ(Link(of13(), options).created, IncompatibleOptions);
    EXPECT_EQ(errorsOf(options), text);
    EXPECT_EQ(Link(of12(), options).created, InvalidInput);
  }
  EXPECT_EQ(Link({"-arch=compute_90", "-lto", "-ptx"}).created, Success);
}

TEST(Options, OfWhichTheLastCounts) {
  Link link({"-arch=sm_80", "-arch=sm_90"});
  EXPECT_EQ(link.add(Cubin, kernel()), Success);
}

TEST(Options, ForRelocatableLinks) {
  const std::string relocatable = linked({"-r"});
  constexpr size_t Type = 16; // Elf64_Ehdr::e_type: ET_REL.
  EXPECT_EQ(relocatable[Type], 1);
  EXPECT_TRUE(linked({"-rdc=true"}) == relocatable);
  EXPECT_TRUE(linked({"-relocatable-device-code=true"}) == relocatable);
  EXPECT_TRUE(linked({"-r", "-kernels-used=nosuch"}) == relocatable);
  EXPECT_FALSE(linked({}) == relocatable);
}

TEST(Options, ThatChooseKernels) {
  auto hasKernel = [](const std::string &cubin) {
    return cubin.find(".text.first") != std::string::npos;
  };
  EXPECT_TRUE(hasKernel(linked({})));
  EXPECT_TRUE(linked({"-kernels-used=first"}) == linked({"-kernels-used=fir"}));
  EXPECT_TRUE(hasKernel(linked({"-kernels-used=fir"})));
  EXPECT_FALSE(hasKernel(linked({"-kernels-used=nosuch"})));
  EXPECT_FALSE(hasKernel(linked({"-kernels-used=first,nosuch"})));
  EXPECT_TRUE(
      hasKernel(linked({"-kernels-used=nosuch", "-kernels-used=first"})));
  EXPECT_FALSE(hasKernel(linked({"-variables-used=nosuch"})));
}

TEST(Options, ForLtoNeedLtoIR) {
  Link link({"-arch=sm_90", "-lto"});
  EXPECT_EQ(link.add(Cubin, kernel()), Success);
  EXPECT_EQ(link.add(Cubin, function()), Success);
  EXPECT_EQ(link.complete(), NvvmCompile);
  EXPECT_EQ(link.errors().substr(0, 41),
            "ERROR NVVM_ERROR_NO_MODULE_IN_PROGRAM (8)");
}

TEST(Options, ForTheTime) {
  Link link({"-arch=sm_90", "-time"});
  link.add(Cubin, kernel());
  link.add(Cubin, function());
  EXPECT_EQ(link.complete(), Success);
  std::string shape; // Without the figures.
  for (char c : link.infos())
    if (!strchr("0123456789.", c))
      shape += c;
  EXPECT_EQ(shape, "nvJitLink time until Add_Cubin: \n"
                   "nvJitLink time until Add_Cubin: \n"
                   "nvJitLink time until Complete: \n"
                   "nvJitLinkComplete time to finish: \n");
}

} // namespace
