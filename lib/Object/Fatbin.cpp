//===- Fatbin.cpp - Reads a fatbin, chooses an entry ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Reads the entries of a fatbin, and chooses the one that a link takes. The
/// linker calls FatbinReader::create() for each fatbin in its inputs and then
/// chooseFatbinEntry() (UnpackFiles.cpp); the tools list all entries. A cubin
/// for the link's own architecture is preferred to PTX, which would have to be
/// compiled [fatbin-choice]. nvlink trusts all sizes in a fatbin and loops or
/// crashes on damaged ones; this reader takes a step only after it has checked
/// that the step stays inside the fatbin, and every step is at least an entry
/// header long.
///
//===----------------------------------------------------------------------===//

#include "lld-cuda/Object/Fatbin.h"
#include "ObjectError.h"
#include "lld-cuda/Object/Compat.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"
#include <tuple>

using namespace llvm;
using namespace llvm::support;

namespace lld::cuda {

namespace {

struct FatbinHeader {
  ulittle32_t magic;
  ulittle16_t version;
  ulittle16_t headerSize;
  ulittle64_t size; ///< Of all entries.
};
static_assert(sizeof(FatbinHeader) == 16);

struct EntryHeader {
  ulittle16_t kind;
  ulittle16_t version;
  ulittle32_t headerSize; ///< With the extensions.
  ulittle64_t payloadSize;
  ulittle32_t compressedSize;
  ulittle32_t optionsOffset; ///< From the entry's start; 0: none.
  ulittle16_t versionMinor;
  ulittle16_t versionMajor;
  ulittle32_t smNumber;
  ulittle32_t identifierOffset; ///< From the entry's start; 0: none.
  ulittle32_t identifierLength;
  ulittle64_t flags;
  ulittle64_t key;
  ulittle64_t uncompressedSize;
};
static_assert(sizeof(EntryHeader) == 64);

/// Tells where the options' text of an entry is.
struct OptionsHeader {
  ulittle32_t offset; ///< From the entry's start.
  ulittle32_t length; ///< Without the NUL.
};

/// Cubins for Mercury architectures have a copy of .nv.compat in place of
/// options, after a byte that is 0. Returns an empty string if anything about
/// the copy is wrong.
StringRef readCompat(StringRef bytes, uint32_t at) {
  if (!at || !isInside(at, sizeof(OptionsHeader), bytes.size()))
    return {};
  auto *text = reinterpret_cast<const OptionsHeader *>(bytes.data() + at);
  uint32_t offset = text->offset, length = text->length;
  if (!isInside(offset, uint64_t(length) + 1, bytes.size()) || bytes[offset])
    return {};
  return bytes.substr(offset + 1, length);
}

/// Sets identifier and options. `bytes` is the entry header with its
/// extensions.
Error readExtensions(const EntryHeader &header, StringRef bytes,
                     FatbinEntry &entry) {
  uint32_t identifier = header.identifierOffset;
  if (identifier) {
    uint32_t length = header.identifierLength;
    if (!isInside(identifier, length, bytes.size()))
      return malformed("identifier at {0:x} of length {1:x} is outside the "
                       "header of {2:x} bytes",
                       identifier, length, bytes.size());
    entry.identifier = bytes.substr(identifier, length);
  }

  uint32_t options = header.optionsOffset;
  if (entry.kind == FatbinKind::ELF) {
    entry.compat = readCompat(bytes, options);
    return Error::success();
  }
  if (!options)
    return Error::success();
  if (!isInside(options, sizeof(OptionsHeader), bytes.size()))
    return malformed("options at {0:x} are outside the header of {1:x} bytes",
                     options, bytes.size());
  auto *text = reinterpret_cast<const OptionsHeader *>(bytes.data() + options);
  uint32_t offset = text->offset, length = text->length;
  if (!isInside(offset, length, bytes.size()))
    return malformed("text of the options at {0:x} of length {1:x} is outside "
                     "the header of {2:x} bytes",
                     offset, length, bytes.size());
  entry.options = bytes.substr(offset, length).split('\0').first;
  return Error::success();
}

bool hasKnownExtensions(FatbinKind kind) {
  return kind == FatbinKind::PTX || kind == FatbinKind::ELF ||
         kind == FatbinKind::LTOIR;
}

elf::Architecture getArchitecture(uint16_t number, uint64_t flags) {
  elf::Architecture arch;
  arch.number = number;
  if (flags & FATBIN_ACCELERATED)
    arch.suffix = elf::Architecture::Accelerated;
  else if (flags & FATBIN_FAMILY)
    arch.suffix = elf::Architecture::Family;
  return arch;
}

/// Reads the entry at the start of `data`, which ends with the fatbin. Returns
/// the length of header and payload.
Expected<uint64_t> readEntry(StringRef data, FatbinEntry &entry) {
  if (data.size() < sizeof(EntryHeader))
    return malformed(
        "entry header of 64 bytes is cut off: the fatbin ends after {0} bytes",
        data.size());
  auto &header = *reinterpret_cast<const EntryHeader *>(data.data());
  uint64_t headerSize = header.headerSize, payloadSize = header.payloadSize;
  if (headerSize < sizeof(EntryHeader))
    return malformed("header size {0} is less than 64", headerSize);
  if (headerSize > data.size())
    return malformed("header of {0:x} bytes extends past the end of the "
                     "fatbin, which is {1:x} bytes ahead",
                     headerSize, data.size());
  uint64_t left = data.size() - headerSize;
  if (payloadSize > left)
    return malformed("payload of {0:x} bytes extends past the end of the "
                     "fatbin, which is {1:x} bytes ahead",
                     payloadSize, left);
  if (header.smNumber > UINT16_MAX)
    return malformed("architecture number {0} is out of range",
                     uint32_t(header.smNumber));

  entry.kind = FatbinKind(uint16_t(header.kind));
  entry.arch = getArchitecture(header.smNumber, header.flags);
  entry.flags = header.flags;
  entry.versionMajor = header.versionMajor;
  entry.versionMinor = header.versionMinor;
  entry.payload = data.substr(headerSize, payloadSize);
  entry.uncompressedSize = payloadSize;
  if (entry.isCompressed()) {
    uint32_t compressedSize = header.compressedSize;
    if (compressedSize > payloadSize)
      return malformed("compressed size {0:x} is larger than the payload of "
                       "{1:x} bytes",
                       compressedSize, payloadSize);
    entry.payload = entry.payload.take_front(compressedSize);
    entry.uncompressedSize = header.uncompressedSize;
  }
  if (hasKnownExtensions(entry.kind))
    if (Error error =
            readExtensions(header, data.take_front(headerSize), entry))
      return error;
  return headerSize + payloadSize;
}

/// The second header of a concatenated entry, after which descriptions of the
/// images follow.
struct ConcatenatedHeader {
  ulittle32_t count;
  ulittle32_t tableSize; ///< nvlink doesn't look at it, nor do we.
};

/// The length of an image's description: an entry header, and after it the
/// identifier and the options or the copy of .nv.compat, each with a NUL.
uint64_t getDescriptionSize(const EntryHeader &header, StringRef table) {
  constexpr uint64_t Align = 8;
  uint64_t size = sizeof(EntryHeader);
  if (uint64_t at = header.identifierOffset)
    size = std::max(size, alignTo(at + header.identifierLength + 1, Align));
  const uint64_t options = header.optionsOffset;
  if (!options || !isInside(options, sizeof(OptionsHeader), table.size()))
    return size;
  auto *text = reinterpret_cast<const OptionsHeader *>(table.data() + options);
  return std::max(size,
                  alignTo(uint64_t(text->offset) + text->length + 1, Align));
}

/// The images of a concatenated entry, an entry each. `bytes` is the entry's
/// header with its extensions.
Error readConcatenated(StringRef bytes, const FatbinEntry &container,
                       std::vector<FatbinEntry> &list) {
  constexpr uint64_t tableOffset =
      sizeof(EntryHeader) + sizeof(ConcatenatedHeader);
  if (bytes.size() < tableOffset)
    return malformed("header of {0:x} bytes is too small for a table of images",
                     bytes.size());
  if (!container.isCompressed())
    return malformed("concatenated images are not compressed");
  auto &head = *reinterpret_cast<const ConcatenatedHeader *>(
      bytes.data() + sizeof(EntryHeader));
  StringRef table = bytes.drop_front(tableOffset);
  for (uint32_t i = 0, count = head.count; i != count; ++i) {
    if (table.size() < sizeof(EntryHeader))
      return malformed("image {0} of {1}: its description is outside the "
                       "header of {2:x} bytes",
                       i, count, bytes.size());
    auto &header = *reinterpret_cast<const EntryHeader *>(table.data());
    FatbinEntry image = container;
    image.imageOffset = header.headerSize;
    image.imageSize = header.payloadSize;
    image.isConcatenated = true;
    if (!isInside(image.imageOffset, image.imageSize,
                  container.uncompressedSize))
      return malformed("image {0} at {1:x} of {2:x} bytes is outside the {3:x} "
                       "bytes of all images",
                       i, image.imageOffset, image.imageSize,
                       container.uncompressedSize);
    if (header.smNumber > UINT16_MAX)
      return malformed("image {0}: architecture number {1} is out of range", i,
                       uint32_t(header.smNumber));
    image.kind = FatbinKind(uint16_t(header.kind));
    image.arch = getArchitecture(header.smNumber, header.flags);
    image.flags = (header.flags & ~uint64_t(FATBIN_COMPRESSED)) |
                  (container.flags & FATBIN_COMPRESSED);
    image.versionMajor = header.versionMajor;
    image.versionMinor = header.versionMinor;
    const uint64_t size = getDescriptionSize(header, table);
    if (size > table.size())
      return malformed("image {0}: its description of {1:x} bytes is outside "
                       "the header of {2:x} bytes",
                       i, size, bytes.size());
    if (hasKnownExtensions(image.kind))
      if (Error error = readExtensions(header, table.take_front(size), image))
        return error;
    image.description = table.take_front(size);
    list.push_back(image);
    table = table.drop_front(size);
  }
  return Error::success();
}

} // namespace

Expected<uint64_t> getFatbinSize(StringRef data) {
  if (data.size() < sizeof(FatbinHeader))
    return malformed("fatbin header of 16 bytes is cut off after {0} bytes",
                     data.size());
  auto &header = *reinterpret_cast<const FatbinHeader *>(data.data());
  uint32_t magic = header.magic;
  uint16_t version = header.version, headerSize = header.headerSize;
  uint64_t size = header.size;
  if (magic != FatbinMagic)
    return malformed("not a fatbin: magic is {0:x} instead of {1:x}", magic,
                     FatbinMagic);
  if (version != 1)
    return malformed("fatbin version {0} is unknown; it should be 1", version);
  if (headerSize < sizeof(FatbinHeader))
    return malformed("fatbin header size {0} is less than 16", headerSize);
  if (!isInside(headerSize, size, data.size()))
    return malformed("fatbin header of {0:x} bytes and entries of {1:x} bytes "
                     "extend past the end of the data of {2:x} bytes",
                     headerSize, size, data.size());
  return headerSize + size;
}

/// An entry's header, which has been read, with its extensions.
static StringRef getHeader(StringRef data, uint64_t offset) {
  auto *header = reinterpret_cast<const EntryHeader *>(data.data() + offset);
  return data.substr(offset, header->headerSize);
}

Expected<FatbinReader> FatbinReader::create(StringRef data) {
  Expected<uint64_t> size = getFatbinSize(data);
  if (!size)
    return size.takeError();
  FatbinReader reader;
  reader.bytes = *size;
  data = data.take_front(*size);
  uint64_t offset =
      reinterpret_cast<const FatbinHeader *>(data.data())->headerSize;
  while (offset < data.size()) {
    FatbinEntry entry = {};
    entry.offset = offset;
    auto damaged = [&](Error e) {
      return malformed("entry {0} at offset {1:x}: {2}", reader.list.size(),
                       offset, toString(std::move(e)));
    };
    Expected<uint64_t> length = readEntry(data.substr(offset), entry);
    if (!length)
      return damaged(length.takeError());
    if (entry.kind != FatbinKind::Concatenated)
      reader.list.push_back(entry);
    else if (Error e =
                 readConcatenated(getHeader(data, offset), entry, reader.list))
      return damaged(std::move(e));
    offset += *length;
  }
  return reader;
}

/// Whether a copy of .nv.compat allows that the finalizer makes code for
/// another architecture of the family. (Every value of every byte of it was
/// tried, with images for 100 and 120.)
static bool allowsFamily(StringRef compat) {
  bool hasClass = false, isAllowed = true;
  consumeError(forEachNvInfoRecord(
      arrayRefFromStringRef(compat), [&](size_t, const NvInfoRecord &r) {
        const uint8_t value = r.value;
        if (r.code == COMPAT_CUDA_ACCELERATOR_TARGET)
          isAllowed &= value == 0;
        if (r.code == COMPAT_ISA_CLASS) {
          hasClass = true;
          isAllowed &= value == 1 || value == 2;
        }
        return Error::success();
      }));
  return hasClass && isAllowed;
}

/// Whether a cubin in a fatbin can be linked for `target`. For another number
/// than its own it needs what a bare cubin needs, and nvlink looks for that in
/// the entry, not in the cubin [fatbin-family-cubin].
static bool isCubinUsable(const FatbinEntry &entry, elf::Architecture target,
                          unsigned toolkit) {
  elf::Architecture image = entry.arch;
  // [architecture-pairs]
  constexpr unsigned ApartSince = 131;
  if (image.suffix == elf::Architecture::Accelerated && toolkit >= ApartSince)
    return image == target;
  if (image.number == target.number)
    return true;
  if (!image.isMercury())
    return elf::isLinkCompatible(image, target, toolkit);
  image.suffix = elf::Architecture::None;
  return elf::isLinkCompatible(image, target, toolkit) &&
         entry.flags & FATBIN_MERCURY && allowsFamily(entry.compat);
}

/// Whether PTX or LTO IR of an architecture can be compiled for `target`.
static bool isSourceUsable(elf::Architecture source, elf::Architecture target) {
  switch (source.suffix) {
  case elf::Architecture::None:
    return source.number <= target.number;
  case elf::Architecture::Family:
    return source.number <= target.number &&
           source.number / 10 == target.number / 10;
  case elf::Architecture::Accelerated:
    return source == target;
  }
  return false;
}

/// Tile IR is passed over [fatbin-tile-ir].
int chooseFatbinEntry(ArrayRef<FatbinEntry> entries, elf::Architecture target,
                      unsigned toolkit, bool wantLTO) {
  // LTO IR is second to code, or before it when the link asks for it; then the
  // higher architecture wins, then code over PTX, then the closer suffix. Of
  // equal cubins the first is taken, of equal PTX the last.
  using Key = std::tuple<bool, unsigned, bool, unsigned>;
  int best = -1;
  Key bestKey;
  for (int i = 0, e = entries.size(); i != e; ++i) {
    const FatbinEntry &entry = entries[i];
    if (!entry.is64Bit())
      continue;
    bool isCubin = entry.kind == FatbinKind::ELF;
    bool isLTO = entry.kind == FatbinKind::LTOIR;
    if (!isCubin && !isLTO && entry.kind != FatbinKind::PTX)
      continue;
    if (isCubin ? !isCubinUsable(entry, target, toolkit)
                : !isSourceUsable(entry.arch, target))
      continue;
    Key key(isLTO == wantLTO, entry.arch.number, isCubin, entry.arch.suffix);
    if (best < 0 || key > bestKey || (key == bestKey && !isCubin)) {
      best = i;
      bestKey = key;
    }
  }
  return best;
}

} // namespace lld::cuda
