//===- VariableLines.cpp - Where the source declares a variable -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Reads from .debug_info in which source line each variable of an object is
/// declared. The linker's Explain/SourcePlaces.cpp calls it when a message is
/// about a variable of an object that was compiled for debugging. It reads no
/// more than that takes: the entries of units of DWARF 2 to 4, one after the
/// other, without their tree. NVIDIA's compilers give each variable of device
/// memory its linkage name, also in declarations of variables that other files
/// define. Offsets into other debug sections come from relocations, because
/// ptxas leaves zeros in their places. A limit on the number of values keeps a
/// damaged file from taking long.
///
//===----------------------------------------------------------------------===//

#include "lld-cuda/FinalCode/VariableLines.h"
#include "lld-cuda/Support/LlvmCompat.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include <map>

using namespace llvm;
using namespace lld::cuda::elf;

namespace lld::cuda {

class DebugInfoReader {
public:
  DebugInfoReader(const CubinFile &file, VariableLines &result)
      : file(file), result(result) {}
  ~DebugInfoReader() { consumeError(cursor.takeError()); }
  void run();

private:
  struct Attribute {
    uint64_t name, form;
  };
  /// What a code of .debug_abbrev stands for: an entry's tag and attributes.
  struct Abbreviation {
    uint64_t tag = 0;
    SmallVector<Attribute, 8> attributes;
  };

  void readRelocations(unsigned section);
  bool readAbbreviations(uint64_t offset);
  void readUnit(uint64_t offset, uint64_t end);
  bool readEntry(const Abbreviation &abbreviation);
  bool readValue(uint64_t form);
  uint64_t readOffset();

  const CubinFile &file;
  VariableLines &result;
  DataExtractor info = extractData(StringRef());
  DataExtractor::Cursor cursor{0};
  StringRef abbrev, strings;
  /// Offsets in .debug_info that hold an offset in another debug section.
  std::map<uint64_t, uint64_t> relocated;
  /// The codes of the unit that is being read.
  std::map<uint64_t, Abbreviation> abbreviations;
  uint64_t abbreviationsAt = ~uint64_t(0);
  uint64_t addressSize = 0, version = 0, lineUnit = 0;
  /// What readValue() has read last: a number, or a text.
  uint64_t number = 0;
  StringRef text;
  /// More values than any program has; entries that take no bytes could ask
  /// for any number.
  uint64_t left = uint64_t(1) << 24;
  bool spend() { return left && left--; }
};

static StringRef contentsOf(const CubinFile &file, StringRef name) {
  const unsigned section = file.findSection(name);
  return section ? toStringRef(file.contents(section)) : StringRef();
}

void DebugInfoReader::readRelocations(unsigned section) {
  for (unsigned i = 1; i < file.sections().size(); ++i) {
    const Elf_Shdr &shdr = file.sections()[i];
    if (shdr.sh_info != section || shdr.sh_type != SHT_RELA ||
        shdr.sh_flags & SHF_CUDA_MERCURY)
      continue;
    for (const Elf_Rela &r : file.relas(i))
      if (const uint32_t symbol = r.getSymbol(false);
          symbol < file.symtab().symbols.size() &&
          file.symtab().symbols[symbol].getType() == STT_SECTION)
        relocated.try_emplace(uint64_t(r.r_offset), uint64_t(r.r_addend));
  }
}

/// The table at that offset of .debug_abbrev, unless it is the last one again.
bool DebugInfoReader::readAbbreviations(uint64_t offset) {
  if (offset == abbreviationsAt)
    return true;
  abbreviations.clear();
  abbreviationsAt = offset;
  if (offset >= abbrev.size())
    return false;
  DataExtractor data = extractData(abbrev);
  DataExtractor::Cursor c(offset);
  while (uint64_t code = data.getULEB128(c)) {
    Abbreviation &entry = abbreviations[code];
    entry = {};
    entry.tag = data.getULEB128(c);
    data.getU8(c); // Whether entries have children.
    for (;;) {
      const uint64_t name = data.getULEB128(c), form = data.getULEB128(c);
      if (!c || !spend() || (!name && !form))
        break;
      entry.attributes.push_back({name, form});
    }
    if (!c || !left)
      break;
  }
  const bool isWhole = bool(c);
  consumeError(c.takeError());
  return isWhole && left;
}

/// Four bytes that are an offset in another section.
uint64_t DebugInfoReader::readOffset() {
  auto it = relocated.find(cursor.tell());
  const uint64_t written = info.getU32(cursor);
  return it == relocated.end() ? written : it->second;
}

/// Reads an attribute's value. Returns false if its form isn't known, so that
/// what follows can't be found.
bool DebugInfoReader::readValue(uint64_t form) {
  number = 0;
  text = {};
  switch (form) {
  case dwarf::DW_FORM_flag_present:
    break;
  case dwarf::DW_FORM_flag:
  case dwarf::DW_FORM_data1:
  case dwarf::DW_FORM_ref1:
    number = info.getU8(cursor);
    break;
  case dwarf::DW_FORM_data2:
  case dwarf::DW_FORM_ref2:
    number = info.getU16(cursor);
    break;
  case dwarf::DW_FORM_data4:
  case dwarf::DW_FORM_sec_offset:
    number = readOffset();
    break;
  case dwarf::DW_FORM_ref4:
    number = info.getU32(cursor);
    break;
  case dwarf::DW_FORM_data8:
  case dwarf::DW_FORM_ref8:
  case dwarf::DW_FORM_ref_sig8:
    number = info.getU64(cursor);
    break;
  case dwarf::DW_FORM_udata:
  case dwarf::DW_FORM_ref_udata:
    number = info.getULEB128(cursor);
    break;
  case dwarf::DW_FORM_sdata:
    number = info.getSLEB128(cursor);
    break;
  case dwarf::DW_FORM_string:
    text = info.getCStrRef(cursor);
    break;
  case dwarf::DW_FORM_strp:
    if (const uint64_t at = readOffset(); at < strings.size())
      text = strings.drop_front(at).split('\0').first;
    break;
  case dwarf::DW_FORM_addr:
    info.skip(cursor, addressSize);
    break;
  case dwarf::DW_FORM_ref_addr:
    info.skip(cursor, version == 2 ? addressSize : sizeof(uint32_t));
    break;
  case dwarf::DW_FORM_block1:
    info.skip(cursor, info.getU8(cursor));
    break;
  case dwarf::DW_FORM_block2:
    info.skip(cursor, info.getU16(cursor));
    break;
  case dwarf::DW_FORM_block4:
    info.skip(cursor, info.getU32(cursor));
    break;
  case dwarf::DW_FORM_block:
  case dwarf::DW_FORM_exprloc:
    info.skip(cursor, info.getULEB128(cursor));
    break;
  default:
    return false;
  }
  return bool(cursor);
}

bool DebugInfoReader::readEntry(const Abbreviation &abbreviation) {
  uint64_t line = 0, fileNumber = 0;
  StringRef name, linkageName;
  for (const Attribute &a : abbreviation.attributes) {
    if (!spend() || !readValue(a.form))
      return false;
    switch (a.name) {
    case dwarf::DW_AT_name:
      name = text;
      break;
    case dwarf::DW_AT_MIPS_linkage_name:
    case dwarf::DW_AT_linkage_name:
      linkageName = text;
      break;
    case dwarf::DW_AT_decl_file:
      fileNumber = number;
      break;
    case dwarf::DW_AT_decl_line:
      line = number;
      break;
    case dwarf::DW_AT_stmt_list:
      if (abbreviation.tag == dwarf::DW_TAG_compile_unit)
        lineUnit = number;
      break;
    }
  }
  if (abbreviation.tag != dwarf::DW_TAG_variable || !line || !fileNumber)
    return true;
  // Where C++ doesn't change a name, clang doesn't say it twice.
  if (StringRef symbol = linkageName.empty() ? name : linkageName;
      !symbol.empty())
    result.declarations.try_emplace(
        symbol, VariableLines::Declaration{lineUnit, fileNumber, line});
  return true;
}

void DebugInfoReader::readUnit(uint64_t offset, uint64_t end) {
  cursor.seek(offset + sizeof(uint32_t));
  version = info.getU16(cursor);
  const uint64_t abbreviationsOffset = readOffset();
  addressSize = info.getU8(cursor);
  lineUnit = 0;
  constexpr uint64_t OldestVersion = 2, NewestVersion = 4;
  if (!cursor || version < OldestVersion || version > NewestVersion ||
      !readAbbreviations(abbreviationsOffset))
    return;
  while (cursor && cursor.tell() < end && left) {
    const uint64_t code = info.getULEB128(cursor);
    if (!code)
      continue; // Ends a list of children.
    auto it = abbreviations.find(code);
    if (it == abbreviations.end() || !readEntry(it->second))
      return;
  }
}

void DebugInfoReader::run() {
  const unsigned section = file.findSection(".debug_info");
  if (!section)
    return;
  info = extractData(file.contents(section));
  abbrev = contentsOf(file, ".debug_abbrev");
  strings = contentsOf(file, ".debug_str");
  readRelocations(section);
  constexpr uint64_t HeaderSize = 11;
  for (uint64_t offset = 0; left && offset + HeaderSize <= info.size();) {
    uint64_t at = offset;
    const uint64_t end = offset + sizeof(uint32_t) + info.getU32(&at);
    if (end > info.size())
      return;
    readUnit(offset, end);
    consumeError(cursor.takeError());
    offset = end;
  }
}

VariableLines::VariableLines(const CubinFile &file, const SourceLines &lines)
    : lines(lines) {
  DebugInfoReader(file, *this).run();
}

std::optional<SourceLine> VariableLines::find(StringRef symbol) const {
  auto it = declarations.find(symbol);
  if (it == declarations.end())
    return std::nullopt;
  const Declaration &d = it->second;
  const std::optional<StringRef> path = lines.fileName(d.unit, d.file);
  if (!path)
    return std::nullopt;
  return SourceLine{path->str(), d.line};
}

} // namespace lld::cuda
