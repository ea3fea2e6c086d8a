//===- Fatbin.cpp - The fatbin container ------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Walks a fatbin's entries and chooses the one a link takes. nvlink trusts all
/// sizes here and loops or crashes on damaged ones; this reader takes a step
/// only after it has checked that the step stays inside the fatbin, and every
/// step is at least an entry header long.
///
//===----------------------------------------------------------------------===//

#include "lld-cuda/Object/Fatbin.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Endian.h"
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

/// In front of the options' text.
struct OptionsHeader {
  ulittle32_t offset; ///< From the entry's start.
  ulittle32_t length; ///< Without the NUL.
};

std::string hex(uint64_t value) {
  return "0x" + utohexstr(value, /*LowerCase=*/true);
}

Error fail(const Twine &message) {
  return createStringError(inconvertibleErrorCode(), message);
}

bool isInside(uint64_t offset, uint64_t length, uint64_t size) {
  return offset <= size && length <= size - offset;
}

/// "entry 2 at offset 0x340: ..."
Error failEntry(size_t index, uint64_t offset, const Twine &message) {
  return fail("entry " + Twine(index) + " at offset " + hex(offset) + ": " +
              message);
}

/// Sets identifier and options. `bytes` is the entry header with its
/// extensions. The string describes what is wrong; it is empty if nothing is.
std::string readExtensions(const EntryHeader &header, StringRef bytes,
                           FatbinEntry &entry) {
  uint32_t identifier = header.identifierOffset;
  if (identifier) {
    uint32_t length = header.identifierLength;
    if (!isInside(identifier, length, bytes.size()))
      return "identifier at " + hex(identifier) + " of length " + hex(length) +
             " is outside the header of " + hex(bytes.size()) + " bytes";
    entry.identifier = bytes.substr(identifier, length);
  }

  // Cubins for Mercury architectures have a copy of .nv.compat here, which
  // begins one byte late and which nvlink doesn't read (spec: inputs, section
  // 3). Only the others have text.
  uint32_t options = header.optionsOffset;
  if (!options || entry.kind == FatbinKind::ELF)
    return {};
  if (!isInside(options, sizeof(OptionsHeader), bytes.size()))
    return "options at " + hex(options) + " are outside the header of " +
           hex(bytes.size()) + " bytes";
  auto *text = reinterpret_cast<const OptionsHeader *>(bytes.data() + options);
  if (!isInside(text->offset, text->length, bytes.size()))
    return "text of the options at " + hex(text->offset) + " of length " +
           hex(text->length) + " is outside the header of " +
           hex(bytes.size()) + " bytes";
  entry.options = bytes.substr(text->offset, text->length).split('\0').first;
  return {};
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

/// Reads the entry at `offset`; `data` ends with the fatbin. Returns the entry
/// and where the next one begins.
Expected<std::pair<FatbinEntry, uint64_t>>
readEntry(StringRef data, uint64_t offset, size_t index) {
  uint64_t left = data.size() - offset;
  if (left < sizeof(EntryHeader))
    return failEntry(index, offset,
                     "entry header of 64 bytes is cut: the fatbin ends after " +
                         Twine(left) + " bytes");
  auto &header = *reinterpret_cast<const EntryHeader *>(data.data() + offset);
  if (header.headerSize < sizeof(EntryHeader))
    return failEntry(index, offset,
                     "header size " + Twine(header.headerSize) +
                         " is less than 64");
  if (header.headerSize > left)
    return failEntry(index, offset,
                     "header of " + hex(header.headerSize) +
                         " bytes extends past the end of the "
                         "fatbin, which is " +
                         hex(left) + " bytes ahead");
  left -= header.headerSize;
  if (header.payloadSize > left)
    return failEntry(index, offset,
                     "payload of " + hex(header.payloadSize) +
                         " bytes extends past the end of the "
                         "fatbin, which is " +
                         hex(left) + " bytes ahead");
  if (header.smNumber > UINT16_MAX)
    return failEntry(index, offset,
                     "architecture number " + Twine(header.smNumber) +
                         " is out of range");

  FatbinEntry entry;
  entry.kind = FatbinKind(uint16_t(header.kind));
  entry.offset = offset;
  entry.arch = getArchitecture(header.smNumber, header.flags);
  entry.flags = header.flags;
  entry.versionMajor = header.versionMajor;
  entry.versionMinor = header.versionMinor;
  entry.payload = data.substr(offset + header.headerSize, header.payloadSize);
  entry.uncompressedSize = header.payloadSize;
  if (entry.isCompressed()) {
    if (header.compressedSize > header.payloadSize)
      return failEntry(index, offset,
                       "compressed size " + hex(header.compressedSize) +
                           " is larger than the payload of " +
                           hex(header.payloadSize) + " bytes");
    entry.payload = entry.payload.take_front(header.compressedSize);
    entry.uncompressedSize = header.uncompressedSize;
  }
  if (hasKnownExtensions(entry.kind)) {
    std::string problem =
        readExtensions(header, data.substr(offset, header.headerSize), entry);
    if (!problem.empty())
      return failEntry(index, offset, problem);
  }
  return std::make_pair(entry, offset + header.headerSize + header.payloadSize);
}

} // namespace

Expected<uint64_t> getFatbinSize(StringRef data) {
  if (data.size() < sizeof(FatbinHeader))
    return fail("fatbin header of 16 bytes is cut after " + Twine(data.size()) +
                " bytes");
  auto &header = *reinterpret_cast<const FatbinHeader *>(data.data());
  if (header.magic != FatbinMagic)
    return fail("no fatbin: magic is " + hex(header.magic) + " instead of " +
                hex(FatbinMagic));
  if (header.version != 1)
    return fail("fatbin version " + Twine(header.version) +
                " is unknown; it should be 1");
  if (header.headerSize < sizeof(FatbinHeader))
    return fail("fatbin header size " + Twine(header.headerSize) +
                " is less than 16");
  if (!isInside(header.headerSize, header.size, data.size()))
    return fail("fatbin header of " + hex(header.headerSize) +
                " bytes and entries of " + hex(header.size) +
                " bytes extend past the end of the data of " +
                hex(data.size()) + " bytes");
  return header.headerSize + header.size;
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
    auto next = readEntry(data, offset, reader.list.size());
    if (!next)
      return next.takeError();
    reader.list.push_back(next->first);
    offset = next->second;
  }
  return reader;
}

/// Whether the code of a cubin in a fatbin runs on `target`. Unlike bare cubins
/// (elf::isLinkCompatible), an image for 100 isn't taken for 103, nor one for
/// 120 for 121: these two pairs are what an "a" cubin is refused for, too, so
/// that the rule for fatbins is the bare rule of an "a" cubin, whatever the
/// entry's own suffix (spec: inputs, sections 2.3 and 4).
static bool isCubinUsable(elf::Architecture image, elf::Architecture target) {
  image.suffix = elf::Architecture::Accelerated;
  return elf::isLinkCompatible(image, target);
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

int chooseFatbinEntry(ArrayRef<FatbinEntry> entries, elf::Architecture target,
                      bool wantLTO) {
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
    if (isCubin ? !isCubinUsable(entry.arch, target)
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
