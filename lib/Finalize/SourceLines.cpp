//===- SourceLines.cpp - Which source line code was made of ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The names of directories and files follow the encoding in a unit's header,
/// in the form of DWARF 2 to 4, which NVIDIA's compilers and LLVM's write for
/// the device. NVIDIA's extended opcodes about inlined calls move nothing: a
/// row says where its own code stands.
///
//===----------------------------------------------------------------------===//

#include "lld-cuda/Finalize/SourceLines.h"
#include "LineProgram.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace lld::cuda::elf;

namespace lld::cuda {

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
  for (const Entry &entry : entries) {
    const uint32_t symbol = entry.getSymbol(false);
    if (!isSetAddress(section, entry.r_offset) ||
        symbol >= file.symtab().symbols.size() || file.isCommon(symbol))
      continue;
    const uint64_t address =
        file.symtab().symbols[symbol].st_value + addendOf(entry);
    sequences[file.sectionIndex(symbol)].push_back(
        {0, entry.r_offset - std::size(SetAddress), 0, address});
  }
}

/// A sequence goes on to the next one, or to its unit's end.
void SourceLines::endSequences() {
  std::vector<Sequence *> all;
  for (auto &[text, list] : sequences)
    for (Sequence &s : list)
      all.push_back(&s);
  llvm::sort(all, [](const Sequence *a, const Sequence *b) {
    return a->begin < b->begin;
  });
  auto next = all.begin();
  for (uint64_t offset = 0; offset < section.size() && next != all.end();) {
    Expected<LineUnit> unit = readLineUnit(section, offset);
    if (!unit) {
      consumeError(unit.takeError());
      break;
    }
    for (; next != all.end() && (*next)->begin < unit->end(); ++next) {
      (*next)->unit = offset;
      (*next)->end = unit->end();
      if (next != all.begin() && next[-1]->unit == offset)
        next[-1]->end = std::min(next[-1]->end, (*next)->begin);
    }
    offset = unit->end();
  }
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

std::vector<SourceLines::Row> SourceLines::readRows(const Sequence &sequence,
                                                    uint64_t *end) const {
  std::vector<Row> rows;
  if (sequence.end <= sequence.begin)
    return rows;
  Expected<LineUnit> unit = readLineUnit(section, sequence.unit);
  if (!unit) {
    consumeError(unit.takeError());
    return rows;
  }
  constexpr uint16_t OldestVersion = 2, NewestVersion = 4;
  const uint16_t version =
      support::endian::read16le(unit->header.data() + sizeof(uint32_t));
  if (version < OldestVersion || version > NewestVersion)
    return rows;
  Expected<LineEncoding> encoding = readLineEncoding(*unit);
  if (!encoding) {
    consumeError(encoding.takeError());
    return rows;
  }
  LineOpcodeReader reader(
      *encoding, section.slice(sequence.begin, sequence.end - sequence.begin));
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
    if (opcode.kind == LineOpcode::Special || opcode.kind == LineOpcode::Copy)
      rows.push_back(row);
  }
  consumeError(reader.takeError());
  llvm::stable_sort(
      rows, [](const Row &a, const Row &b) { return a.address < b.address; });
  return rows;
}

std::vector<std::string> SourceLines::readFileNames(uint64_t unitOffset,
                                                    uint64_t count) const {
  // Only called for units with rows, for which the header was read.
  const LineUnit unit = cantFail(readLineUnit(section, unitOffset));
  uint64_t namesBegin = 0;
  cantFail(readLineEncoding(unit, &namesBegin).takeError());
  DataExtractor data(unit.header, /*IsLittleEndian=*/true, /*AddressSize=*/8);
  DataExtractor::Cursor cursor(namesBegin);
  std::vector<StringRef> directories;
  for (;;) {
    StringRef name = data.getCStrRef(cursor);
    if (!cursor || name.empty())
      break;
    directories.push_back(name);
  }
  std::vector<std::string> names;
  while (cursor && names.size() < count) {
    StringRef name = data.getCStrRef(cursor);
    const uint64_t directory = data.getULEB128(cursor);
    data.getULEB128(cursor); // Time of modification.
    data.getULEB128(cursor); // Size.
    if (!cursor || name.empty())
      break;
    SmallString<128> path;
    if (directory && directory <= directories.size() &&
        !sys::path::is_absolute(name))
      path = directories[directory - 1];
    sys::path::append(path, name);
    names.push_back(path.str().str());
  }
  consumeError(cursor.takeError());
  return names;
}

std::optional<SourceLine> SourceLines::describe(const Sequence &sequence,
                                                const Row &row) const {
  std::vector<std::string> names = readFileNames(sequence.unit, row.file);
  if (!row.file || names.size() < row.file || !row.line)
    return std::nullopt;
  return SourceLine{names[row.file - 1], row.line};
}

std::vector<SourceRange> SourceLines::ranges(unsigned text) {
  std::vector<SourceRange> all;
  auto it = sequences.find(text);
  if (it == sequences.end())
    return all;
  for (const Sequence &s : it->second) {
    uint64_t end = 0;
    const std::vector<Row> rows = readRows(s, &end);
    if (rows.empty())
      continue;
    auto [names, isNew] = fileNames.try_emplace(s.unit);
    if (isNew)
      names->second = readFileNames(s.unit, UINT64_MAX);
    for (size_t i = 0; i != rows.size(); ++i) {
      const Row &row = rows[i];
      const uint64_t next = i + 1 == rows.size() ? end : rows[i + 1].address;
      if (next > row.address && row.line && row.file &&
          row.file <= names->second.size())
        all.push_back({row.address, next, names->second[row.file - 1]});
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

std::optional<SourceLine> SourceLines::find(unsigned text,
                                            uint64_t offset) const {
  auto it = sequences.find(text);
  if (it == sequences.end())
    return std::nullopt;
  const Sequence *best = nullptr;
  Row bestRow{};
  for (const Sequence &s : it->second) {
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
  auto it = sequences.find(text);
  if (it == sequences.end())
    return std::nullopt;
  for (const Sequence &s : it->second)
    for (const Row &row : readRows(s))
      if (row.address >= offset)
        return describe(s, row);
  return std::nullopt;
}

} // namespace lld::cuda
