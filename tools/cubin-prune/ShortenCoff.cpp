//===- ShortenCoff.cpp - A COFF object with a shorter section -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Makes a COFF object smaller after cubin-prune has removed images from the
/// fatbin in one of its sections. PruneFile.cpp calls shortenCoffSection() for
/// objects of Windows and for members of archives. Only offsets in the headers
/// refer to what follows a section in the file, so all of it can move as one
/// piece.
///
//===----------------------------------------------------------------------===//

#include "ShortenObject.h"
#include "lld-cuda/Object/CoffSections.h"
#include "lld-cuda/Support/Bytes.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Object/COFF.h"
#include "llvm/Support/CRC.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace llvm::object;

namespace lld::cuda {
namespace {

uint32_t checksum(StringRef contents) {
  JamCRC crc(/*Init=*/0);
  crc.update(arrayRefFromStringRef(contents));
  return crc.getCRC();
}

class Shortener {
public:
  Shortener(StringRef file, const CoffSections &sections, StringRef contents)
      : file(file), contents(contents), sections(sections),
        out(file.begin(), file.end()) {}

  Expected<Bytes> run(uint64_t begin);

private:
  Error findSection();
  Error moveAll();
  Error resizeInSymbols();
  template <class Symbol> Error resizeInSymbols();
  Error move(support::ulittle32_t &offset) const;

  /// Returns a field of the output at an offset. To be used before anything
  /// moves.
  template <typename T> T &at(uint64_t offset) {
    return *reinterpret_cast<T *>(out.data() + offset);
  }

  StringRef file, contents;
  const CoffSections &sections;
  Bytes out;
  uint64_t begin = 0, end = 0; ///< The section's old bytes.
  int64_t distance = 0;        ///< By which what is behind them moves down.
  size_t index = 0;            ///< Of the section, from 1.
};

/// An offset that the file has of something in it.
Error Shortener::move(support::ulittle32_t &offset) const {
  if (offset <= begin)
    return Error::success();
  const int64_t moved = int64_t(offset) - distance;
  if (offset < end || !isUInt<32>(moved))
    return createStringError(
        "its sections aren't laid out as a compiler lays them out");
  offset = moved;
  return Error::success();
}

Error Shortener::findSection() {
  for (index = 1; index != sections.size(); ++index) {
    auto &header = at<coff_section>(sections.headerOffset(index));
    if (header.PointerToRawData != begin || !header.SizeOfRawData)
      continue;
    end = begin + header.SizeOfRawData;
    if (end > file.size())
      break;
    header.SizeOfRawData = contents.size();
    return Error::success();
  }
  return createStringError("the fatbin isn't at the start of its section");
}

/// A symbol for each section has its size and a checksum, too.
template <class Symbol> Error Shortener::resizeInSymbols() {
  const CoffSymbolTable &table = sections.symbols();
  for (uint64_t i = 0; i < table.count;) {
    const auto &symbol = at<Symbol>(table.offset + i * sizeof(Symbol));
    const uint64_t more = symbol.NumberOfAuxSymbols;
    if (more >= table.count - i)
      return createStringError("the symbol table is damaged");
    i += 1 + more;
    if (symbol.SectionNumber != index || !more ||
        symbol.StorageClass != COFF::IMAGE_SYM_CLASS_STATIC)
      continue;
    auto &section = at<coff_aux_section_definition>(
        table.offset + (i - more) * sizeof(Symbol));
    if (section.Length != end - begin)
      continue;
    section.Length = contents.size();
    if (section.CheckSum == checksum(file.slice(begin, end)))
      section.CheckSum = checksum(contents);
  }
  return Error::success();
}

Error Shortener::resizeInSymbols() {
  const CoffSymbolTable &table = sections.symbols();
  if (!table.offset)
    return Error::success();
  if (table.end() > file.size())
    return createStringError("the symbol table is cut off");
  return table.symbolSize == COFF::Symbol32Size
             ? resizeInSymbols<coff_symbol32>()
             : resizeInSymbols<coff_symbol16>();
}

Error Shortener::moveAll() {
  if (Error e = move(at<support::ulittle32_t>(sections.symbols().field)))
    return e;
  for (size_t i = 1; i != sections.size(); ++i) {
    auto &header = at<coff_section>(sections.headerOffset(i));
    for (support::ulittle32_t *offset :
         {&header.PointerToRawData, &header.PointerToRelocations,
          &header.PointerToLinenumbers})
      if (Error e = move(*offset))
        return e;
  }
  return resizeInSymbols();
}

Expected<Bytes> Shortener::run(uint64_t offset) {
  begin = offset;
  if (Error e = findSection())
    return e;
  // All keep the alignment that they had.
  constexpr uint64_t Align = 16;
  const uint64_t padding = (end - begin - contents.size()) % Align;
  distance = int64_t(end - begin) - int64_t(contents.size() + padding);
  if (Error e = moveAll())
    return e;
  Bytes result(out.begin(), out.begin() + begin);
  result.append(contents.begin(), contents.end());
  result.append(padding, '\0');
  result.append(out.begin() + end, out.end());
  return result;
}

} // namespace

Expected<Bytes> shortenCoffSection(StringRef file, const EmbeddedFatbin &old,
                                   StringRef contents) {
  Expected<CoffSections> sections = CoffSections::create(file);
  if (!sections)
    return sections.takeError();
  return Shortener(file, *sections, contents).run(old.offset);
}

} // namespace lld::cuda
