//===- DiagnosticsTest.cpp - Messages as objects, and how they look -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Messages/Diagnostics.h"
#include "Rules/Config.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "gtest/gtest.h"

using namespace lld::cuda;
using namespace llvm;

namespace {

struct Messages {
  std::string text;
  raw_string_ostream os{text};
  Config config;
  Diagnostics diag{os, config};
  std::vector<Diagnostic> recorded;

  explicit Messages(Flavor flavor = Flavor::Nvlink) {
    config.flavor = flavor;
    config.program = "/usr/bin/ld.cuda";
    diag.recordTo(recorded);
  }
  const std::string &finish() {
    diag.finish();
    return text;
  }
};

TEST(Diagnostic, NamesAreUniqueAndForCommandLines) {
  StringSet<> names;
  for (unsigned i = 0; i != unsigned(DiagId::Count); ++i) {
    StringRef name = getName(DiagId(i));
    EXPECT_TRUE(names.insert(name).second) << name.str();
    EXPECT_TRUE(all_of(name, [](char c) {
      return isDigit(c) || isLower(c) || c == '-';
    })) << name.str();
  }
}

TEST(Diagnostic, PartsBecomeTextAndMentions) {
  Diagnostic d(DiagId::DamagedInput,
               {diag::file("lib.a:f.o"), ": section ", 7u, " (",
                diag::section(".text.f"), ") at ", diag::offset(0x1c), ": ",
                diag::symbol("_Z1fv").bare(), ", ", diag::hex(255)});
  EXPECT_EQ(d.text, "'lib.a:f.o': section 7 ('.text.f') at 0x1c: _Z1fv, 0xff");
  EXPECT_EQ(d.severity, Severity::Fatal);
  EXPECT_EQ(getName(d.id), "damaged-input");
  EXPECT_EQ(d.getFile(), "lib.a:f.o");
  EXPECT_EQ(d.getSection(), ".text.f");
  EXPECT_EQ(d.getOffset(), "0x1c");
  ASSERT_EQ(d.getSymbols().size(), 1u);
  EXPECT_EQ(d.getSymbols()[0], "_Z1fv");
}

TEST(Diagnostic, OnlySymbolsAreDemangledAndOnlyInLldsForm) {
  for (Flavor flavor : {Flavor::Nvlink, Flavor::LLD}) {
    Messages m(flavor);
    m.diag.report(DiagId::MultipleDefinition,
                  {"Multiple definition of ", diag::symbol("_Z1fv"), " in ",
                   diag::file("_Z1gv")});
    EXPECT_EQ(m.finish(),
              flavor == Flavor::LLD
                  ? "ld.cuda: error: multiple definition of 'f()' in '_Z1gv'\n"
                  : "nvlink error   : Multiple definition of '_Z1fv' in "
                    "'_Z1gv'\n");
    ASSERT_EQ(m.recorded.size(), 1u);
    EXPECT_EQ(m.recorded[0].text, "Multiple definition of '_Z1fv' in '_Z1gv'");
  }
}

TEST(Diagnostic, LinesThatOnlyEndALink) {
  Messages nvlink, lld(Flavor::LLD);
  for (Messages *m : {&nvlink, &lld}) {
    m->diag.report(DiagId::SizeMismatch, {"sizes"});
    m->diag.report(DiagId::MergeFailed, {"merge_elf failed"});
    EXPECT_TRUE(m->diag.stopped());
  }
  EXPECT_EQ(nvlink.finish(), "nvlink error   : sizes\n"
                             "nvlink fatal   : merge_elf failed\n");
  EXPECT_EQ(nvlink.diag.exitStatus(), 1);
  EXPECT_EQ(lld.finish(), "ld.cuda: error: sizes\n");
}

TEST(Diagnostic, HiddenMessagesAreNotRecorded) {
  Messages m;
  m.config.disableInfos = true;
  Diagnostic d(DiagId::UncalledFunction, {"uncalled"});
  d.notes.push_back("why");
  m.diag.report(d);
  EXPECT_EQ(m.finish(), "");
  EXPECT_TRUE(m.recorded.empty());
  m.config.disableInfos = false;
  m.config.warningsAsErrors = true;
  m.diag.report(d);
  m.diag.explain("more");
  EXPECT_EQ(m.finish(), "nvlink error   : uncalled\n>>> why\n>>> more\n");
  ASSERT_EQ(m.recorded.size(), 1u);
  EXPECT_EQ(m.recorded[0].severity, Severity::Error);
  EXPECT_EQ(m.recorded[0].notes, (std::vector<std::string>{"why", "more"}));
}

TEST(Diagnostic, LldCountsEqualWarnings) {
  Messages m(Flavor::LLD);
  for (int i = 0; i != 3; ++i)
    m.diag.report(DiagId::UncalledFunction, {"Uncalled"});
  EXPECT_EQ(m.finish(), "ld.cuda: warning: uncalled (3 times)\n");
  EXPECT_EQ(m.recorded.size(), 3u);
}

TEST(Diagnostic, LldStopsAfterTooManyErrors) {
  Messages m(Flavor::LLD);
  m.config.lld.errorLimit = 1;
  m.diag.report(DiagId::SizeMismatch, {"first"});
  EXPECT_FALSE(m.diag.stopped());
  m.diag.report(DiagId::SizeMismatch, {"second"});
  EXPECT_TRUE(m.diag.stopped());
  ASSERT_EQ(m.recorded.size(), 2u);
  EXPECT_EQ(m.recorded[1].id, DiagId::TooManyErrors);
}

} // namespace
