//===- Zip.cpp - Members of wheels and other zip files --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Files.cpp reads wheels with these functions, and a wheel may come from
/// anybody. So readZipMembers() starts from the directory at the end, as the
/// format asks for, checks each offset, and refuses members that overlap, since
/// a small file could otherwise unpack to many times its size. openZipMember()
/// checks size and checksum of what it hands out. It writes deflated members to
/// an unnamed file and maps that, so a large one costs disk instead of memory,
/// and it asks beforehand whether there is room.
///
//===----------------------------------------------------------------------===//

#include "lld-cuda/Finished/Zip.h"
#include "lld-cuda/Object/Fatbin.h"
#include "lld-cuda/Support/UnnamedFile.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/Errno.h"
#include "llvm/Support/MathExtras.h"
#include <cerrno>
#include <limits>
#include <linux/magic.h>
#include <sys/vfs.h>
#include <unistd.h>
#include <zlib.h>

using namespace llvm;
using namespace llvm::support;

namespace lld::cuda {

namespace {

constexpr uint32_t LocalMagic = 0x04034b50, DirectoryMagic = 0x02014b50,
                   EndMagic = 0x06054b50, End64Magic = 0x06064b50,
                   Locator64Magic = 0x07064b50;
constexpr uint16_t Stored = 0, Deflated = 8;
constexpr uint16_t EncryptedFlag = 1, Zip64Tag = 1;

/// Before a member's data.
struct LocalHeader {
  ulittle32_t magic;
  ulittle16_t version, flags, method, time, date;
  ulittle32_t crc, packedSize, size;
  ulittle16_t nameSize, extraSize;
};
static_assert(sizeof(LocalHeader) == 30);

struct DirectoryEntry {
  ulittle32_t magic;
  ulittle16_t madeBy, version, flags, method, time, date;
  ulittle32_t crc, packedSize, size;
  ulittle16_t nameSize, extraSize, commentSize, disk, attributes;
  ulittle32_t externalAttributes, offset;
};
static_assert(sizeof(DirectoryEntry) == 46);

struct End {
  ulittle32_t magic;
  ulittle16_t disk, directoryDisk, countHere, count;
  ulittle32_t size, offset;
  ulittle16_t commentSize;
};
static_assert(sizeof(End) == 22);

struct Locator64 {
  ulittle32_t magic, disk;
  ulittle64_t offset; ///< Of End64.
  ulittle32_t disks;
};
static_assert(sizeof(Locator64) == 20);

struct End64 {
  ulittle32_t magic;
  ulittle64_t recordSize;
  ulittle16_t madeBy, version;
  ulittle32_t disk, directoryDisk;
  ulittle64_t countHere, count, size, offset;
};
static_assert(sizeof(End64) == 56);

Error damaged(const Twine &what) {
  return createStringError("damaged zip file: " + what);
}

/// The structure at `offset`, or null.
template <typename T>
const T *get(StringRef data, uint64_t offset, uint32_t magic) {
  if (offset > data.size() || data.size() - offset < sizeof(T) ||
      endian::read32le(data.data() + offset) != magic)
    return nullptr;
  return reinterpret_cast<const T *>(data.data() + offset);
}

struct Directory {
  uint64_t offset, count;
};

/// Finds the directory by the end record, which is the last thing in the file
/// except for a comment of at most 64 KB.
Expected<Directory> findDirectory(StringRef data) {
  constexpr uint64_t MaxComment = UINT16_MAX;
  const uint64_t size = data.size();
  for (uint64_t back = sizeof(End);
       back <= std::min(size, sizeof(End) + MaxComment); ++back) {
    const End *end = get<End>(data, size - back, EndMagic);
    if (!end || end->commentSize + sizeof(End) != back)
      continue;
    if (end->count != UINT16_MAX && end->offset != UINT32_MAX)
      return Directory{end->offset, end->count};
    if (size - back < sizeof(Locator64))
      return damaged("the 64-bit end of its directory is missing");
    auto *locator =
        get<Locator64>(data, size - back - sizeof(Locator64), Locator64Magic);
    if (!locator) // It has just that many members.
      return Directory{end->offset, end->count};
    auto *end64 = get<End64>(data, locator->offset, End64Magic);
    if (!end64)
      return damaged("the 64-bit end of its directory is missing");
    return Directory{end64->offset, end64->count};
  }
  return damaged("the end of its directory is missing");
}

/// A member's numbers. Those that don't fit into 32 bits are in an extra field,
/// in this order.
struct Sizes {
  uint64_t size, packedSize, offset;
};
Expected<Sizes> readSizes(const DirectoryEntry &entry, StringRef extra) {
  Sizes sizes = {entry.size, entry.packedSize, entry.offset};
  StringRef wide;
  while (extra.size() >= 4) {
    const uint16_t tag = endian::read16le(extra.data());
    StringRef field = extra.substr(4, endian::read16le(extra.data() + 2));
    if (tag == Zip64Tag)
      wide = field;
    extra = extra.drop_front(4 + field.size());
  }
  for (uint64_t *value : {&sizes.size, &sizes.packedSize, &sizes.offset}) {
    if (*value != UINT32_MAX)
      continue;
    if (wide.size() < sizeof(uint64_t))
      return damaged("a 64-bit size is missing");
    *value = endian::read64le(wide.data());
    wide = wide.drop_front(sizeof(uint64_t));
  }
  return sizes;
}

/// The member's bytes, which follow a header of their own.
Expected<StringRef> findData(StringRef file, const Sizes &sizes) {
  auto *local = get<LocalHeader>(file, sizes.offset, LocalMagic);
  if (!local)
    return damaged("a member is not where the directory says it is");
  const uint64_t at =
      sizes.offset + sizeof(LocalHeader) + local->nameSize + local->extraSize;
  if (at > file.size() || sizes.packedSize > file.size() - at)
    return damaged("a member is cut off");
  return file.substr(at, sizes.packedSize);
}

/// Inflates piece by piece.
class Inflater {
public:
  explicit Inflater(StringRef in) : in(in) {
    constexpr int RawDeflate = -MAX_WBITS;
    isOpen = inflateInit2(&stream, RawDeflate) == Z_OK;
  }
  ~Inflater() {
    if (isOpen)
      inflateEnd(&stream);
  }
  Inflater(const Inflater &) = delete;
  Inflater &operator=(const Inflater &) = delete;

  /// Fills `out` as far as there is something; nothing at the end, or where the
  /// stream is damaged.
  StringRef read(MutableArrayRef<char> out) {
    stream.next_out = reinterpret_cast<Bytef *>(out.data());
    stream.avail_out = out.size();
    while (isOpen && !isAtEnd && stream.avail_out) {
      if (!stream.avail_in) {
        StringRef piece = in.take_front(std::numeric_limits<uInt>::max());
        in = in.drop_front(piece.size());
        stream.next_in =
            reinterpret_cast<Bytef *>(const_cast<char *>(piece.data()));
        stream.avail_in = piece.size();
      }
      const int status = inflate(&stream, Z_NO_FLUSH);
      isAtEnd = status != Z_OK;
    }
    return StringRef(out.data(), out.size() - stream.avail_out);
  }

private:
  StringRef in;
  z_stream stream = {};
  bool isOpen = false, isAtEnd = false;
};

Error writeAll(int fd, StringRef bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(fd, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return createStringError("can't unpack it: " + sys::StrError(errno));
    bytes = bytes.drop_front(n);
  }
  return Error::success();
}

Error wrongContents() {
  return createStringError("damaged: its size or checksum is wrong");
}

/// Unpacks into a file.
Error inflateTo(int fd, const ZipMember &member) {
  std::vector<char> piece(1 << 20);
  Inflater inflater(member.data);
  uint64_t size = 0;
  uLong crc = 0;
  for (;;) {
    StringRef bytes = inflater.read(piece);
    if (bytes.empty())
      break;
    size += bytes.size();
    if (size > member.size)
      break;
    crc =
        crc32(crc, reinterpret_cast<const Bytef *>(bytes.data()), bytes.size());
    if (Error e = writeAll(fd, bytes))
      return e;
  }
  if (size != member.size || crc != member.crc)
    return wrongContents();
  return Error::success();
}

} // namespace

bool isZip(StringRef data) {
  return data.size() >= 4 && endian::read32le(data.data()) == LocalMagic;
}

Expected<std::vector<ZipMember>> readZipMembers(StringRef data) {
  Expected<Directory> directory = findDirectory(data);
  if (!directory)
    return directory.takeError();
  std::vector<ZipMember> members;
  uint64_t at = directory->offset;
  for (uint64_t i = 0; i != directory->count; ++i) {
    auto *entry = get<DirectoryEntry>(data, at, DirectoryMagic);
    if (!entry)
      return damaged("its directory is cut off");
    StringRef rest = data.drop_front(at + sizeof(DirectoryEntry));
    const uint64_t length =
        uint64_t(entry->nameSize) + entry->extraSize + entry->commentSize;
    if (length > rest.size())
      return damaged("its directory is cut off");
    StringRef name = rest.take_front(entry->nameSize);
    at += sizeof(DirectoryEntry) + length;
    if (name.ends_with("/"))
      continue;
    if (entry->flags & EncryptedFlag)
      return createStringError("'" + name + "' is encrypted");
    if (entry->method != Stored && entry->method != Deflated)
      return createStringError("'" + name + "' is neither stored nor deflated");
    Expected<Sizes> sizes =
        readSizes(*entry, rest.substr(name.size(), entry->extraSize));
    if (!sizes)
      return sizes.takeError();
    Expected<StringRef> bytes = findData(data, *sizes);
    if (!bytes)
      return bytes.takeError();
    members.push_back(
        {name.str(), entry->method, entry->crc, sizes->size, *bytes});
  }
  // Members that share bytes could be many times the file.
  std::vector<StringRef> order;
  order.reserve(members.size());
  for (const ZipMember &member : members)
    order.push_back(member.data);
  sort(order, [](StringRef a, StringRef b) { return a.data() < b.data(); });
  for (size_t i = 1; i < order.size(); ++i)
    if (order[i].data() < order[i - 1].end())
      return damaged("members overlap");
  return members;
}

std::string peekZipMember(const ZipMember &member, size_t count) {
  if (member.method == Stored)
    return member.data.take_front(count).str();
  std::string first(count, '\0');
  first.resize(Inflater(member.data).read({first.data(), count}).size());
  return first;
}

static std::string inMegabytes(uint64_t size) {
  return utostr(divideCeil(size, uint64_t(1) << 20)) + " MiB";
}

/// Whether the member may be unpacked into that file. Its size is only what it
/// claims, but no more than that is written.
static Error checkRoom(int fd, StringRef directory, uint64_t size,
                       std::optional<uint64_t> limit) {
  struct statfs system;
  const bool isKnown = ::fstatfs(fd, &system) == 0;
  if (!limit && isKnown &&
      (system.f_type == TMPFS_MAGIC || uint32_t(system.f_type) == RAMFS_MAGIC))
    limit = decompressLimit(); // That is memory.
  const std::string unpacks = "it unpacks to " + inMegabytes(size);
  if (limit && size > *limit)
    return createStringError(Twine(unpacks) + ", but only " +
                             inMegabytes(*limit) +
                             " are allowed; see --memory-limit");
  if (!isKnown)
    return Error::success();
  // Others need some of it, too.
  constexpr unsigned Share = 10;
  const uint64_t room = uint64_t(system.f_bavail) * system.f_bsize;
  if (size > room - room / Share)
    return createStringError(Twine(unpacks) + ", but " + directory +
                             " has room for only " + inMegabytes(room) +
                             "; set TMPDIR to another directory");
  return Error::success();
}

/// Writes the member to an unnamed file and maps that.
static Expected<std::unique_ptr<MemoryBuffer>>
inflateMember(int fd, StringRef folder, const ZipMember &member,
              std::optional<uint64_t> limit) {
  if (Error e = checkRoom(fd, folder, member.size, limit))
    return e;
  if (Error e = inflateTo(fd, member))
    return e;
  ErrorOr<std::unique_ptr<MemoryBuffer>> buffer =
      MemoryBuffer::getOpenFile(fd, member.name, member.size,
                                /*RequiresNullTerminator=*/false);
  if (!buffer)
    return errorCodeToError(buffer.getError());
  return std::move(*buffer);
}

Expected<std::unique_ptr<MemoryBuffer>>
openZipMember(const ZipMember &member, StringRef folder,
              std::optional<uint64_t> limit) {
  if (member.method == Stored) {
    if (member.data.size() != member.size ||
        crc32_z(0, reinterpret_cast<const Bytef *>(member.data.data()),
                member.data.size()) != member.crc)
      return wrongContents();
    return MemoryBuffer::getMemBuffer(member.data, member.name,
                                      /*RequiresNullTerminator=*/false);
  }
  int fd;
  if (std::error_code ec = openUnnamedFile(folder.str(), fd))
    return errorCodeToError(ec);
  Expected<std::unique_ptr<MemoryBuffer>> contents =
      inflateMember(fd, folder, member, limit);
  ::close(fd);
  return contents;
}

} // namespace lld::cuda
