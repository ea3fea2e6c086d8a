//===- VersionScriptTest.cpp - The file of --version-script ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Input/VersionScript.h"
#include "Input/RequiredKernels.h"
#include "Input/SymbolPatterns.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace lld::cuda;

/// "global:a local:*" and so on; quotes around exact names, C++ ones in angle
/// brackets. Or the error.
static std::string read(StringRef text) {
  Expected<VersionScript> script = readVersionScript(text);
  if (!script)
    return toString(script.takeError());
  std::string result;
  for (const std::string &version : script->versions)
    result += version + " ";
  for (const VersionScript::Pattern &p : script->patterns) {
    std::string name = p.isExact ? '"' + p.text + '"' : p.text;
    if (p.isCxx)
      name = '<' + name + '>';
    result += (p.isGlobal ? "global:" : "local:") + name + " ";
  }
  return StringRef(result).rtrim().str();
}

TEST(VersionScriptTest, Sections) {
  EXPECT_EQ(read("{ global: a; b*; local: *; };"),
            "global:a global:b* local:*");
  EXPECT_EQ(read("{ a; };"), "global:a");
  EXPECT_EQ(read("{ local: a };"), "local:a");
  EXPECT_EQ(read("{ };"), "");
  EXPECT_EQ(read("{local:*;global:a;};"), "local:* global:a");
  EXPECT_EQ(read("{ global: global; local; };"), "global:global global:local");
}

TEST(VersionScriptTest, Versions) {
  EXPECT_EQ(read("V1 { global: a; };\nV2.0 { local: *; } V1;"),
            "V1 V2.0 global:a local:*");
}

TEST(VersionScriptTest, CommentsAndQuotes) {
  EXPECT_EQ(read("# c\n{ /* { ; \n */ a; # b;\n };"), "global:a");
  EXPECT_EQ(read("{ \"a*;b\"; c/**/; };"), "global:\"a*;b\" global:c");
}

TEST(VersionScriptTest, Extern) {
  EXPECT_EQ(read("{ extern \"C++\" { ns::*; \"ns::f(int)\"; }; local: *; };"),
            "global:<ns::*> global:<\"ns::f(int)\"> local:*");
  EXPECT_EQ(read("{ local: extern \"C\" { a } b; };"), "local:a local:b");
}

TEST(VersionScriptTest, Errors) {
  EXPECT_EQ(read(""), "1:1: the file has no version");
  EXPECT_EQ(read("\n # \n"), "3:1: the file has no version");
  EXPECT_EQ(read("{ a;\n"), "1:1: this '{' has no closing '}'");
  EXPECT_EQ(read("{ a; }"),
            "1:7: ';' expected after a '}', not the end of the file");
  EXPECT_EQ(read("{ a b; };"), "1:5: ';' expected after a name, not 'b'");
  EXPECT_EQ(read("{\n  { } };"), "2:3: a name or '}' expected, not '{'");
  EXPECT_EQ(read("{ \"a; };\n"),
            "1:3: the quoted name has no closing '\"' on its line");
  EXPECT_EQ(read("{ \"\"; };"), "1:3: an empty name");
  EXPECT_EQ(read("/* a"), "1:1: the comment has no '*/'");
  EXPECT_EQ(read("{ extern \"Ada\" { a; }; };"),
            "1:10: extern takes \"C\" or \"C++\", not 'Ada'");
  EXPECT_EQ(read("{ extern C { a; }; };"),
            "1:10: extern takes \"C\" or \"C++\", not 'C'");
  EXPECT_EQ(read("{ extern \"C\" { a;"),
            "1:18: '}' expected at the end of extern, not the end of the "
            "file");
  EXPECT_EQ(read(StringRef("{ a\0b; };", 9)), "1:4: a control character, 0x0");
  EXPECT_EQ(read("}"),
            "1:1: '{' expected at the beginning of a version, not '}'");
  EXPECT_EQ(read("V1"), "1:3: '{' expected at the beginning of a version, not "
                        "the end of the file");
}

/// Deep and long ones are linear, and no recursion.
TEST(VersionScriptTest, Large) {
  EXPECT_EQ(read(std::string(1 << 20, '{')),
            "1:2: a name or '}' expected, not '{'");
  std::string many = "{ ";
  for (unsigned i = 0; i != 100000; ++i)
    many += "a; ";
  Expected<VersionScript> script = readVersionScript(many + "};");
  ASSERT_TRUE(bool(script));
  EXPECT_EQ(script->patterns.size(), 100000u);
}

static bool matches(StringRef pattern, StringRef symbol,
                    NameForm form = NameForm::Any) {
  SymbolForms forms(symbol);
  return cantFail(SymbolPattern::create(pattern, /*isExact=*/false, form))
      .matches(forms);
}

TEST(SymbolPatternsTest, Forms) {
  EXPECT_TRUE(matches("_ZN2ns1fEi", "_ZN2ns1fEi"));
  EXPECT_TRUE(matches("ns::f(int)", "_ZN2ns1fEi"));
  EXPECT_TRUE(matches("ns::f", "_ZN2ns1fEi"));
  EXPECT_TRUE(matches("ns::*", "_ZN2ns1fEi"));
  EXPECT_TRUE(matches("_Z*", "_ZN2ns1fEi"));
  EXPECT_FALSE(matches("f", "_ZN2ns1fEi"));
  EXPECT_FALSE(matches("ns::*", "_ZN2ns1fEi", NameForm::Mangled));
  EXPECT_FALSE(matches("_Z*", "_ZN2ns1fEi", NameForm::Demangled));
  EXPECT_TRUE(matches("f", "f", NameForm::Demangled));
  // int f<int>(int), without its return type.
  EXPECT_TRUE(matches("f<int>", "_Z1fIiET_S0_"));
  EXPECT_TRUE(matches("f<*>", "_Z1fIiET_S0_"));
}

TEST(SymbolPatternsTest, Errors) {
  for (const char *text : {"", "a[b", "{a", "a\\"}) {
    Expected<SymbolPattern> pattern = SymbolPattern::create(text);
    EXPECT_FALSE(bool(pattern)) << text;
    consumeError(pattern.takeError());
  }
  EXPECT_TRUE(bool(SymbolPattern::create("a[b", /*isExact=*/true)));
  const std::string braces = "{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}*";
  Expected<SymbolPattern> pattern = SymbolPattern::create(braces);
  EXPECT_FALSE(bool(pattern));
  consumeError(pattern.takeError());
}

using Names = std::vector<std::string>;

TEST(RequiredKernelsTest, Lists) {
  EXPECT_EQ(splitKernelList("a,b"), Names({"a", "b"}));
  EXPECT_EQ(splitKernelList("f(int, float),g<a,b>"),
            Names({"f(int, float)", "g<a,b>"}));
  EXPECT_EQ(splitKernelList(" a , ,b,"), Names({"a", "b"}));
  EXPECT_EQ(splitKernelList(","), Names());
  EXPECT_EQ(splitKernelList("a),b"), Names({"a)", "b"}));
}

TEST(RequiredKernelsTest, Files) {
  EXPECT_EQ(cantFail(readKernelFile("# all\na\r\n f(int, int) # two\n\nb")),
            Names({"a", "f(int, int)", "b"}));
  EXPECT_EQ(toString(readKernelFile(" \n").takeError()), "it names no kernel");
  EXPECT_EQ(toString(readKernelFile(StringRef("a\nb\0c", 5)).takeError()),
            "line 2: a control character in a name");
}

TEST(RequiredKernelsTest, Find) {
  RequiredKernels kernels;
  kernels.add({"ns::k(int, float)", "_Z1fv", "t<int>", "ns::k(int,float)"});
  EXPECT_EQ(kernels.names().size(), 3u);
  EXPECT_EQ(kernels.find("_ZN2ns1kEif"), std::vector<size_t>({0}));
  EXPECT_EQ(kernels.find("_Z1fv"), std::vector<size_t>({1}));
  EXPECT_EQ(kernels.find("_Z1tIiEvT_"), std::vector<size_t>({2}));
  EXPECT_EQ(kernels.find("k"), std::vector<size_t>());
}
