//===- Archive.cpp - Members of static libraries ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// An archive is a magic line, then members: a header of 60 characters and the
/// contents, padded to an even offset. The dialects differ in where a name is
/// kept that doesn't fit into the header's 16 characters:
///  - GNU: in the member "//", names separated by newlines; the header says
///    "/offset". Short names end with a slash.
///  - BSD: in front of the contents; the header says "#1/length".
/// In a thin archive (GNU) the name is a path and the contents are elsewhere.
///
//===----------------------------------------------------------------------===//

#include "lld-cuda/Object/Archive.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace lld::cuda {

namespace {

constexpr StringLiteral ArchiveMagic = "!<arch>\n";
constexpr StringLiteral ThinMagic = "!<thin>\n";
/// Names may be shared between members, so their length is bounded to keep the
/// copies in proportion to the file. It is the system's limit for a path.
constexpr size_t MaxNameLength = 4096;

struct MemberHeader {
  char name[16];
  char date[12];
  char user[6];
  char group[6];
  char mode[8];
  char size[10];
  char end[2];
};
static_assert(sizeof(MemberHeader) == 60);

Error fail(const Twine &message) {
  return createStringError(inconvertibleErrorCode(), message);
}

class ArchiveReader {
public:
  explicit ArchiveReader(MemoryBufferRef buffer)
      : data(buffer.getBuffer()), thin(data.starts_with(ThinMagic)),
        directory(sys::path::parent_path(buffer.getBufferIdentifier())) {}

  Error read() {
    while (position < data.size())
      if (Error error = readMember())
        return error;
    return Error::success();
  }

  std::vector<ArchiveMember> members;

private:
  Error failMember(const Twine &message) {
    return fail("archive member at offset 0x" +
                utohexstr(position, /*LowerCase=*/true) + ": " + message);
  }

  Error readMember();
  Expected<StringRef> lookUpLongName(StringRef offset);
  Error addMember(StringRef name, StringRef contents);

  StringRef data;
  bool thin;
  StringRef directory;
  uint64_t position = ArchiveMagic.size(); ///< Of the current header.
  std::optional<StringRef> longNames;
};

/// Symbol tables of GNU ("/", "/SYM64/"), BSD and Darwin. Windows' "/<...>/"
/// are of the same sort.
bool isSymbolTable(StringRef name) {
  return name == "/" || name == "/SYM64/" || name.starts_with("/<") ||
         name == "__.SYMDEF" || name == "__.SYMDEF SORTED" ||
         name == "__.SYMDEF_64" || name == "__.SYMDEF_64 SORTED";
}

Error ArchiveReader::readMember() {
  StringRef rest = data.substr(position);
  if (rest.size() < sizeof(MemberHeader))
    return failMember("header of 60 bytes is cut after " + Twine(rest.size()) +
                      " bytes");
  auto &header = *reinterpret_cast<const MemberHeader *>(rest.data());
  StringRef name = StringRef(header.name, sizeof(header.name)).rtrim(' ');
  StringRef sizeField = StringRef(header.size, sizeof(header.size)).rtrim(' ');
  if (StringRef(header.end, sizeof(header.end)) != "`\n")
    return failMember("header doesn't end with a backquote and a newline");
  uint64_t size;
  if (sizeField.empty() || !all_of(sizeField, isDigit) ||
      sizeField.getAsInteger(10, size))
    return failMember("size '" + sizeField + "' is not a number");
  rest = rest.drop_front(sizeof(MemberHeader));

  // In a thin archive only the tables have their contents here.
  bool isTable = name == "//" || isSymbolTable(name);
  uint64_t stored = thin && !isTable ? 0 : size;
  if (stored > rest.size())
    return failMember("size " + Twine(size) +
                      " extends past the end of the archive, which is " +
                      Twine(rest.size()) + " bytes ahead");
  StringRef contents = rest.take_front(stored);
  if (name == "//")
    longNames = contents;
  else if (!isTable)
    if (Error error = addMember(name, contents))
      return error;
  position += alignTo(sizeof(MemberHeader) + stored, 2);
  return Error::success();
}

Expected<StringRef> ArchiveReader::lookUpLongName(StringRef field) {
  uint64_t offset;
  if (!all_of(field, isDigit) || field.getAsInteger(10, offset))
    return failMember("name '/" + field + "' is not understood");
  if (!longNames)
    return failMember("name '/" + field +
                      "' refers to a table of names, but none comes before it");
  if (offset >= longNames->size())
    return failMember("name '/" + field +
                      "' is outside the table of names of " +
                      Twine(longNames->size()) + " bytes");
  StringRef name = longNames->substr(offset);
  // Windows' names end with a NUL instead.
  size_t end =
      name.take_front(MaxNameLength + 2).find_first_of(StringRef("\n\0", 2));
  if (end == StringRef::npos)
    return failMember("name '/" + field + "' does not end or is too long");
  name = name.take_front(end);
  name.consume_back("/");
  return name;
}

Error ArchiveReader::addMember(StringRef name, StringRef contents) {
  ArchiveMember member;
  member.offset = position;
  if (!thin && name.consume_front("#1/")) {
    uint64_t length;
    if (name.empty() || !all_of(name, isDigit) || name.getAsInteger(10, length))
      return failMember("name length '" + name + "' is not a number");
    if (length > contents.size())
      return failMember("name length " + Twine(length) +
                        " is larger than the member of " +
                        Twine(contents.size()) + " bytes");
    name = contents.take_front(length).rtrim('\0');
    contents = contents.drop_front(length);
    if (isSymbolTable(name))
      return Error::success();
  } else if (name.consume_front("/")) {
    Expected<StringRef> longName = lookUpLongName(name);
    if (!longName)
      return longName.takeError();
    name = *longName;
  } else {
    name.consume_back("/");
  }
  member.name = name.str();
  member.data = contents;
  if (thin) {
    if (name.empty())
      return failMember("path of the file is empty");
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

Expected<std::vector<ArchiveMember>>
readArchiveMembers(MemoryBufferRef buffer) {
  if (!isArchive(buffer.getBuffer()))
    return fail("no archive");
  ArchiveReader reader(buffer);
  if (Error error = reader.read())
    return error;
  return std::move(reader.members);
}

} // namespace lld::cuda
