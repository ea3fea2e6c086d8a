//===- CoffSections.cpp - Sections of COFF objects and images -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// HostObject.cpp, DeviceCode.cpp and cubin-prune find device code in Windows
/// files with this reader. Three headers lead to the same table of sections:
/// that of small objects, that of /bigobj, and that of a program or DLL behind
/// its DOS stub. A section's name has eight characters; "/123" means the name
/// at offset 123 of the string table, and "//AAAAAB" gives the offset as six
/// digits in base 64. All offsets come from the file, so each is compared with
/// its size before something is read there.
///
//===----------------------------------------------------------------------===//

#include "lld-cuda/Object/CoffSections.h"
#include "ObjectError.h"
#include "lld-cuda/Object/HostObject.h"
#include "llvm/BinaryFormat/COFF.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/Endian.h"
#include <cstring>
#include <optional>

using namespace llvm;
using support::endian::read16le;
using support::endian::read32le;

namespace lld::cuda {

namespace {

/// The offsets of fields in the two kinds of COFF header.
struct CoffLayout {
  size_t headerSize, machine, numSections, symbolTable, numSymbols, symbolSize;
};
constexpr CoffLayout Small = {COFF::Header16Size, 0, 2, 8, 12,
                              COFF::Symbol16Size};
constexpr CoffLayout Big = {COFF::Header32Size, 6, 44, 48, 52,
                            COFF::Symbol32Size};

/// Fields of a section header.
constexpr size_t SizeField = 16, OffsetField = 20, FlagsField = 36;

bool isBig(StringRef data) {
  constexpr size_t VersionField = 4, UuidField = 12;
  return data.size() >= COFF::Header32Size && read16le(data.data()) == 0 &&
         read16le(data.data() + 2) == 0xffff &&
         read16le(data.data() + VersionField) >=
             COFF::BigObjHeader::MinBigObjectVersion &&
         std::memcmp(data.data() + UuidField, COFF::BigObjMagic,
                     sizeof(COFF::BigObjMagic)) == 0;
}

const CoffLayout &layoutOf(StringRef data) { return isBig(data) ? Big : Small; }

/// Fields of the small header about the optional header, which objects don't
/// have.
constexpr size_t OptionalSizeField = 16, ImageFlagsField = 18;

/// Returns the offset of a PE file's small header, which follows a program for
/// DOS and a signature; 0 for other files.
uint64_t findImageHeader(StringRef data) {
  constexpr size_t DosHeaderSize = 64, PlaceField = 60;
  constexpr StringLiteral Signature = StringLiteral::withInnerNUL("PE\0\0");
  if (data.size() < DosHeaderSize || !data.starts_with("MZ"))
    return 0;
  const uint64_t at = read32le(data.data() + PlaceField);
  if (!isInside(at, Signature.size() + COFF::Header16Size, data.size()) ||
      !data.substr(at).starts_with(Signature))
    return 0;
  return at + Signature.size();
}

/// Names of offsets with more than 7 decimal digits have 6 of these instead.
std::optional<uint64_t> decodeBase64(StringRef digits) {
  constexpr StringLiteral Alphabet =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  uint64_t value = 0;
  for (char c : digits) {
    const size_t digit = Alphabet.find(c);
    if (digit == StringRef::npos)
      return std::nullopt;
    value = value * 64 + digit;
  }
  return value;
}

} // namespace

bool isCoffObject(StringRef data) {
  if (!isBig(data) && (data.size() < COFF::Header16Size ||
                       read16le(data.data() + OptionalSizeField) != 0))
    return false;
  const uint16_t machine = CoffSections::getMachine(data);
  return machine == COFF::IMAGE_FILE_MACHINE_AMD64 ||
         machine == COFF::IMAGE_FILE_MACHINE_ARM64;
}

bool isPeImage(StringRef data) { return findImageHeader(data) != 0; }

uint16_t CoffSections::getMachine(StringRef data) {
  return read16le(data.data() + layoutOf(data).machine);
}

uint16_t CoffSections::getFileType(StringRef data) {
  const uint64_t image = findImageHeader(data);
  if (!image)
    return ELF::ET_REL;
  return read16le(data.data() + image + ImageFlagsField) & COFF::IMAGE_FILE_DLL
             ? ELF::ET_DYN
             : ELF::ET_EXEC;
}

Expected<CoffSections> CoffSections::create(StringRef data) {
  const uint64_t image = findImageHeader(data);
  const CoffLayout &layout = image ? Small : layoutOf(data);
  const bool isLarge = &layout == &Big;
  const char *header = data.data() + image;
  CoffSections sections;
  sections.data = data;
  sections.table = image + layout.headerSize;
  if (image)
    sections.table += read16le(header + OptionalSizeField);
  const char *count = header + layout.numSections;
  sections.count = isLarge ? read32le(count) : read16le(count);
  if (!isInside(sections.table, uint64_t(sections.count) * COFF::SectionSize,
                data.size()))
    return malformed("section table at {0:x} with {1} sections extends past "
                     "the end of the file of {2:x} bytes",
                     sections.table, sections.count, data.size());
  const uint64_t field = image + layout.symbolTable;
  sections.symbolTable = {field, read32le(data.data() + field),
                          read32le(header + layout.numSymbols),
                          layout.symbolSize};
  return sections;
}

uint64_t CoffSections::headerOffset(size_t index) const {
  return table + (index - 1) * COFF::SectionSize;
}

Expected<StringRef> CoffSections::name(size_t index) const {
  StringRef field(header(index), COFF::NameSize);
  field = field.take_until([](char c) { return c == '\0'; });
  if (!field.consume_front("/"))
    return field;
  if (StringRef digits = field; digits.consume_front("/")) {
    if (std::optional<uint64_t> offset = decodeBase64(digits))
      return longName(index, *offset);
  } else if (uint64_t offset; !digits.getAsInteger(10, offset)) {
    return longName(index, offset);
  }
  return malformed("section {0}: name '/{1}' is neither a name nor the place "
                   "of one",
                   index, field);
}

Expected<StringRef> CoffSections::longName(size_t index,
                                           uint64_t offset) const {
  constexpr uint64_t SizeOfSize = 4;
  // Names of more than 8 characters are in the string table after the symbols.
  const uint64_t strings = symbolTable.end();
  if (!symbolTable.offset)
    return malformed("section {0}: name at {1:x}, but there is no string table",
                     index, offset);
  if (!isInside(strings, SizeOfSize, data.size()))
    return malformed("string table at {0:x} is outside the file of {1:x} bytes",
                     strings, data.size());
  // Its size counts the field itself.
  const uint64_t size = read32le(data.data() + strings);
  if (!isInside(strings, size, data.size()))
    return malformed("string table at {0:x} of {1:x} bytes extends past the "
                     "end of the file of {2:x} bytes",
                     strings, size, data.size());
  if (offset < SizeOfSize || offset >= size)
    return malformed("section {0}: name at {1:x} is outside the string table "
                     "of {2:x} bytes",
                     index, offset, size);
  const StringRef name = data.substr(strings + offset, size - offset);
  const size_t end = name.find('\0');
  if (end == StringRef::npos)
    return malformed("section {0}: name at {1:x} doesn't end with a NUL", index,
                     offset);
  return name.take_front(end);
}

Expected<StringRef> CoffSections::contents(size_t index, StringRef name) const {
  const char *fields = header(index);
  if (read32le(fields + FlagsField) & COFF::IMAGE_SCN_CNT_UNINITIALIZED_DATA)
    return StringRef();
  const uint64_t offset = read32le(fields + OffsetField),
                 size = read32le(fields + SizeField);
  if (!isInside(offset, size, data.size()))
    return malformed("section {0} ('{1}') at {2:x} of {3:x} bytes extends past "
                     "the end of the file of {4:x} bytes",
                     index, name, offset, size, data.size());
  return data.substr(offset, size);
}

} // namespace lld::cuda
