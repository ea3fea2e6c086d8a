//===- ArchiveEditTest.cpp - Other contents for members ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lld-cuda/Object/ArchiveEdit.h"
#include "ArchiveTestUtils.h"
#include "ContainerTestUtils.h"
#include "lld-cuda/Object/Archive.h"
#include "llvm/ADT/StringExtras.h"

using namespace lld::cuda;
using namespace lld::cuda::test;
using llvm::MemoryBufferRef;
using llvm::StringRef;

namespace {

using Contents = std::vector<std::pair<uint64_t, std::string>>;

/// The archive with other contents of members at these offsets, or the error.
std::string edit(const std::string &archive, const Contents &contents) {
  std::vector<NewMemberContents> members;
  for (const auto &[offset, bytes] : contents)
    members.push_back({offset, {bytes.begin(), bytes.end()}});
  auto changes = replaceMembers(archive, members);
  if (!changes)
    return "error: " + llvm::toString(changes.takeError());
  std::string result;
  uint64_t at = 0;
  for (const Replacement &change : *changes) {
    EXPECT_LE(at, change.offset);
    result += archive.substr(at, change.offset - at);
    result.append(change.bytes.begin(), change.bytes.end());
    EXPECT_EQ(change.zeros, 0u);
    at = change.offset + change.size;
  }
  return result + archive.substr(at);
}

/// Numbers of `width` bytes.
std::string numbers(const std::vector<uint64_t> &values, unsigned width,
                    bool bigEndian) {
  std::string text;
  for (uint64_t value : values)
    append(text, value, width, bigEndian);
  return text;
}

std::string gnuTable(uint64_t a, uint64_t b) {
  return numbers({2, a, b}, 4, true) + std::string("f\0g\0", 4);
}

constexpr size_t Header = 60;

TEST(ArchiveEdit, NothingChangesWithoutMembers) {
  // Damage isn't looked for, either.
  EXPECT_EQ(edit(Magic + "damage", {}), Magic + "damage");
}

TEST(ArchiveEdit, SizesAndPaddingFollowContents) {
  const std::string a = member("a.o/", "12345"), b = member("b.o/", "12");
  const uint64_t first = Magic.size(), second = first + a.size();
  EXPECT_EQ(edit(Magic + a + b, {{first, "1"}}),
            Magic + member("a.o/", "1") + b);
  EXPECT_EQ(edit(Magic + a + b, {{first, ""}, {second, "1234567890123"}}),
            Magic + member("a.o/", "") + member("b.o/", "1234567890123"));
  // The last one's padding may be missing.
  EXPECT_EQ(edit((Magic + b + a).substr(0, first + a.size() + b.size() - 1),
                 {{first + b.size(), "abc"}}),
            Magic + b + member("a.o/", "abc"));
}

TEST(ArchiveEdit, OffsetsInTablesOfGnu) {
  const uint64_t first = Magic.size() + Header + gnuTable(0, 0).size();
  const std::string a = member("a.o/", "123456"), b = member("b.o/", "x");
  const uint64_t second = first + a.size();
  EXPECT_EQ(edit(Magic + member("/", gnuTable(second, first)) + a + b,
                 {{first, "12"}}),
            Magic + member("/", gnuTable(second - 4, first)) +
                member("a.o/", "12") + b);
  // 64 bits: the table is longer by a word for each number.
  auto wide = [](uint64_t offset) {
    return numbers({1, offset}, 8, true) + std::string("f\0", 2);
  };
  const uint64_t begin = Magic.size() + Header + wide(0).size();
  EXPECT_EQ(edit(Magic + member("/SYM64/", wide(begin + a.size())) + a + b,
                 {{begin, "12345678"}}),
            Magic + member("/SYM64/", wide(begin + a.size() + 2)) +
                member("a.o/", "12345678") + b);
}

// The names of symbols are in the second table once more, with numbers of
// members; the tables of names and of ARM64EC's symbols have no offsets.
TEST(ArchiveEdit, OffsetsInTablesOfWindows) {
  auto archive = [](uint64_t b, const std::string &contents) {
    const std::string end("\0\0g\0", 4);
    return Magic + member("/", numbers({1, b}, 4, true) + "g") +
           member("/", numbers({2, b, b, 1}, 4, false) + end) +
           member("//", "long name\n") + member("/<ECSYMBOLS>/", "12345678") +
           member("a.obj/", contents) + member("b.obj/", "x");
  };
  const std::string all = archive(0, "123456");
  const uint64_t b = all.size() - member("b.obj/", "x").size();
  const uint64_t a = b - member("a.obj/", "123456").size();
  EXPECT_EQ(edit(archive(b, "123456"), {{a, "1"}}), archive(b - 4, "1"));
}

// Members stay at multiples of 8, as Darwin's archives have them.
TEST(ArchiveEdit, OffsetsInTablesOfBsd) {
  auto archive = [](unsigned width, uint64_t b, const std::string &contents) {
    const std::string name =
        width == 8 ? "__.SYMDEF_64" : std::string("__.SYMDEF\0\0\0", 12);
    std::string table = numbers({2 * width, 0, b, 2}, width, false) + "g";
    table.push_back('\0');
    return Magic + member("#1/12", name + table) +
           member("#1/4", "a.o" + std::string(1, '\0') + contents) +
           member("#1/4", "b.o" + std::string(1, '\0') + "x");
  };
  for (unsigned width : {4, 8}) {
    const std::string all = archive(width, 0, std::string(40, 'a'));
    const uint64_t b = all.size() - (Header + 6);
    const uint64_t a = b - (Header + 44);
    EXPECT_EQ(edit(archive(width, b, std::string(40, 'a')), {{a, "123"}}),
              archive(width, b - 32, "123\n\n\n\n\n"));
  }
}

TEST(ArchiveEditErrors, SymbolTables) {
  const std::string a = member("a.o/", "123456");
  auto error = [&](const std::string &table) {
    const std::string front = Magic + member("/", table);
    return edit(front + a, {{front.size(), "1"}});
  };
  EXPECT_EQ(error("123"), "error: archive member at offset 0x8: the symbol "
                          "table is cut off");
  EXPECT_EQ(error(numbers({2, 0x50}, 4, true)),
            "error: archive member at offset 0x8: the symbol table is cut off, "
            "it has 2 entries");
  EXPECT_EQ(error(numbers({0xffffffff, 0x50}, 4, true)),
            "error: archive member at offset 0x8: the symbol table is cut off, "
            "it has 4294967295 entries");
  EXPECT_EQ(error(numbers({1, 0x51}, 4, true)),
            "error: archive member at offset 0x8: the symbol table has an "
            "entry for offset 0x51, where no member begins");
  // Tables of 64 bits, and the numbers that a DenseMap uses for itself.
  for (uint64_t offset : {~uint64_t(0), ~uint64_t(0) - 1})
    EXPECT_EQ(edit(Magic + member("/SYM64/", numbers({1, offset}, 8, true)) +
                       member("a.o/", "123456"),
                   {{Magic.size() + Header + 16, "1"}}),
              "error: archive member at offset 0x8: the symbol table has an "
              "entry for offset 0x" +
                  llvm::utohexstr(offset, /*LowerCase=*/true) +
                  ", where no member begins");
  // None is no damage.
  EXPECT_EQ(error(""), Magic + member("/", "") + member("a.o/", "1"));
}

TEST(ArchiveEditErrors, Members) {
  const std::string a = member("a.o/", "123456");
  EXPECT_EQ(edit(Magic + a, {{10, "1"}}),
            "error: archive member at offset 0xa: no member begins here");
  // A table is no member.
  EXPECT_EQ(edit(Magic + member("//", "a.o\n") + a, {{8, "1"}}),
            "error: archive member at offset 0x8: no member begins here");
  EXPECT_EQ(edit(Thin + a, {{8, "1"}}),
            "error: a thin archive has no contents of members");
  EXPECT_EQ(
      edit(Magic + a + "\n", {{8, "1"}}),
      "error: archive member at offset 0x4a: header of 60 bytes is cut off "
      "after 1 bytes");
}

} // namespace
