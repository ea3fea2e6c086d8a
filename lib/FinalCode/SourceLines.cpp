//===- SourceLines.cpp - The source line of an instruction ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Finds the source file and line of an offset in a cubin's code, in
/// .debug_line. The linker asks when it explains an error about an object
/// (Explain/SourcePlaces.cpp) and when it writes a resource report
/// (ResourceModel.cpp), cubin-size for --by=source. SourceLines() only notes
/// where each function's rows are; a unit is decoded when somebody asks about
/// it. Names of files are read in the form of DWARF 2 to 4, which NVIDIA's
/// compilers and LLVM's write for the device. NVIDIA's extended opcodes about
/// inlined calls are skipped: a row names the line of its own code.
///
//===----------------------------------------------------------------------===//

#include "lld-cuda/FinalCode/SourceLines.h"
#include "LineProgram.h"
#include "lld-cuda/Support/LlvmCompat.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace lld::cuda::elf;

namespace lld::cuda {

struct SourceLines::Unit {
  uint64_t offset;
  LineEncoding encoding;
  SmallVector<StringRef, 4> directories;
  struct File {
    StringRef name;
    uint64_t directory;
    std::string path; ///< Made when it is asked for.
  };
  SmallVector<File, 4> files;
};

SourceLines::~SourceLines() = default;

/// The extended opcode DW_LNE_set_address before the relocated address.
static constexpr uint8_t SetAddress[] = {0, 9, dwarf::DW_LNE_set_address};

static bool isSetAddress(ArrayRef<uint8_t> section, uint64_t at) {
  return at >= std::size(SetAddress) && at <= section.size() &&
         section.slice(at - std::size(SetAddress), std::size(SetAddress)) ==
             ArrayRef(SetAddress);
}

static uint64_t addendOf(const Elf_Rel &) { return 0; }
static uint64_t addendOf(const Elf_Rela &entry) { return entry.r_addend; }

template <typename Entry>
void SourceLines::addSequences(ArrayRef<Entry> entries) {
  sequences.reserve(sequences.size() + entries.size());
  for (const Entry &entry : entries) {
    const uint32_t symbol = entry.getSymbol(false);
    if (!isSetAddress(section, entry.r_offset) ||
        symbol >= file.symtab().symbols.size() || file.isCommon(symbol))
      continue;
    const uint64_t address =
        file.symtab().symbols[symbol].st_value + addendOf(entry);
    sequences.push_back({file.sectionIndex(symbol), 0,
                         entry.r_offset - std::size(SetAddress), 0, address});
  }
}

/// A sequence goes on to the next one, or to its unit's end.
void SourceLines::endSequences() {
  auto isBefore = [](const Sequence &a, const Sequence &b) {
    return a.begin < b.begin;
  };
  if (!llvm::is_sorted(sequences, isBefore))
    llvm::stable_sort(sequences, isBefore);
  auto next = sequences.begin();
  for (uint64_t offset = 0;
       offset < section.size() && next != sequences.end();) {
    Expected<LineUnit> unit = readLineUnit(section, offset);
    if (!unit) {
      consumeError(unit.takeError());
      break;
    }
    for (; next != sequences.end() && next->begin < unit->end(); ++next) {
      next->unit = offset;
      next->end = unit->end();
      if (next != sequences.begin() && next[-1].unit == offset)
        next[-1].end = std::min(next[-1].end, next->begin);
    }
    offset = unit->end();
  }
  auto isOfLess = [](const Sequence &a, const Sequence &b) {
    return a.text < b.text;
  };
  if (!llvm::is_sorted(sequences, isOfLess))
    llvm::stable_sort(sequences, isOfLess);
}

ArrayRef<SourceLines::Sequence> SourceLines::sequencesOf(unsigned text) const {
  auto begin = partition_point(
      sequences, [&](const Sequence &s) { return s.text < text; });
  auto end = begin;
  while (end != sequences.end() && end->text == text)
    ++end;
  return ArrayRef(sequences).slice(begin - sequences.begin(), end - begin);
}

SourceLines::SourceLines(const CubinFile &file) : file(file) {
  const unsigned lines = file.findSection(".debug_line");
  if (!lines)
    return;
  section = file.contents(lines);
  for (unsigned i = 1; i < file.sections().size(); ++i) {
    const Elf_Shdr &shdr = file.sections()[i];
    if (shdr.sh_info != lines || shdr.sh_flags & SHF_CUDA_MERCURY)
      continue;
    if (shdr.sh_type == SHT_RELA)
      addSequences(file.relas(i));
    else if (shdr.sh_type == SHT_REL)
      addSequences(file.rels(i));
  }
  endSequences();
}

SourceLines::Unit *SourceLines::readUnit(uint64_t offset) const {
  if (lastUnit && lastUnit->offset == offset)
    return lastUnit;
  if (offset >= section.size())
    return nullptr;
  if (auto it = units.find(offset); it != units.end())
    return lastUnit = it->second.get();
  Expected<LineUnit> unit = readLineUnit(section, offset);
  if (!unit) {
    consumeError(unit.takeError());
    return nullptr;
  }
  constexpr uint16_t OldestVersion = 2, NewestVersion = 4;
  const uint16_t version =
      support::endian::read16le(unit->header.data() + sizeof(uint32_t));
  if (version < OldestVersion || version > NewestVersion)
    return nullptr;
  uint64_t namesBegin = 0;
  Expected<LineEncoding> encoding = readLineEncoding(*unit, &namesBegin);
  if (!encoding) {
    consumeError(encoding.takeError());
    return nullptr;
  }
  auto result = std::make_unique<Unit>();
  result->offset = offset;
  result->encoding = std::move(*encoding);
  DataExtractor data = extractData(unit->header);
  DataExtractor::Cursor cursor(namesBegin);
  for (;;) {
    const StringRef name = data.getCStrRef(cursor);
    if (!cursor || name.empty())
      break;
    result->directories.push_back(name);
  }
  while (cursor) {
    const StringRef name = data.getCStrRef(cursor);
    if (!cursor || name.empty())
      break;
    const uint64_t directory = data.getULEB128(cursor);
    data.getULEB128(cursor); // Time of modification.
    data.getULEB128(cursor); // Size.
    if (cursor)
      result->files.push_back({name, directory, {}});
  }
  consumeError(cursor.takeError());
  lastUnit = result.get();
  units[offset] = std::move(result);
  return lastUnit;
}

std::vector<SourceLines::Row> SourceLines::readRows(const Sequence &sequence,
                                                    uint64_t stopAt,
                                                    uint64_t *end) const {
  std::vector<Row> rows;
  if (sequence.end <= sequence.begin)
    return rows;
  const Unit *unit = readUnit(sequence.unit);
  if (!unit)
    return rows;
  LineOpcodeReader reader(
      unit->encoding,
      section.slice(sequence.begin, sequence.end - sequence.begin));
  Row row{sequence.address, 1, 1};
  for (LineOpcode opcode; reader.next(opcode);) {
    row.address += opcode.advance;
    row.line += opcode.lines;
    if (opcode.kind == LineOpcode::SetFile)
      row.file = opcode.operand;
    if (opcode.kind == LineOpcode::Extended &&
        opcode.operand == dwarf::DW_LNE_end_sequence) {
      if (end)
        *end = row.address;
      break;
    }
    if (opcode.kind != LineOpcode::Special && opcode.kind != LineOpcode::Copy)
      continue;
    rows.push_back(row);
    // Addresses of a sequence only grow.
    if (row.address >= stopAt)
      break;
  }
  consumeError(reader.takeError());
  llvm::stable_sort(
      rows, [](const Row &a, const Row &b) { return a.address < b.address; });
  return rows;
}

std::optional<StringRef> SourceLines::fileName(uint64_t unitOffset,
                                               uint64_t number) const {
  Unit *unit = readUnit(unitOffset);
  const StringRef name = unit ? fileName(*unit, number) : StringRef();
  if (name.empty())
    return std::nullopt;
  return name;
}

StringRef SourceLines::fileName(Unit &unit, uint64_t number) {
  if (!number || number > unit.files.size())
    return {};
  Unit::File &file = unit.files[number - 1];
  if (file.path.empty()) {
    SmallString<128> path;
    if (file.directory && file.directory <= unit.directories.size() &&
        !sys::path::is_absolute(file.name))
      path = unit.directories[file.directory - 1];
    sys::path::append(path, file.name);
    file.path = path.str().str();
  }
  return file.path;
}

std::optional<SourcePlace> SourceLines::place(Unit &unit, const Row &row) {
  const StringRef path = fileName(unit, row.file);
  if (path.empty() || !row.line)
    return std::nullopt;
  return SourcePlace{path, row.line};
}

std::optional<SourceLine> SourceLines::describe(const Sequence &sequence,
                                                const Row &row) const {
  Unit *unit = readUnit(sequence.unit);
  const std::optional<SourcePlace> found =
      unit ? place(*unit, row) : std::nullopt;
  if (!found)
    return std::nullopt;
  return SourceLine{found->file.str(), found->line};
}

std::vector<SourceRange> SourceLines::ranges(unsigned text) const {
  std::vector<SourceRange> all;
  for (const Sequence &s : sequencesOf(text)) {
    uint64_t end = 0;
    const std::vector<Row> rows = readRows(s, UINT64_MAX, &end);
    for (size_t i = 0; i != rows.size(); ++i) {
      const uint64_t next = i + 1 == rows.size() ? end : rows[i + 1].address;
      if (next <= rows[i].address)
        continue;
      if (const std::optional<SourcePlace> found =
              place(*readUnit(s.unit), rows[i]))
        all.push_back({rows[i].address, next, found->file});
    }
  }
  llvm::stable_sort(all, [](const SourceRange &a, const SourceRange &b) {
    return a.begin < b.begin;
  });
  std::vector<SourceRange> ranges;
  for (SourceRange range : all) {
    if (!ranges.empty()) {
      SourceRange &last = ranges.back();
      range.begin = std::max(range.begin, last.end);
      if (range.begin == last.end && range.begin < range.end &&
          range.file == last.file) {
        last.end = range.end;
        continue;
      }
    }
    if (range.begin < range.end)
      ranges.push_back(range);
  }
  return ranges;
}

/// A number of LEB128 in one byte or two, as lines and files are.
static bool readShort(ArrayRef<uint8_t> &rest, bool isSigned, uint64_t &value) {
  size_t size = 1;
  if (rest.empty() || (rest[0] & 0x80 && (++size, rest.size() < 2)) ||
      rest[size - 1] & 0x80)
    return false;
  value = rest[0] & 0x7f;
  if (size == 2)
    value |= uint64_t(rest[1]) << 7;
  rest = rest.drop_front(size);
  if (isSigned && value >> (size * 7 - 1))
    value -= uint64_t(1) << size * 7;
  return true;
}

std::optional<SourceLines::Row>
SourceLines::readFirstRow(const Unit &unit, const Sequence &sequence) const {
  if (sequence.end <= sequence.begin)
    return std::nullopt;
  const LineEncoding &encoding = unit.encoding;
  constexpr size_t AddressSize = 8;
  ArrayRef<uint8_t> rest =
      section.slice(sequence.begin + std::size(SetAddress),
                    sequence.end - sequence.begin - std::size(SetAddress));
  if (rest.size() < AddressSize)
    return std::nullopt;
  rest = rest.drop_front(AddressSize);
  Row row{sequence.address, 1, 1};
  while (!rest.empty()) {
    const uint8_t opcode = rest.front();
    rest = rest.drop_front();
    uint64_t operand;
    if (opcode >= encoding.opcodeBase) {
      const uint8_t adjusted = opcode - encoding.opcodeBase;
      row.address +=
          uint64_t(adjusted / encoding.lineRange) * encoding.minInstruction;
      row.line += encoding.lineBase + adjusted % encoding.lineRange;
      return row;
    }
    switch (opcode) {
    case dwarf::DW_LNS_copy:
      return row;
    case dwarf::DW_LNS_advance_line:
      if (!readShort(rest, /*isSigned=*/true, operand))
        return std::nullopt;
      row.line += operand;
      break;
    case dwarf::DW_LNS_set_file:
      if (!readShort(rest, /*isSigned=*/false, operand))
        return std::nullopt;
      row.file = operand;
      break;
    default:
      return std::nullopt;
    }
  }
  return std::nullopt;
}

std::optional<SourcePlace>
SourceLines::findBegin(const Sequence &sequence) const {
  Unit *unit = readUnit(sequence.unit);
  if (!unit)
    return std::nullopt;
  if (const std::optional<Row> row = readFirstRow(*unit, sequence))
    return place(*unit, *row);
  for (const Row &row : readRows(sequence, /*stopAt=*/0))
    return place(*unit, row);
  return std::nullopt;
}

void SourceLines::forEachBegin(
    function_ref<bool(unsigned text)> isWanted,
    function_ref<void(unsigned text, SourcePlace)> visit) const {
  unsigned last = 0; // No section.
  bool isOpen = false;
  for (const Sequence &s : sequences) {
    if (s.text != last) {
      last = s.text;
      isOpen = isWanted(last);
    }
    if (!isOpen)
      continue;
    if (const std::optional<SourcePlace> begin = findBegin(s)) {
      visit(last, *begin);
      isOpen = false;
    }
  }
}

std::optional<SourceLine> SourceLines::find(unsigned text,
                                            uint64_t offset) const {
  const Sequence *best = nullptr;
  Row bestRow{};
  for (const Sequence &s : sequencesOf(text)) {
    const std::vector<Row> rows = readRows(s);
    auto next = llvm::upper_bound(
        rows, offset, [](uint64_t at, const Row &r) { return at < r.address; });
    if (next == rows.begin())
      continue;
    if (const Row &row = *std::prev(next);
        !best || row.address > bestRow.address) {
      best = &s;
      bestRow = row;
    }
  }
  return best ? describe(*best, bestRow) : std::nullopt;
}

std::optional<SourceLine> SourceLines::findFirst(unsigned text,
                                                 uint64_t offset) const {
  for (const Sequence &s : sequencesOf(text))
    for (const Row &row : readRows(s, offset))
      if (row.address >= offset)
        return describe(s, row);
  return std::nullopt;
}

} // namespace lld::cuda
