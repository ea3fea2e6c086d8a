//===- ArchiveTest.cpp - Members of static libraries ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lld-cuda/Object/Archive.h"
#include "ArchiveTestUtils.h"
#include "ContainerTestUtils.h"

using namespace lld::cuda;
using namespace lld::cuda::test;
using llvm::MemoryBufferRef;
using llvm::StringRef;

namespace {

llvm::Expected<std::vector<ArchiveMember>> read(StringRef data,
                                                StringRef path = "lib.a") {
  return readArchiveMembers(MemoryBufferRef(data, path));
}

/// "name=contents" of every member, or the error.
std::string list(StringRef data) {
  auto members = read(data);
  if (!members)
    return "error: " + llvm::toString(members.takeError());
  std::string s;
  for (const ArchiveMember &m : *members)
    s += (s.empty() ? "" : " ") + m.name + "=" + m.data.str();
  return s;
}

class WrittenByAr : public testing::TestWithParam<const char *> {};
INSTANTIATE_TEST_SUITE_P(Archive, WrittenByAr,
                         testing::Values("gnu.a", "bsd.a"));

// nvlink stops at the first member that isn't ELF, and sees none of BSD.
TEST_P(WrittenByAr, HasAllMembers) {
  std::string data = readInput(GetParam());
  ASSERT_TRUE(isArchive(data));
  auto members = read(data);
  ASSERT_EQ(message(members.takeError()), "");
  ASSERT_EQ(members->size(), 4u);
  EXPECT_EQ((*members)[0].name, "read.me");
  EXPECT_EQ((*members)[0].data, "a text\n");
  EXPECT_EQ((*members)[1].name, "short.o");
  EXPECT_EQ((*members)[1].data, "\x7f"
                                "ELF");
  EXPECT_EQ((*members)[2].name, "a_name_of_more_than_15_characters.o");
  EXPECT_EQ((*members)[2].data, "12345");
  EXPECT_EQ((*members)[3].name, "nested.a");
  EXPECT_TRUE(isArchive((*members)[3].data));
  auto nested = read((*members)[3].data);
  ASSERT_EQ(message(nested.takeError()), "");
  EXPECT_EQ(nested->size(), 2u);
  for (const ArchiveMember &m : *members)
    EXPECT_EQ(m.thinPath, "");
}

TEST(Archive, ThinMembersAreRelativeToTheArchive) {
  std::string data = readInput("thin.a");
  ASSERT_TRUE(isArchive(data));
  auto members = read(data, "some/dir/thin.a");
  ASSERT_EQ(message(members.takeError()), "");
  ASSERT_EQ(members->size(), 5u);
  EXPECT_EQ((*members)[0].name, "sub/a_name_of_more_than_15_characters.o");
  EXPECT_EQ((*members)[0].thinPath,
            "some/dir/sub/a_name_of_more_than_15_characters.o");
  EXPECT_EQ((*members)[0].data, "");
  EXPECT_EQ((*members)[1].thinPath, "some/dir/sub/short.o");
  EXPECT_EQ((*members)[2].thinPath, "some/dir/read.me");
  EXPECT_EQ((*members)[2].thinOffset, 0u);
  members = read(data, "thin.a");
  ASSERT_EQ(message(members.takeError()), "");
  EXPECT_EQ((*members)[1].thinPath, "sub/short.o");
}

// GNU ar put the members of nested.a into thin.a, not nested.a.
TEST(Archive, ThinMembersCanBeInsideOtherArchives) {
  std::string data = readInput("thin.a");
  auto members = read(data, "thin.a");
  ASSERT_EQ(message(members.takeError()), "");
  ASSERT_EQ(members->size(), 5u);
  EXPECT_EQ((*members)[3].thinPath, "nested.a");
  EXPECT_EQ((*members)[3].thinOffset, 8u);
  EXPECT_EQ((*members)[4].thinPath, "nested.a");

  std::string regularData = readInput("gnu.a");
  auto regular = read(regularData);
  ASSERT_EQ(message(regular.takeError()), "");
  MemoryBufferRef nested((*regular)[3].data, "nested.a");
  auto text = readArchiveMemberAt(nested, (*members)[3].thinOffset);
  ASSERT_EQ(message(text.takeError()), "");
  EXPECT_EQ(*text, "a text\n");
  auto object = readArchiveMemberAt(nested, (*members)[4].thinOffset);
  ASSERT_EQ(message(object.takeError()), "");
  EXPECT_EQ(*object, "\x7f"
                     "ELF");
}

TEST(Archive, AbsoluteThinPathsStayAsTheyAre) {
  std::string data = Thin + member("//", "/dir/a.o/\n") + header("/0", "999");
  auto members = read(data, "some/thin.a");
  ASSERT_EQ(message(members.takeError()), "");
  ASSERT_EQ(members->size(), 1u);
  EXPECT_EQ((*members)[0].thinPath, "/dir/a.o");
}

TEST(Archive, MagicIsALine) {
  EXPECT_TRUE(isArchive("!<arch>\n"));
  EXPECT_TRUE(isArchive("!<thin>\n"));
  EXPECT_FALSE(isArchive("!<arch>"));
  EXPECT_FALSE(isArchive("!<Arch>\n"));
  EXPECT_EQ(list("!<Arch>\n"), "error: not an archive");
}

TEST(Archive, EmptyArchiveHasNoMembers) {
  EXPECT_EQ(list(Magic), "");
  EXPECT_EQ(list(Thin), "");
}

TEST(Archive, NamesWithAndWithoutSlash) {
  EXPECT_EQ(list(Magic + member("a.o/", "1") + member("b.o", "2") +
                 member("two words.o/", "3")),
            "a.o=1 b.o=2 two words.o=3");
}

TEST(Archive, SameNameTwiceIsTwoMembers) {
  EXPECT_EQ(list(Magic + member("a.o/", "1") + member("a.o/", "2")),
            "a.o=1 a.o=2");
}

TEST(Archive, SymbolTablesAreLeftOut) {
  for (StringRef name : {"/", "/SYM64/", "__.SYMDEF", "__.SYMDEF SORTED",
                         "__.SYMDEF_64", "/<ECSYMBOLS>/"})
    EXPECT_EQ(list(Magic + member(name, "table") + member("a.o/", "1")),
              "a.o=1")
        << name.str();
  EXPECT_EQ(list(Magic +
                 member("#1/20", StringRef("__.SYMDEF SORTED\0\0\0\0"
                                           "table",
                                           25)) +
                 member("a.o/", "1")),
            "a.o=1");
  // They have contents in thin archives, too.
  EXPECT_EQ(list(Thin + member("/", "table") + member("//", "a.o/\n") +
                 header("/0", "5")),
            "a.o=");
}

TEST(Archive, NamesOfBSDMayBeginWithASlash) {
  EXPECT_EQ(list(Magic + member("#1/4", "/0:/contents")), "/0:/=contents");
}

TEST(Archive, LongNamesEndWithNewlineOrNul) {
  EXPECT_EQ(list(Magic +
                 member("//", StringRef("first/\nsecond\0third\n", 20)) +
                 member("/0", "1") + member("/7", "2") + member("/14", "3") +
                 member("/2", "4")),
            "first=1 second=2 third=3 rst=4");
}

TEST(Archive, LastMemberNeedsNoPadding) {
  std::string data = Magic + member("a.o/", "1");
  EXPECT_EQ(list(StringRef(data).drop_back()), "a.o=1");
}

TEST(ArchiveErrors, Headers) {
  std::string good = Magic + member("a.o/", "12");
  EXPECT_EQ(list(good + "\n"), "error: archive member at offset 0x46: header "
                               "of 60 bytes is cut off after 1 bytes");
  std::string bad = good;
  bad[8 + 58] = ' ';
  EXPECT_EQ(list(bad), "error: archive member at offset 0x8: header doesn't "
                       "end with a backquote and a newline");
}

TEST(ArchiveErrors, Sizes) {
  for (StringRef size : {"abc", "-1", "", "1x", "0x10", " 1"})
    EXPECT_EQ(list(Magic + header("a.o/", size) + "1234567890"),
              "error: archive member at offset 0x8: size '" + size.str() +
                  "' is not a number");
  EXPECT_EQ(list(Magic + header("a.o/", "11") + "1234567890"),
            "error: archive member at offset 0x8: size 11 extends past the end "
            "of the archive, which is 10 bytes ahead");
  EXPECT_EQ(list(Magic + header("a.o/", "9999999999") + "1234567890"),
            "error: archive member at offset 0x8: size 9999999999 extends past "
            "the end of the archive, which is 10 bytes ahead");
}

TEST(ArchiveErrors, LongNames) {
  EXPECT_EQ(list(Magic + member("/0", "")),
            "error: archive member at offset 0x8: name '/0' refers to a table "
            "of names, but none comes before it");
  std::string table = Magic + member("//", "a.o/\nb.o/");
  EXPECT_EQ(list(table + member("/9", "")),
            "error: archive member at offset 0x4e: name '/9' is outside the "
            "table of names of 9 bytes");
  EXPECT_EQ(list(table + member("/5", "")),
            "error: archive member at offset 0x4e: name '/5' does not end or "
            "is too long");
  for (StringRef name : {"/x", "/0:8", "/0:", "/-1", "/99999999999999"})
    EXPECT_NE(list(table + member(name, "")).find("error: "),
              std::string::npos);
  std::string longTable = Magic + member("//", std::string(5000, 'x') + "/\n");
  EXPECT_NE(list(longTable + member("/0", "")).find("too long"),
            std::string::npos);
}

TEST(ArchiveErrors, NamesOfBSD) {
  EXPECT_EQ(list(Magic + member("#1/", "1234")),
            "error: archive member at offset 0x8: name length '' is not a "
            "number");
  EXPECT_EQ(list(Magic + member("#1/5", "1234")),
            "error: archive member at offset 0x8: name length 5 is larger than "
            "the member of 4 bytes");
}

TEST(ArchiveErrors, ThinPaths) {
  EXPECT_EQ(list(Thin + header("", "4")),
            "error: archive member at offset 0x8: path of the file is empty");
  std::string table = Thin + member("//", "n.a/\n");
  for (StringRef name : {"/0:", "/0:7", "/0:x", "/0:8:8"})
    EXPECT_EQ(list(table + header(name, "4")),
              "error: archive member at offset 0x4a: name '" + name.str() +
                  "' is not understood");
}

TEST(ArchiveErrors, MemberAt) {
  std::string data = Magic + member("#1/3", "a.otext");
  EXPECT_EQ(*readArchiveMemberAt(MemoryBufferRef(data, "n.a"), 8), "text");
  EXPECT_EQ(message(readArchiveMemberAt(MemoryBufferRef(data, "n.a"), 9)),
            "archive member at offset 0x9: header doesn't end with a backquote "
            "and a newline");
  EXPECT_EQ(
      message(readArchiveMemberAt(MemoryBufferRef(data, "n.a"), 999)),
      "archive member at offset 0x3e7: header of 60 bytes is cut off after 0 "
      "bytes");
  EXPECT_EQ(message(readArchiveMemberAt(MemoryBufferRef(Thin, "n.a"), 8)),
            "not an archive that holds its members");
}

} // namespace
