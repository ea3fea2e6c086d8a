//===- Archive.cpp - Lists the members of static libraries ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Reads an archive's members, for the linker, which does so for each library
/// of a link (InputFiles.cpp, Libraries.cpp), and for the tools that look into
/// archives. An archive is a magic line, then members: a header of 60
/// characters and the contents, padded to an even offset. The dialects differ
/// in where a name is kept that doesn't fit into the header's 16 characters:
///  - GNU: in the member "//", names separated by newlines; the header says
///    "/offset". Short names end with a slash.
///  - BSD: in front of the contents; the header says "#1/length".
/// In a thin archive (GNU) the name is a path and the contents are elsewhere.
/// The callback `load` is called for each range of bytes before it is read: of
/// a large library, the linker loads only what it needs.
///
//===----------------------------------------------------------------------===//

#include "lld-cuda/Object/Archive.h"
#include "ArchiveParts.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace lld::cuda {

constexpr StringLiteral ArchiveMagic = "!<arch>\n";
constexpr StringLiteral ThinMagic = "!<thin>\n";
/// Names may be shared between members, so their length is bounded to keep the
/// copies in proportion to the file. It is the system's limit for a path.
constexpr size_t MaxNameLength = 4096;
/// So many bytes at the beginning of a member tell what it is.
constexpr size_t PeekSize = 64;

static std::optional<uint64_t> parseDecimal(StringRef text) {
  uint64_t value;
  if (text.getAsInteger(10, value))
    return std::nullopt;
  return value;
}

bool RawMember::isSymbolTable() const {
  return name == "/" || name == "/SYM64/" || name.starts_with("/<") ||
         name == "__.SYMDEF" || name == "__.SYMDEF SORTED" ||
         name == "__.SYMDEF_64" || name == "__.SYMDEF_64 SORTED";
}

uint64_t RawMember::end() const {
  return offset + alignTo(sizeof(MemberHeader) + size, 2);
}

Expected<RawMember> readRawMember(StringRef archive, uint64_t offset,
                                  ArchiveLoader load) {
  StringRef rest =
      archive.drop_front(std::min<uint64_t>(offset, archive.size()));
  if (load)
    load(rest.take_front(sizeof(MemberHeader) + PeekSize));
  if (rest.size() < sizeof(MemberHeader))
    return malformedMember(
        offset, "header of 60 bytes is cut off after {0} bytes", rest.size());
  auto &header = *reinterpret_cast<const MemberHeader *>(rest.data());
  RawMember member;
  member.offset = offset;
  member.name = StringRef(header.name, sizeof(header.name)).rtrim(' ');
  if (StringRef(header.end, sizeof(header.end)) != "`\n")
    return malformedMember(offset,
                           "header doesn't end with a backquote and a newline");
  StringRef field = StringRef(header.size, sizeof(header.size)).rtrim(' ');
  std::optional<uint64_t> size = parseDecimal(field);
  if (!size)
    return malformedMember(offset, "size '{0}' is not a number", field);
  // In a thin archive only the tables have their contents here.
  if (isThinArchive(archive) && !member.isNameTable() &&
      !member.isSymbolTable())
    size = 0;
  rest = rest.drop_front(sizeof(MemberHeader));
  if (*size > rest.size())
    return malformedMember(offset,
                           "size {0} extends past the end of the archive, "
                           "which is {1} bytes ahead",
                           *size, rest.size());
  member.size = *size;
  member.contents = rest.take_front(*size);
  return member;
}

Error splitBSDName(RawMember &member, ArchiveLoader load) {
  if (!member.name.consume_front("#1/"))
    return Error::success();
  std::optional<uint64_t> length = parseDecimal(member.name);
  if (!length)
    return malformedMember(member.offset, "name length '{0}' is not a number",
                           member.name);
  if (*length > member.contents.size())
    return malformedMember(
        member.offset, "name length {0} is larger than the member of {1} bytes",
        *length, member.contents.size());
  if (load)
    load(member.contents.take_front(*length + PeekSize));
  // Padded with NULs.
  member.name = member.contents.take_front(*length).split('\0').first;
  member.contents = member.contents.drop_front(*length);
  member.nameFromContents = true;
  return Error::success();
}

namespace {

class ArchiveReader {
public:
  ArchiveReader(MemoryBufferRef buffer, ArchiveLoader load)
      : data(buffer.getBuffer()), load(load), thin(data.starts_with(ThinMagic)),
        directory(sys::path::parent_path(buffer.getBufferIdentifier())) {}

  Error read();

  std::vector<ArchiveMember> members;

private:
  Expected<StringRef> lookUpLongName(const RawMember &member, StringRef field);
  Error addMember(const RawMember &raw);

  StringRef data;
  ArchiveLoader load;
  bool thin;
  StringRef directory;
  std::optional<StringRef> longNames;
};

Error ArchiveReader::read() {
  for (uint64_t offset = ArchiveMagic.size(); offset < data.size();) {
    Expected<RawMember> member = readRawMember(data, offset, load);
    if (!member)
      return member.takeError();
    offset = member->end();
    if (member->isNameTable()) {
      if (load)
        load(member->contents);
      longNames = member->contents;
      continue;
    }
    if (!thin)
      if (Error error = splitBSDName(*member, load))
        return error;
    if (!member->isSymbolTable())
      if (Error error = addMember(*member))
        return error;
  }
  return Error::success();
}

/// The name at `field`, a decimal offset into the table of names.
Expected<StringRef> ArchiveReader::lookUpLongName(const RawMember &member,
                                                  StringRef field) {
  std::optional<uint64_t> offset = parseDecimal(field);
  if (!offset)
    return malformedMember(member.offset, "name '{0}' is not understood",
                           member.name);
  if (!longNames)
    return malformedMember(
        member.offset,
        "name '{0}' refers to a table of names, but none comes before it",
        member.name);
  if (*offset >= longNames->size())
    return malformedMember(
        member.offset, "name '{0}' is outside the table of names of {1} bytes",
        member.name, longNames->size());
  StringRef name = longNames->substr(*offset);
  // Windows' names end with a NUL instead.
  size_t end =
      name.take_front(MaxNameLength + 2).find_first_of(StringRef("\n\0", 2));
  if (end == StringRef::npos)
    return malformedMember(
        member.offset, "name '{0}' does not end or is too long", member.name);
  name = name.take_front(end);
  name.consume_back("/");
  return name;
}

Error ArchiveReader::addMember(const RawMember &raw) {
  ArchiveMember member;
  member.offset = raw.offset;
  member.data = raw.contents;
  StringRef name = raw.name;
  if (raw.nameFromContents) {
    // A BSD name needs no more work.
  } else if (name.consume_front("/")) {
    // GNU ar writes "/name:offset" for a member of an archive that it took
    // apart to put its members into a thin one.
    auto [nameField, nestedField] = name.split(':');
    Expected<StringRef> longName = lookUpLongName(raw, nameField);
    if (!longName)
      return longName.takeError();
    if (nameField.size() != name.size()) {
      std::optional<uint64_t> nested = parseDecimal(nestedField);
      if (!thin || !nested || *nested < ArchiveMagic.size())
        return malformedMember(raw.offset, "name '{0}' is not understood",
                               raw.name);
      member.thinOffset = *nested;
    }
    name = *longName;
  } else {
    name.consume_back("/");
  }
  member.name = name.str();
  if (thin) {
    if (name.empty())
      return malformedMember(raw.offset, "path of the file is empty");
    SmallString<128> path;
    if (!sys::path::is_absolute(name))
      path = directory;
    sys::path::append(path, name);
    member.thinPath = std::string(path);
  }
  members.push_back(std::move(member));
  return Error::success();
}

} // namespace

bool isArchive(StringRef data) {
  return data.starts_with(ArchiveMagic) || data.starts_with(ThinMagic);
}

bool isThinArchive(StringRef data) { return data.starts_with(ThinMagic); }

Expected<std::vector<ArchiveMember>> readArchiveMembers(MemoryBufferRef buffer,
                                                        ArchiveLoader load) {
  if (!isArchive(buffer.getBuffer()))
    return malformed("not an archive");
  ArchiveReader reader(buffer, load);
  if (Error error = reader.read())
    return error;
  return std::move(reader.members);
}

Expected<StringRef> readArchiveMemberAt(MemoryBufferRef buffer, uint64_t offset,
                                        ArchiveLoader load) {
  if (!buffer.getBuffer().starts_with(ArchiveMagic))
    return malformed("not an archive that holds its members");
  Expected<RawMember> member = readRawMember(buffer.getBuffer(), offset, load);
  if (!member)
    return member.takeError();
  if (Error error = splitBSDName(*member, load))
    return error;
  return member->contents;
}

} // namespace lld::cuda
