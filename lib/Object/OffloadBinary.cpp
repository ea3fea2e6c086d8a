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
constexpr uint32_t Version = 1;
constexpr size_t BinaryHeaderSize = 32, EntrySize = 40, StringEntrySize = 16;

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

Error readStrings(StringRef binary, uint64_t offset, uint64_t count,
                  OffloadImage &image) {
  if (count > binary.size() / StringEntrySize ||
      !isInside(offset, count * StringEntrySize, binary.size()))
    return malformed("{0} strings at {1:x} are outside the offloading binary "
                     "of {2:x} bytes",
                     count, offset, binary.size());
  for (uint64_t i = 0; i != count; ++i, offset += StringEntrySize) {
    Expected<StringRef> key =
        readString(binary, read64le(binary.data() + offset));
    if (!key)
      return key.takeError();
    if (*key != "triple" && *key != "arch")
      continue;
    Expected<StringRef> value =
        readString(binary, read64le(binary.data() + offset + 8));
    if (!value)
      return value.takeError();
    (*key == "arch" ? image.arch : image.triple) = *value;
  }
  return Error::success();
}

Expected<OffloadImage> readImage(StringRef binary) {
  const uint64_t at = read64le(binary.data() + 16);
  if (!isInside(at, EntrySize, binary.size()))
    return malformed("entry at {0:x} is outside the offloading binary of {1:x} "
                     "bytes",
                     at, binary.size());
  const char *entry = binary.data() + at;
  const uint64_t offset = read64le(entry + 24), size = read64le(entry + 32);
  if (!isInside(offset, size, binary.size()))
    return malformed("image at {0:x} of {1:x} bytes is outside the offloading "
                     "binary of {2:x} bytes",
                     offset, size, binary.size());
  OffloadImage image;
  image.kind = OffloadKind(read16le(entry));
  image.data = binary.substr(offset, size);
  if (Error e =
          readStrings(binary, read64le(entry + 8), read64le(entry + 16), image))
    return e;
  return image;
}

} // namespace

Expected<std::vector<OffloadImage>> readOffloadImages(StringRef section) {
  std::vector<OffloadImage> images;
  for (size_t at = 0; at < section.size();) {
    StringRef rest = section.drop_front(at);
    if (rest.size() < BinaryHeaderSize || !rest.starts_with(OffloadMagic) ||
        read32le(rest.data() + 4) != Version)
      return malformed("not an offloading binary of version {0} at {1:x}",
                       Version, at);
    const uint64_t size = read64le(rest.data() + 8);
    if (size < BinaryHeaderSize || size > rest.size())
      return malformed("offloading binary at {0:x} says that it has {1:x} "
                       "bytes, there are {2:x}",
                       at, size, rest.size());
    Expected<OffloadImage> image = readImage(rest.take_front(size));
    if (!image)
      return image.takeError();
    images.push_back(*image);
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
