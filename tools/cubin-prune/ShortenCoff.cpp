//===- ShortenCoff.cpp ----------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What stands behind a section of a COFF object is told by offsets in the
/// headers only, so all of it can move as one piece.
///
//===----------------------------------------------------------------------===//

#include "ShortenObject.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Object/COFF.h"
#include "llvm/Support/CRC.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace llvm::object;

namespace lld::cuda {
namespace {

using Bytes = SmallVector<char, 0>;

uint32_t checksum(StringRef contents) {
  JamCRC crc(/*Init=*/0);
  crc.update(arrayRefFromStringRef(contents));
  return crc.getCRC();
}

class Shortener {
public:
  Shortener(StringRef file, StringRef contents)
      : file(file), contents(contents), out(file.begin(), file.end()) {}

  Expected<Bytes> run(uint64_t begin);

private:
  Error findSection();
  Error moveAll();
  Error moveSymbols();
  Error resizeInSymbols();
  Error move(support::ulittle32_t &offset) const;

  /// What is at the same place of the output, as long as nothing has moved.
  template <typename T> T &writable(const T *old) {
    return *reinterpret_cast<T *>(
        out.data() + (reinterpret_cast<const char *>(old) - file.data()));
  }

  StringRef file, contents;
  Bytes out;
  std::unique_ptr<COFFObjectFile> object;
  uint64_t begin = 0, end = 0; ///< The section's old bytes.
  int64_t distance = 0;        ///< By which what is behind them moves down.
  unsigned index = 0;          ///< Of the section, from 1.
};

/// An offset that the file has of something in it.
Error Shortener::move(support::ulittle32_t &offset) const {
  if (offset <= begin)
    return Error::success();
  const int64_t moved = int64_t(offset) - distance;
  if (offset < end || !isUInt<32>(moved))
    return createStringError("sections aren't laid out as in an object");
  offset = moved;
  return Error::success();
}

Error Shortener::findSection() {
  for (const SectionRef &section : object->sections()) {
    const coff_section *header = object->getCOFFSection(section);
    if (header->PointerToRawData != begin || !header->SizeOfRawData)
      continue;
    index = section.getIndex() + 1;
    end = begin + header->SizeOfRawData;
    if (end > file.size())
      break;
    writable(header).SizeOfRawData = contents.size();
    return Error::success();
  }
  return createStringError("the fatbin isn't at the start of its section");
}

Error Shortener::moveSymbols() {
  // The other kind of header begins with this machine and number of sections.
  const bool isBig = support::endian::read16le(file.data()) == 0 &&
                     support::endian::read16le(file.data() + 2) == UINT16_MAX;
  if (isBig)
    return move(reinterpret_cast<coff_bigobj_file_header *>(out.data())
                    ->PointerToSymbolTable);
  return move(
      reinterpret_cast<coff_file_header *>(out.data())->PointerToSymbolTable);
}

/// A symbol for each section has its size and a checksum, too.
Error Shortener::resizeInSymbols() {
  for (uint32_t i = 0, count = object->getNumberOfSymbols(); i < count;) {
    Expected<COFFSymbolRef> symbol = object->getSymbol(i);
    if (!symbol)
      return symbol.takeError();
    if (symbol->getNumberOfAuxSymbols() >= count - i)
      return createStringError("the symbol table is damaged");
    i += 1 + symbol->getNumberOfAuxSymbols();
    if (symbol->getSectionNumber() != int32_t(index))
      continue;
    const coff_aux_section_definition *old = symbol->getSectionDefinition();
    if (!old || old->Length != end - begin)
      continue;
    coff_aux_section_definition &now = writable(old);
    now.Length = contents.size();
    if (old->CheckSum == checksum(file.slice(begin, end)))
      now.CheckSum = checksum(contents);
  }
  return Error::success();
}

Error Shortener::moveAll() {
  if (Error e = moveSymbols())
    return e;
  for (const SectionRef &section : object->sections()) {
    coff_section &header = writable(object->getCOFFSection(section));
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
  Expected<std::unique_ptr<COFFObjectFile>> read =
      COFFObjectFile::create(MemoryBufferRef(file, "object"));
  if (!read)
    return read.takeError();
  object = std::move(*read);
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
  return Shortener(file, contents).run(old.offset);
}

} // namespace lld::cuda
