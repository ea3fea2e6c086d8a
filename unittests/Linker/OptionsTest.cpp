//===- OptionsTest.cpp - The command line -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Expectations are what nvlink 13.0.88 prints and records for the same words.
///
//===----------------------------------------------------------------------===//

#include "Driver/Options.h"
#include "Messages/Diagnostics.h"
#include "Rules/Config.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "gtest/gtest.h"

using namespace lld::cuda;
using llvm::StringRef;

namespace {

struct Parse {
  ParsedOptions options;
  bool ok;
  std::string messages;

  explicit Parse(std::vector<const char *> words) {
    Config config;
    llvm::raw_string_ostream os(messages);
    Diagnostics diag(os, config);
    ok = options.parse(words, diag);
  }
};

std::string fatal(std::vector<const char *> words) {
  Parse p(words);
  EXPECT_FALSE(p.ok);
  StringRef text = p.messages;
  EXPECT_TRUE(text.consume_front("nvlink fatal   : ")) << p.messages;
  return text.split('\n').first.str();
}

/// What stands below it.
std::string explanation(std::vector<const char *> words) {
  Parse p(words);
  return StringRef(p.messages).split('\n').second.rtrim('\n').str();
}

std::string note(std::vector<const char *> words) {
  Parse p(words);
  EXPECT_EQ(p.messages, "");
  return p.options.noteCommand();
}

/// An options file with the given text, for -optf.
struct OptionsFile {
  llvm::SmallString<128> path;
  llvm::FileRemover remover;

  explicit OptionsFile(StringRef text) {
    int fd;
    EXPECT_FALSE(
        llvm::sys::fs::createTemporaryFile("lld-cuda", "opt", fd, path));
    llvm::raw_fd_ostream(fd, /*shouldClose=*/true) << text;
    remover.setFile(path);
  }
};

std::string noteOfFile(StringRef text) {
  OptionsFile file(text);
  return note({"-optf", file.path.c_str()});
}

std::string fatalOfFile(StringRef text) {
  OptionsFile file(text);
  return fatal({"-optf", file.path.c_str()});
}

constexpr const char Redefined[] = "nvlink warning : incompatible redefinition "
                                   "for option '%s', the last value "
                                   "of this option was used\n";

std::string redefined(StringRef name) {
  std::string text = Redefined;
  return text.replace(text.find("%s"), 2, name);
}

TEST(Options, LongNamesTakeTwoDashesAndShortNamesOne) {
  EXPECT_EQ(Parse({"--output-file", "x"}).options.value(Opt::OutputFile), "x");
  EXPECT_EQ(Parse({"--output-file=x"}).options.value(Opt::OutputFile), "x");
  EXPECT_EQ(Parse({"-o=x"}).options.value(Opt::OutputFile), "x");
  EXPECT_EQ(Parse({"-arch", "sm_90"}).options.value(Opt::Arch), "sm_90");
  EXPECT_EQ(Parse({"--arch", "sm_90"}).options.value(Opt::Arch), "sm_90");
  EXPECT_EQ(fatal({"-output-file=x"}), "Unknown option 'output-file'");
  EXPECT_EQ(fatal({"--o=x"}), "Unknown option '-o'");
  EXPECT_EQ(fatal({"-dot-file=x"}), "Unknown option 'dot-file'");
  EXPECT_EQ(fatal({"-register-link-binaries", "x"}),
            "Unknown option 'register-link-binaries'");
}

TEST(Options, LikelyNamesAreSuggested) {
  EXPECT_EQ(explanation({"-dot-file=x"}), ">>> did you mean --dot-file?");
  EXPECT_EQ(explanation({"--hel"}), ">>> did you mean --help?");
  EXPECT_EQ(explanation({"--preserve-relcs"}),
            ">>> did you mean --preserve-relocs?");
  EXPECT_EQ(explanation({"--just-symbols=x"}), "");
  EXPECT_EQ(explanation({"--wrap=x"}),
            ">>> ld.cuda has this option, but nvlink's command line doesn't");
  EXPECT_EQ(explanation({"-O3"}), ">>> that is a compiler option");
}

TEST(Options, UnknownNames) {
  EXPECT_EQ(fatal({"-bogus=3"}), "Unknown option 'bogus'");
  EXPECT_EQ(fatal({"--bogus=3"}), "Unknown option '-bogus'");
  EXPECT_EQ(fatal({"--hel"}), "Unknown option '-hel'");
  EXPECT_EQ(fatal({"--"}), "Unknown option '-'");
  EXPECT_EQ(fatal({"-onew"}), "Unknown option 'onew'");
  EXPECT_EQ(fatal({"-O3"}), "Unknown option 'O3'");
}

TEST(Options, OneDashAloneIsAnInput) {
  Parse p({"-", "@x", ""});
  EXPECT_EQ(p.options.inputs(), (std::vector<std::string>{"-", "@x", ""}));
}

TEST(Options, ValuesAreGluedToThreeOptions) {
  Parse p({"-L/a", "-L=/b", "-lfoo", "-l=bar", "-m64"});
  EXPECT_EQ(p.options.values(Opt::LibraryPath),
            (std::vector<std::string>{"/a", "/b"}));
  EXPECT_EQ(p.options.values(Opt::Library),
            (std::vector<std::string>{"foo", "bar"}));
  EXPECT_EQ(p.options.number(Opt::Machine), 64);
  EXPECT_EQ(fatal({"--L/a"}), "Unknown option '-L/a'");
}

TEST(Options, ValueIsTheNextWordWhateverItLooksLike) {
  Parse p({"-L", "-o", "b.o"});
  EXPECT_EQ(p.options.values(Opt::LibraryPath), std::vector<std::string>{"-o"});
  EXPECT_EQ(p.options.inputs(), std::vector<std::string>{"b.o"});
  EXPECT_EQ(fatal({"-o"}), "argument expected after '-o'");
  EXPECT_EQ(fatal({"--output-file"}),
            "argument expected after '--output-file'");
}

TEST(Options, FlagsTakeNoValue) {
  EXPECT_EQ(fatal({"-r="}), "no argument expected after '-r'");
  EXPECT_EQ(fatal({"--relocatable-link=true"}),
            "no argument expected after '--relocatable-link'");
  EXPECT_TRUE(Parse({"-v", "-v"}).messages.empty());
}

TEST(Options, Numbers) {
  auto value = [](const char *word) {
    return Parse({"-maxrregcount", word}).options.value(Opt::MaxRegCount);
  };
  EXPECT_EQ(value("0x10"), "16");
  EXPECT_EQ(value("010"), "8");
  EXPECT_EQ(value(" +5"), "5");
  EXPECT_EQ(value("-2147483648"), "-2147483648");
  EXPECT_EQ(value(""), "0");
  for (const char *word : {"x", "08", "5 ", "10k", "0x", "-", "1e3"})
    EXPECT_EQ(fatal({"-maxrregcount", word}),
              "'" + std::string(word) + "': expected a number");
  for (const char *word :
       {"2147483648", "-2147483649", "99999999999999999999999"})
    EXPECT_EQ(fatal({"-maxrregcount", word}),
              "32-bit integer value (" + std::string(word) + ") out of range");
}

TEST(Options, ValuesOfAFixedSet) {
  EXPECT_EQ(fatal({"-arch=sm_71"}),
            "Value 'sm_71' is not defined for option 'arch'");
  EXPECT_EQ(fatal({"-arch="}), "Value '' is not defined for option 'arch'");
  EXPECT_EQ(fatal({"-m32"}), "Value '32' is not defined for option 'machine'");
  EXPECT_EQ(fatal({"-cpu-arch=x86"}),
            "Value 'x86' is not defined for option 'cpu-arch'");
  EXPECT_EQ(fatal({"-ghls", "x"}),
            "Value 'x' is not defined for option 'gen-host-linker-script'");
  EXPECT_EQ(fatal({"-device-stack-protector=1"}),
            "'1': expected true or false");
  EXPECT_TRUE(Parse({"-arch=lto_100f"}).ok);
}

TEST(Options, FirstMistakeIsTold) {
  EXPECT_EQ(fatal({"-arch=sm_71", "-bogus"}),
            "Value 'sm_71' is not defined for option 'arch'");
  EXPECT_EQ(fatal({"-bogus", "-arch=sm_71"}), "Unknown option 'bogus'");
}

TEST(Options, AnotherValueIsWarnedAboutUnderTheLongName) {
  EXPECT_EQ(Parse({"-o", "x", "-o", "y"}).messages, redefined("output-file"));
  EXPECT_EQ(Parse({"-o", "x", "-o", "x"}).messages, "");
  EXPECT_EQ(Parse({"-m", "64", "-m", "0x40"}).messages, "");
  EXPECT_EQ(Parse({"-maxrregcount", "8", "-maxrregcount", "010"}).messages, "");
  EXPECT_EQ(Parse({"-arch=sm_90", "-arch=sm_80", "-arch=sm_90"}).messages,
            redefined("arch") + redefined("arch"));
  Parse last({"-arch=sm_90", "-arch=sm_80"});
  EXPECT_EQ(last.options.value(Opt::Arch), "sm_80");
}

TEST(Options, ListsSplitAtCommas) {
  auto joined = [](const char *word) { return note({"-L", word}); };
  EXPECT_EQ(joined("a,b"), "-L a,b ");
  EXPECT_EQ(joined(",,a,"), "-L a ");
  EXPECT_EQ(joined(" a , b "), "-L a,b ");
  EXPECT_EQ(joined("a b"), "-L a b ");
  EXPECT_EQ(joined(""), "-L  ");
  EXPECT_EQ(Parse({"-L", "a\\,b"}).options.values(Opt::LibraryPath),
            (std::vector<std::string>{"a\\", "b"}));
  EXPECT_EQ(Parse({"-L", "\"a,b\",c"}).options.values(Opt::LibraryPath),
            (std::vector<std::string>{"a,b", "c"}));
  EXPECT_EQ(joined("\"a\\\",b\""), "-L a\\\",b ");
  EXPECT_EQ(fatal({"-L", "\"a"}), "Stray '\"' character");
  EXPECT_EQ(fatal({"-L", "\"a\\"}), "Stray '' character");
}

TEST(Options, WordsOfAnOptionsFile) {
  EXPECT_EQ(noteOfFile("-v\t-w\r\n-r"), "-v  -w  -r  ");
  EXPECT_EQ(noteOfFile(R"(-nvvmpath "a b")"), "-nvvmpath a b ");
  EXPECT_EQ(noteOfFile(R"(-nvvmpath a\ b)"), "-nvvmpath a b ");
  EXPECT_EQ(noteOfFile(R"(-nvvmpath a\\b)"), "-nvvmpath a\\b ");
  EXPECT_EQ(noteOfFile(R"(-nvvmpath a\"b)"), "-nvvmpath ab ");
  EXPECT_EQ(noteOfFile(R"(-nvvmpath a"b c"d)"), "-nvvmpath ab cd ");
  EXPECT_EQ(noteOfFile(R"(-nvvmpath 'ab')"), "-nvvmpath 'ab' ");
  EXPECT_EQ(noteOfFile(R"(-nvvmpath "" -v)"), "-v  -nvvmpath  ");
  EXPECT_EQ(noteOfFile(R"(-nvvmpath a\ )"), "-nvvmpath a ");
  EXPECT_EQ(noteOfFile(R"(-nvvmpath "a ")"), "-nvvmpath a  ");
  EXPECT_EQ(noteOfFile(""), "");
  EXPECT_EQ(fatalOfFile("-v \"a"), "Stray '\"' character");
  EXPECT_EQ(fatalOfFile("-v a\\"), "Stray '' character");
  EXPECT_EQ(fatalOfFile("-o"), "argument expected after '-o'");
  EXPECT_EQ(fatalOfFile("-nvvmpath \\ "),
            "argument expected after '-nvvmpath'");
}

TEST(Options, OptionsFilesNest) {
  OptionsFile inner("b.o -v"), outer(("-optf " + inner.path + " c.o").str());
  Parse p({"a.o", "-optf", outer.path.c_str(), "d.o"});
  EXPECT_EQ(p.options.inputs(),
            (std::vector<std::string>{"a.o", "b.o", "c.o", "d.o"}));
  EXPECT_TRUE(p.options.given(Opt::Verbose));
}

TEST(Options, OptionsFileThatIncludesItself) {
  OptionsFile file("");
  std::error_code ec;
  llvm::raw_fd_ostream(file.path, ec) << "-optf " << file.path;
  EXPECT_EQ(fatal({"-optf", file.path.c_str()}),
            "Too many options file opened '" + file.path.str().str() + "'");
}

TEST(Options, MissingOptionsFile) {
  EXPECT_EQ(fatal({"-optf", "/nonexistent/file"}),
            "Could not open options file '/nonexistent/file'");
}

TEST(Note, FixedOrderAndForm) {
  EXPECT_EQ(note({"-r", "-cpu-arch", "X86_64", "-Lx,y", "-m64", "-L", "x",
                  "--library=cudadevrt", "--arch=sm_90", "a.o", "-o", "x"}),
            "-arch sm_90 -m 64 -l cudadevrt -L x,y,x -cpu-arch X86_64 -r  ");
  EXPECT_EQ(
      note({"-ignore-host-info", "-dump-callgraph", "-maxrregcount=0x20",
            "-variables-used", "v", "-kernels-used", "k,l", "-Werror", "-v",
            "-suppress-stack-size-warning", "-Xptxas", "-v,-O1"}),
      "-suppress-stack-size-warning  -v  -Werror  -kernels-used k,l "
      "-variables-used v -Xptxas -v,-O1 -maxrregcount 32 -dump-callgraph  "
      "-ignore-host-info  ");
}

TEST(Note, LeavesOutWhatDoesNotChangeTheOutput) {
  EXPECT_EQ(note({"--host-ccbin", "gcc", "-shared", "--dot-file=x", "-time",
                  "x", "--register-link-binaries=x", "a.o"}),
            "");
}

TEST(Note, NamesFilesWithDebug) {
  EXPECT_EQ(note({"d/a.o", "b.o", "-g", "-o", "d/x.cubin", "-arch", "sm_90"}),
            "a.o,b.o -o x.cubin -g  -arch sm_90 ");
  EXPECT_EQ(note({"a.o", "-g", "-L", "/x", "--register-link-binaries=/d/r.c",
                  "-time", "/d/t"}),
            "a.o -g  -L /x - r.c -time t ");
}

TEST(Note, VerboseTkinfoDecidesAboutFiles) {
  EXPECT_EQ(note({"a.o", "-o", "x", "-verbose-tkinfo=true"}), "a.o -o x ");
  EXPECT_EQ(note({"a.o", "-o", "x", "-g", "-verbose-tkinfo=false"}), "-g  ");
}

} // namespace
