//===- OffloadBinary.cpp - Device code from clang's offloading ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The linker (Input/UnpackFiles.cpp) and the tools (Finished/Images.cpp) read
/// clang's offload binaries with readOffloadImages(). A host's linker joins the
/// sections of its inputs, so one section may have several binaries, with zeros
/// in front of those that it has aligned. Of an image's strings only "triple"
/// and "arch" are read. A string may have 1024 characters at most, since
/// thousands of entries may refer to one long string.
///
//===----------------------------------------------------------------------===//

#include "lld-cuda/Object/OffloadBinary.h"
#include "ObjectError.h"
#include "llvm/Support/Endian.h"
#include <algorithm>

using namespace llvm;
using support::endian::read16le;
using support::endian::read32le;
using support::endian::read64le;

namespace lld::cuda {

namespace {

constexpr StringLiteral OffloadMagic("\x10\xff\x10\xad");
constexpr size_t EntrySize = 40;
constexpr uint32_t NewestVersion = 3;
/// Returns the size in bytes of a binary's header. Version 3 adds the size of
/// what is compressed.
constexpr size_t headerSize(uint32_t version) { return version < 3 ? 32 : 40; }
/// Returns the size in bytes of a pair of strings: the offsets of key and
/// value, and from version 2 on the length of the value.
constexpr size_t stringEntrySize(uint32_t version) {
  return version == 1 ? 16 : 24;
}

/// A binary whose header is checked.
struct Binary {
  StringRef contents;
  uint32_t version;
  /// What the entries that are still to be read may have together. Files that
  /// compilers write share nothing; without these limits a small one could ask
  /// for time and memory without end.
  uint64_t stringsLeft, bytesLeft;
};

/// A string of a binary, up to its NUL. The limit is there because thousands
/// of entries may refer to one string.
Expected<StringRef> readString(StringRef binary, uint64_t offset) {
  constexpr size_t MaxLength = 1024;
  StringRef rest = binary.substr(offset, MaxLength + 1);
  if (size_t end = rest.find('\0'); end != StringRef::npos)
    return rest.take_front(end);
  if (rest.size() > MaxLength)
    return malformed("string at {0:x} of the offloading binary has more than "
                     "{1} bytes",
                     offset, MaxLength);
  return malformed("string at {0:x} is outside the offloading binary of {1:x} "
                   "bytes",
                   offset, binary.size());
}

/// The value that belongs to the key at `entry`.
Expected<StringRef> readValue(const Binary &binary, const char *entry) {
  const uint64_t offset = read64le(entry + 8);
  Expected<StringRef> value = readString(binary.contents, offset);
  if (!value || binary.version == 1 || value->size() == read64le(entry + 16))
    return value;
  return malformed("string at {0:x} of the offloading binary hasn't {1} bytes",
                   offset, read64le(entry + 16));
}

Error readStrings(Binary &binary, uint64_t offset, uint64_t count,
                  OffloadImage &image) {
  const size_t entrySize = stringEntrySize(binary.version);
  const uint64_t size = binary.contents.size();
  if (count > size / entrySize || !isInside(offset, count * entrySize, size))
    return malformed("{0} strings at {1:x} are outside the offloading binary "
                     "of {2:x} bytes",
                     count, offset, size);
  if (count > binary.stringsLeft)
    return malformed("images of the offloading binary share their strings");
  binary.stringsLeft -= count;
  for (uint64_t i = 0; i != count; ++i, offset += entrySize) {
    const char *entry = binary.contents.data() + offset;
    Expected<StringRef> key = readString(binary.contents, read64le(entry));
    if (!key)
      return key.takeError();
    if (*key != "triple" && *key != "arch")
      continue;
    Expected<StringRef> value = readValue(binary, entry);
    if (!value)
      return value.takeError();
    (*key == "arch" ? image.arch : image.triple) = *value;
  }
  return Error::success();
}

/// Reads the image whose entry is at `at`.
Expected<OffloadImage> readImage(Binary &binary, uint64_t at) {
  const char *entry = binary.contents.data() + at;
  const uint64_t offset = read64le(entry + 24), size = read64le(entry + 32);
  if (!isInside(offset, size, binary.contents.size()))
    return malformed("image at {0:x} of {1:x} bytes is outside the offloading "
                     "binary of {2:x} bytes",
                     offset, size, binary.contents.size());
  if (size > binary.bytesLeft)
    return malformed("images of the offloading binary overlap");
  binary.bytesLeft -= size;
  OffloadImage image;
  image.kind = OffloadKind(read16le(entry));
  image.data = binary.contents.substr(offset, size);
  if (Error e =
          readStrings(binary, read64le(entry + 8), read64le(entry + 16), image))
    return e;
  return image;
}

/// Adds the images of a binary. Version 1 has one.
Error readImages(StringRef contents, uint32_t version,
                 std::vector<OffloadImage> &images) {
  Binary binary{contents, version, contents.size() / stringEntrySize(version),
                contents.size()};
  const uint64_t at = read64le(contents.data() + 16);
  const uint64_t count = version == 1 ? 1 : read64le(contents.data() + 24);
  if (count > contents.size() / EntrySize ||
      !isInside(at, count * EntrySize, contents.size()))
    return malformed("entry at {0:x} is outside the offloading binary of {1:x} "
                     "bytes",
                     at, contents.size());
  for (uint64_t i = 0; i != count; ++i) {
    Expected<OffloadImage> image = readImage(binary, at + i * EntrySize);
    if (!image)
      return image.takeError();
    images.push_back(*image);
  }
  return Error::success();
}

} // namespace

Expected<std::vector<OffloadImage>> readOffloadImages(StringRef section) {
  std::vector<OffloadImage> images;
  for (size_t at = 0; at < section.size();) {
    StringRef rest = section.drop_front(at);
    if (rest.size() < headerSize(1) || !rest.starts_with(OffloadMagic))
      return malformed("not an offloading binary at {0:x}", at);
    const uint32_t version = read32le(rest.data() + 4);
    if (version < 1 || version > NewestVersion)
      return malformed("offloading binary at {0:x} has version {1}; versions 1 "
                       "to {2} are known",
                       at, version, NewestVersion);
    const uint64_t size = read64le(rest.data() + 8);
    if (size < headerSize(version) || size > rest.size())
      return malformed("offloading binary at {0:x} says that it has {1:x} "
                       "bytes, there are {2:x}",
                       at, size, rest.size());
    if (version >= 3 && read64le(rest.data() + 32))
      return malformed("offloading binary at {0:x} is compressed; only "
                       "uncompressed ones can be read",
                       at);
    if (Error e = readImages(rest.take_front(size), version, images))
      return e;
    // Linkers align the next one with zeros.
    at = std::min(section.find_first_not_of('\0', at + size), section.size());
  }
  return images;
}

bool isOffloadBinary(StringRef data) { return data.starts_with(OffloadMagic); }

bool isBitcode(StringRef data) {
  return data.starts_with("BC\xC0\xDE") || data.starts_with("\xDE\xC0\x17\x0B");
}

} // namespace lld::cuda
