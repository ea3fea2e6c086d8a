//===- CubinCopy.cpp - A cubin without some of its parts ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Writes a cubin without the sections and symbols that cubin-prune removes.
/// PruneCubin.cpp calls copyCubin() for each cubin once it has decided what is
/// removed. All that counts sections or symbols gets new numbers: symbol
/// tables, relocations, attributes, call graphs. Sections keep their order in
/// the file, each at the next offset that its alignment allows; section headers
/// and program headers follow [file-offsets], [segments]. A cubin with a
/// section of an unknown type is refused, since its contents may include
/// numbers of sections or symbols, which would become wrong.
///
//===----------------------------------------------------------------------===//

#include "CubinCopy.h"
#include "CubinSections.h"
#include "CubinSegments.h"
#include "lld-cuda/BinaryFormat/NvInfo.h"
#include "lld-cuda/BinaryFormat/Relocations.h"
#include "lld-cuda/BinaryFormat/SectionKinds.h"
#include "lld-cuda/Object/NvInfo.h"
#include "lld-cuda/Support/Bytes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"
#include <map>

using namespace llvm;
using namespace llvm::support;
using namespace lld::cuda::elf;

namespace lld::cuda {

namespace {

class Copier {
public:
  Copier(const CubinFile &file, const CubinCut &cut)
      : file(file), cut(cut), changed(file.sections().size()),
        isChanged(file.sections().size()), offsets(file.sections().size()) {}

  Expected<Bytes> copy();

private:
  /// The new number of each section or symbol; 0 if it is removed.
  using Numbers = std::vector<uint32_t>;

  Error check() const;
  bool isTwin(unsigned index) const;
  Error number();
  const Numbers &symbolsOf(const Elf_Shdr &section) const;
  Error rewrite(unsigned index);
  void rewriteSymbols(unsigned index);
  template <typename Entry>
  void rewriteRelocations(unsigned index, ArrayRef<Entry> entries);
  Error rewriteInfo(unsigned index);
  Error rewritePairs(unsigned index);
  void clearLength(unsigned target, uint64_t offset);
  void addPrototypes(unsigned index);
  void compactStrings();
  Error layOut();
  void writeHeaders(Bytes &out, ArrayRef<Elf_Phdr> segments) const;
  Elf_Shdr makeHeader(unsigned index) const;

  Bytes &change(unsigned index) {
    if (!isChanged[index]) {
      ArrayRef<uint8_t> old = file.contents(index);
      changed[index].assign(old.begin(), old.end());
      isChanged[index] = true;
    }
    return changed[index];
  }
  StringRef contents(unsigned index) const {
    if (isChanged[index])
      return StringRef(changed[index].data(), changed[index].size());
    return toStringRef(file.contents(index));
  }
  uint64_t sizeOf(unsigned index) const {
    return isChanged[index] ? uint64_t(changed[index].size())
                            : uint64_t(file.sections()[index].sh_size);
  }

  const CubinFile &file;
  const CubinCut &cut;
  Numbers sections, symbols, mercurySymbols;
  std::vector<Bytes> changed;
  std::vector<bool> isChanged;
  std::vector<uint64_t> offsets;
  uint64_t sectionTable = 0, programTable = 0, sectionCount = 0;
  /// The new values of st_name and sh_name, by the old ones.
  std::map<uint32_t, uint32_t> symbolNames, sectionNames;
};

} // namespace

/// Types of sections whose numbers are known, or that have none.
static bool isUnderstood(uint32_t type) {
  switch (type) {
  case SHT_NULL:
  case SHT_PROGBITS:
  case SHT_SYMTAB:
  case SHT_STRTAB:
  case SHT_RELA:
  case SHT_NOTE:
  case SHT_NOBITS:
  case SHT_REL:
    return true;
  case SHT_CUDA_METADATA:
  case SHT_CUDA_UFT_ENTRY:
  case SHT_CUDA_UDT_ENTRY:
  case SHT_CUDA_EMBEDDED_HOST:
    return false;
  default:
    return !getSectionTypeName(type).empty();
  }
}

Error Copier::check() const {
  if (file.header().e_shnum == 0)
    return createStringError(
        "cubins with 65280 or more sections can't be changed");
  for (unsigned i = 1; i < file.sections().size(); ++i) {
    const Elf_Shdr &section = file.sections()[i];
    if (!isUnderstood(section.sh_type))
      return createStringError(
          "section '" + file.sectionName(i) +
          "' is of an unknown type, so the numbers in it can't be adapted");
    if (section.sh_type == SHT_SYMTAB_SHNDX)
      return createStringError(
          "cubins with 65280 or more sections can't be changed");
  }
  return checkSegments(file);
}

/// Whether a symbol of the Mercury view is the native one of its number, and
/// goes or stays with it. Sections have other names there.
bool Copier::isTwin(unsigned index) const {
  if (index >= cut.symbols.size())
    return false;
  const Elf_Sym &native = file.symtab().symbols[index],
                &symbol = file.mercurySymtab().symbols[index];
  if (native.getType() == STT_SECTION || symbol.getType() == STT_SECTION) {
    if (native.getType() != symbol.getType())
      return false;
  } else if (file.mercurySymtab().name(symbol) != file.symtab().name(native)) {
    return false;
  }
  const uint32_t section = file.mercurySectionIndex(index);
  return cut.symbols[index] || symbol.st_shndx >= SHN_LORESERVE ||
         section >= cut.sections.size() || !cut.sections[section];
}

Error Copier::number() {
  sections.resize(file.sections().size());
  sectionCount = 1;
  for (unsigned i = 1; i < sections.size(); ++i)
    if (!cut.sections[i])
      sections[i] = sectionCount++;
  uint32_t next = 0;
  symbols.resize(cut.symbols.size());
  for (unsigned i = 0; i < symbols.size(); ++i)
    if (!cut.symbols[i])
      symbols[i] = next++;
  const CubinSymbolTable &mercury = file.mercurySymtab();
  mercurySymbols.resize(mercury.symbols.size());
  next = 0;
  for (unsigned i = 0; i < mercurySymbols.size(); ++i) {
    if (!isTwin(i))
      return createStringError(
          "the Mercury view's symbols differ from the native ones");
    if (!cut.symbols[i])
      mercurySymbols[i] = next++;
  }
  return Error::success();
}

const Copier::Numbers &Copier::symbolsOf(const Elf_Shdr &section) const {
  const bool isMercury =
      section.sh_link && section.sh_link == file.mercurySymtab().section;
  return isMercury ? mercurySymbols : symbols;
}

void Copier::rewriteSymbols(unsigned index) {
  const CubinSymbolTable &table = index == file.mercurySymtab().section
                                      ? file.mercurySymtab()
                                      : file.symtab();
  Bytes out;
  for (size_t i = 0; i != table.symbols.size(); ++i) {
    if (cut.symbols[i])
      continue;
    Elf_Sym symbol = table.symbols[i];
    if (symbol.st_shndx < SHN_LORESERVE && symbol.st_shndx < sections.size())
      symbol.st_shndx = sections[symbol.st_shndx];
    symbol.st_name = symbolNames.at(symbol.st_name);
    const auto *bytes = reinterpret_cast<const char *>(&symbol);
    out.append(bytes, bytes + sizeof(symbol));
  }
  changed[index] = std::move(out);
  isChanged[index] = true;
}

/// In debug sections the address of code is followed by the code's length.
void Copier::clearLength(unsigned target, uint64_t offset) {
  constexpr uint64_t LengthSize = sizeof(uint64_t);
  if (cut.sections[target] || offset > sizeOf(target) ||
      sizeOf(target) - offset < LengthSize)
    return;
  Bytes &bytes = change(target);
  std::fill_n(bytes.begin() + offset, LengthSize, '\0');
}

template <typename Entry>
void Copier::rewriteRelocations(unsigned index, ArrayRef<Entry> entries) {
  const Elf_Shdr &section = file.sections()[index];
  const Numbers &numbers = symbolsOf(section);
  const unsigned target = section.sh_info;
  StringRef targetName = file.sectionName(target);
  targetName.consume_front(".nv.merc");
  Bytes out;
  for (Entry entry : entries) {
    const uint32_t symbol = entry.getSymbol(false);
    const uint32_t type = entry.getType(false);
    if (symbol && !numbers[symbol]) {
      const RelocationInfo *info = getRelocationInfo(type);
      if (info && info->action == RelocAction::Clear64)
        clearLength(target, entry.r_offset);
      else if (targetName == ".debug_frame")
        clearLength(target, entry.r_offset + sizeof(uint64_t));
      continue;
    }
    entry.setSymbolAndType(numbers[symbol], type, false);
    const auto *bytes = reinterpret_cast<const char *>(&entry);
    out.append(bytes, bytes + sizeof(entry));
  }
  changed[index] = std::move(out);
  isChanged[index] = true;
}

Error Copier::rewriteInfo(unsigned index) {
  const Numbers &numbers = symbolsOf(file.sections()[index]);
  Bytes out;
  Error e = forEachNvInfoRecord(
      file.contents(index), [&](size_t, const NvInfoRecord &record) -> Error {
        NvInfoRecord copy = record;
        const NvInfoAttribute *attribute = getNvInfoAttribute(record.code);
        const NvInfoSymbols kind =
            attribute ? attribute->symbols : NvInfoSymbols::None;
        if (!record.hasPayload() || kind == NvInfoSymbols::None ||
            !record.wordCount()) {
          writeNvInfoRecord(copy, out);
          return Error::success();
        }
        SmallVector<uint8_t, 32> payload;
        const unsigned words =
            kind == NvInfoSymbols::First ? 1 : record.wordCount();
        for (unsigned i = 0; i != words; ++i) {
          const uint32_t symbol = record.word(i);
          if (symbol >= numbers.size())
            return createStringError("an attribute's symbol is out of range");
          if (symbol && !numbers[symbol])
            continue;
          uint8_t word[4];
          endian::write32le(word, numbers[symbol]);
          payload.append(std::begin(word), std::end(word));
        }
        if (payload.empty())
          return Error::success(); // It was about what goes.
        ArrayRef<uint8_t> rest = record.payload.drop_front(4 * words);
        payload.append(rest.begin(), rest.end());
        copy.payload = payload;
        copy.value = payload.size();
        writeNvInfoRecord(copy, out);
        return Error::success();
      });
  if (e)
    return e;
  changed[index] = std::move(out);
  isChanged[index] = true;
  return Error::success();
}

Error Copier::rewritePairs(unsigned index) {
  const Numbers &numbers = symbolsOf(file.sections()[index]);
  if (file.contents(index).size() % PairReader::Size)
    return createStringError("a pair is cut off");
  Bytes out;
  PairReader reader(file, index);
  for (PairReader::Pair pair; reader.next(pair);) {
    uint32_t first = pair.first, second = pair.second;
    if (!pair.isMarker) {
      if (first >= numbers.size() ||
          (pair.namesSymbols && second >= numbers.size()))
        return createStringError("a symbol is out of range");
      if ((first && !numbers[first]) ||
          (pair.namesSymbols && second && !numbers[second]))
        continue;
      first = numbers[first];
      second = pair.namesSymbols ? numbers[second] : symbolNames.at(second);
    }
    char bytes[PairReader::Size];
    endian::write32le(bytes, first);
    endian::write32le(bytes + sizeof(first), second);
    out.append(std::begin(bytes), std::end(bytes));
  }
  changed[index] = std::move(out);
  isChanged[index] = true;
  return Error::success();
}

Error Copier::rewrite(unsigned index) {
  switch (file.sections()[index].sh_type) {
  case SHT_SYMTAB:
  case SHT_CUDA_MERC_SYMTAB:
    rewriteSymbols(index);
    return Error::success();
  case SHT_REL:
    rewriteRelocations(index, file.rels(index));
    return Error::success();
  case SHT_RELA:
  case SHT_CUDA_RESOLVED_RELA:
  case SHT_CUDA_MERC_RELA:
  case SHT_CUDA_MERC_RESOLVED_RELA:
    rewriteRelocations(index, file.relas(index));
    return Error::success();
  case SHT_CUDA_INFO:
  case SHT_CUDA_MERC_INFO:
    return rewriteInfo(index);
  case SHT_CUDA_CALLGRAPH:
  case SHT_CUDA_MERC_CALLGRAPH:
  case SHT_CUDA_PROTOTYPE:
  case SHT_CUDA_MERC_PROTOTYPE:
    return rewritePairs(index);
  case SHT_CUDA_CAPMERC: {
    Bytes &bytes = change(index);
    if (bytes.size() < sizeof(uint32_t))
      return createStringError("Mercury code is cut off");
    const uint32_t code = endian::read32le(bytes.data());
    if (code >= sections.size() || !sections[code])
      return createStringError("Mercury code belongs to no function");
    endian::write32le(bytes.data(), sections[code]);
    return Error::success();
  }
  default:
    return Error::success();
  }
}

/// The strings at `used`, one after the other, and the new offset of each.
static Bytes collectStrings(StringRef strings,
                            std::map<uint32_t, uint32_t> &used) {
  Bytes out;
  out.push_back('\0');
  for (auto &[before, after] : used) {
    if (before >= strings.size() || !strings[before]) {
      after = 0;
      continue;
    }
    StringRef text = strings.substr(before).split('\0').first;
    after = out.size();
    out.append(text.begin(), text.end());
    out.push_back('\0');
  }
  return out;
}

/// Adds the names of the prototypes that remain.
void Copier::addPrototypes(unsigned index) {
  PairReader reader(file, index);
  for (PairReader::Pair pair; reader.next(pair);)
    if (!pair.isMarker && !pair.namesSymbols && pair.first < symbols.size() &&
        !cut.symbols[pair.first])
      symbolNames[pair.second];
}

/// Strings that are named by what stays.
void Copier::compactStrings() {
  const uint32_t nameSection = file.header().e_shstrndx;
  for (unsigned i = 0; i < sections.size(); ++i)
    if (!cut.sections[i])
      sectionNames[file.sections()[i].sh_name];
  changed[nameSection] =
      collectStrings(toStringRef(file.contents(nameSection)), sectionNames);
  isChanged[nameSection] = true;
  if (!file.symtab().section)
    return;
  for (const CubinSymbolTable *table : {&file.symtab(), &file.mercurySymtab()})
    for (size_t i = 0; i != table->symbols.size(); ++i)
      if (!cut.symbols[i])
        symbolNames[table->symbols[i].st_name];
  for (unsigned i = 1; i < sections.size(); ++i)
    if (isPairSection(file.sections()[i].sh_type))
      addPrototypes(i);
  const uint32_t table = file.sections()[file.symtab().section].sh_link;
  changed[table] =
      collectStrings(toStringRef(file.contents(table)), symbolNames);
  isChanged[table] = true;
}

/// Gives each section its new offset. Twins that share bytes with a native
/// section share them in the copy.
Error Copier::layOut() {
  std::vector<unsigned> order;
  for (unsigned i = 1; i < sections.size(); ++i)
    if (sections[i])
      order.push_back(i);
  stable_sort(order, [&](unsigned a, unsigned b) {
    return file.sections()[a].sh_offset < file.sections()[b].sh_offset;
  });
  uint64_t cursor = sizeof(Elf_Ehdr), oldEnd = sizeof(Elf_Ehdr);
  std::map<std::pair<uint64_t, uint64_t>, uint64_t> places;
  for (unsigned index : order) {
    const Elf_Shdr &section = file.sections()[index];
    const bool hasBytes = !isNoBits(section.sh_type, section.sh_flags);
    const std::pair<uint64_t, uint64_t> place(section.sh_offset,
                                              section.sh_size);
    if (auto it = places.find(place);
        hasBytes && section.sh_size && it != places.end()) {
      if (isChanged[index])
        return createStringError("tables share their bytes");
      offsets[index] = it->second;
      continue;
    }
    cursor = alignTo(cursor, std::max<uint64_t>(section.sh_addralign, 1));
    offsets[index] = cursor;
    if (!hasBytes)
      continue;
    if (section.sh_size && section.sh_offset < oldEnd)
      return createStringError("sections overlap");
    oldEnd = section.sh_offset + section.sh_size;
    places[place] = cursor;
    cursor += sizeOf(index);
  }
  sectionTable = alignTo(cursor, 8);
  programTable = sectionTable + sectionCount * sizeof(Elf_Shdr);
  // A copy with less in it needs no more room, except for alignments.
  constexpr uint64_t Slack = 1 << 16;
  if (programTable > file.buffer().getBufferSize() + Slack)
    return createStringError(
        "its sections aren't laid out as a linker lays them out");
  return Error::success();
}

Elf_Shdr Copier::makeHeader(unsigned index) const {
  Elf_Shdr header = file.sections()[index];
  if (isSymbolTable(header.sh_type)) {
    // The first symbol that isn't local.
    const size_t first = std::min<size_t>(header.sh_info, cut.symbols.size());
    header.sh_info = count_if(seq<size_t>(0, first),
                              [&](size_t i) { return !cut.symbols[i]; });
  } else if (hasInfoSymbol(header) && header.sh_info) {
    // Below sm_90 the register count is in the upper byte.
    constexpr uint32_t SymbolMask = 0xffffff;
    const uint32_t symbol = header.sh_info & SymbolMask;
    const Numbers &numbers = symbolsOf(header);
    header.sh_info = (header.sh_info & ~SymbolMask) |
                     (symbol < numbers.size() ? numbers[symbol] : 0);
  } else if (hasInfoSection(header) && header.sh_info < sections.size()) {
    header.sh_info = sections[header.sh_info];
  }
  if (header.sh_link < sections.size())
    header.sh_link = sections[header.sh_link];
  header.sh_name = sectionNames.at(header.sh_name);
  header.sh_offset = offsets[index];
  header.sh_size = sizeOf(index);
  return header;
}

void Copier::writeHeaders(Bytes &out, ArrayRef<Elf_Phdr> segments) const {
  auto &header = *reinterpret_cast<Elf_Ehdr *>(out.data());
  header = file.header();
  header.e_shoff = sectionTable;
  header.e_shnum = sectionCount;
  header.e_shstrndx = sections[file.header().e_shstrndx];
  header.e_phoff = segments.empty() ? 0 : programTable;
  header.e_phnum = segments.size();
  const FileFlagsField note = EF_CUDA_13_CUINFO;
  if (const uint32_t index = note.get(header.e_flags);
      !file.hasOldHeader() && index < sections.size())
    header.e_flags = (header.e_flags & ~note.put(note.get(UINT32_MAX))) |
                     note.put(sections[index]);
  auto *table = reinterpret_cast<Elf_Shdr *>(out.data() + sectionTable);
  std::memset(table, 0, sizeof(Elf_Shdr));
  for (unsigned i = 1; i < sections.size(); ++i)
    if (sections[i])
      table[sections[i]] = makeHeader(i);
  if (!segments.empty())
    std::memcpy(out.data() + programTable, segments.data(),
                segments.size() * sizeof(Elf_Phdr));
}

Expected<Bytes> Copier::copy() {
  if (Error e = check())
    return e;
  if (Error e = number())
    return e;
  compactStrings();
  for (unsigned i = 1; i < sections.size(); ++i)
    if (sections[i])
      if (Error e = rewrite(i))
        return createStringError("section '" + file.sectionName(i) +
                                 "': " + toString(std::move(e)));
  if (Error e = layOut())
    return e;
  std::vector<PlacedSection> placed;
  for (unsigned i = 1; i < sections.size(); ++i)
    if (sections[i])
      placed.push_back({&file.sections()[i], offsets[i], sizeOf(i)});
  const std::vector<Elf_Phdr> segments =
      makeSegments(file, placed, programTable);
  Bytes out;
  out.resize(programTable + segments.size() * sizeof(Elf_Phdr));
  for (unsigned i = 1; i < sections.size(); ++i) {
    StringRef bytes = contents(i);
    if (sections[i] && !bytes.empty())
      std::memcpy(out.data() + offsets[i], bytes.data(), bytes.size());
  }
  writeHeaders(out, segments);
  return out;
}

Expected<Bytes> copyCubin(const CubinFile &file, const CubinCut &cut) {
  return Copier(file, cut).copy();
}

} // namespace lld::cuda
