//===- ArchiveEdit.cpp - Replaces the contents of members -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Lists the bytes of a static library that change when some of its members get
/// other contents. cubin-prune (PruneFile.cpp) calls replaceMembers() after it
/// has removed device code from members. Offsets in the archive's symbol tables
/// have to follow, because a table says for each symbol at which offset the
/// header of its member is. The dialects differ in how:
///  - GNU ("/", with 64 bits "/SYM64/") and Windows (a first "/"): the number
///    of symbols, an offset for each, their names; big-endian.
///  - Windows, a second "/": the number of members, an offset for each, then
///    symbols with numbers of members; little-endian.
///  - BSD ("__.SYMDEF", with 64 bits "__.SYMDEF_64"): the size of a list of
///    pairs, of which the second is an offset; little-endian.
/// Windows' other tables ("/<ECSYMBOLS>/") have numbers of members only.
///
//===----------------------------------------------------------------------===//

#include "lld-cuda/Object/ArchiveEdit.h"
#include "ArchiveParts.h"
#include "lld-cuda/Object/Archive.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <cstddef>
#include <optional>

using namespace llvm;

namespace lld::cuda {
namespace {

/// How a symbol table has its offsets.
struct TableFormat {
  unsigned width; ///< Bytes of a number.
  endianness order;
  bool hasPairs;

  uint64_t read(const char *at) const {
    return width == sizeof(uint64_t)
               ? support::endian::read<uint64_t>(at, order)
               : support::endian::read<uint32_t>(at, order);
  }
  void write(char *at, uint64_t value) const {
    if (width == sizeof(uint64_t))
      support::endian::write<uint64_t>(at, value, order);
    else
      support::endian::write<uint32_t>(at, value, order);
  }
};

/// Returns nothing for a table without offsets. `isSecond`: a table named "/"
/// came before.
std::optional<TableFormat> getFormat(StringRef name, bool isSecond) {
  if (name == "/")
    return TableFormat{4, isSecond ? endianness::little : endianness::big,
                       false};
  if (name == "/SYM64/")
    return TableFormat{8, endianness::big, false};
  if (name.starts_with("__.SYMDEF"))
    return TableFormat{name.starts_with("__.SYMDEF_64") ? 8u : 4u,
                       endianness::little, true};
  return std::nullopt;
}

class Editor {
public:
  Editor(StringRef archive, MutableArrayRef<NewMemberContents> members)
      : archive(archive), members(members) {}

  Expected<std::vector<Replacement>> run();

private:
  Error walk();
  Error replace(const RawMember &member, uint64_t nameLength,
                SmallVector<char, 0> contents);
  Error moveOffsets(const RawMember &table, TableFormat format);

  StringRef archive;
  MutableArrayRef<NewMemberContents> members;
  std::vector<Replacement> result;
  SmallVector<RawMember, 2> tables;
  DenseMap<uint64_t, uint64_t> newOffsets; ///< Of headers, by the old ones.
  int64_t growth = 0;                      ///< Of all that was replaced so far.
};

Error Editor::replace(const RawMember &member, uint64_t nameLength,
                      SmallVector<char, 0> contents) {
  // BSD's archives keep members at multiples of 8 by bytes that belong to them.
  constexpr uint64_t Align = 8;
  if (member.nameFromContents)
    contents.append((member.contents.size() - contents.size()) % Align, '\n');
  const uint64_t size = nameLength + contents.size();
  std::string field = utostr(size);
  if (field.size() > sizeof(MemberHeader::size))
    return malformedMember(member.offset,
                           "{0} bytes are too many for an archive", size);
  field.resize(sizeof(MemberHeader::size), ' ');
  result.push_back({member.offset + offsetof(MemberHeader, size), field.size(),
                    SmallVector<char, 0>(field.begin(), field.end())});
  const uint64_t begin = member.contents.data() - archive.data();
  const uint64_t end = std::min<uint64_t>(member.end(), archive.size());
  if (size % 2)
    contents.push_back('\n');
  growth += int64_t(contents.size()) - int64_t(end - begin);
  result.push_back({begin, end - begin, std::move(contents)});
  return Error::success();
}

Error Editor::walk() {
  NewMemberContents *next = members.begin();
  for (uint64_t at = StringRef("!<arch>\n").size(); at < archive.size();) {
    Expected<RawMember> member = readRawMember(archive, at);
    if (!member)
      return member.takeError();
    newOffsets[at] = at + growth;
    at = member->end();
    if (Error e = splitBSDName(*member))
      return e;
    if (member->isSymbolTable()) {
      tables.push_back(*member);
      continue;
    }
    if (member->isNameTable())
      continue;
    if (next == members.end() || next->offset != member->offset)
      continue;
    if (Error e = replace(*member, member->size - member->contents.size(),
                          std::move(next->contents)))
      return e;
    ++next;
  }
  if (next != members.end())
    return malformedMember(next->offset, "no member begins here");
  return Error::success();
}

Error Editor::moveOffsets(const RawMember &table, TableFormat format) {
  const StringRef old = table.contents;
  const uint64_t width = format.width;
  if (old.empty())
    return Error::success();
  if (old.size() < width)
    return malformedMember(table.offset, "the symbol table is cut off");
  const uint64_t stride = format.hasPairs ? 2 * width : width;
  uint64_t count = format.read(old.data());
  if (format.hasPairs)
    count /= stride;
  if (count > (old.size() - width) / stride)
    return malformedMember(
        table.offset, "the symbol table is cut off, it has {0} entries", count);
  SmallVector<char, 0> bytes(old.begin(), old.begin() + width + count * stride);
  for (uint64_t i = 1; i <= count; ++i) {
    char *at = bytes.data() + i * stride;
    const uint64_t offset = format.read(at);
    // A DenseMap has a use of its own for the two largest numbers.
    auto moved =
        offset < archive.size() ? newOffsets.find(offset) : newOffsets.end();
    if (moved == newOffsets.end())
      return malformedMember(table.offset,
                             "the symbol table has an entry for offset {0:x}, "
                             "where no member begins",
                             offset);
    if (width == sizeof(uint32_t) && !isUInt<32>(moved->second))
      return malformedMember(table.offset,
                             "the symbol table has 32 bits for an offset, and "
                             "the archive would be larger");
    format.write(at, moved->second);
  }
  result.push_back(
      {uint64_t(old.data() - archive.data()), bytes.size(), std::move(bytes)});
  return Error::success();
}

Expected<std::vector<Replacement>> Editor::run() {
  if (isThinArchive(archive))
    return malformed("a thin archive has no contents of members");
  if (members.empty())
    return std::vector<Replacement>();
  if (Error e = walk())
    return e;
  bool isSecond = false;
  for (const RawMember &table : tables) {
    std::optional<TableFormat> format = getFormat(table.name, isSecond);
    isSecond |= table.name == "/";
    if (!format)
      continue;
    if (Error e = moveOffsets(table, *format))
      return e;
  }
  sort(result, [](const Replacement &a, const Replacement &b) {
    return a.offset < b.offset;
  });
  return std::move(result);
}

} // namespace

Expected<std::vector<Replacement>>
replaceMembers(StringRef archive, MutableArrayRef<NewMemberContents> members) {
  return Editor(archive, members).run();
}

} // namespace lld::cuda
