//===- FinalizeLines.cpp - Line tables of finalized code ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A line table is a number of units: a header, then a sequence of rows for
/// each function, which begins with a relocated DW_LNE_set_address. nvlink
/// keeps the sequences of live functions, in the order of their symbols.
///
/// Where code was edited, the rows are encoded anew the way nvlink does: a
/// special opcode when it fits and address and line advance; else advance_line,
/// advance_pc and copy, without those that add nothing. An advance of the
/// line by 0 is written when the address doesn't advance either. All numbers
/// are signed LEB128.
///
//===----------------------------------------------------------------------===//

#include "CodeEdit.h"
#include "FinalizeDebug.h"
#include "MercuryOffsets.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/Support/DataExtractor.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/LEB128.h"

using namespace llvm;
using namespace llvm::support::endian;

namespace lld::cuda {

template <typename... Ts> static Error damaged(const char *format, Ts... args) {
  return createStringError(std::errc::invalid_argument,
                           formatv(format, args...).str().c_str());
}

namespace {

/// What a unit's header says about the encoding of its rows.
struct LineEncoding {
  uint8_t minInstruction;
  int8_t lineBase;
  uint8_t lineRange;
  uint8_t opcodeBase;
  SmallVector<uint8_t, 16> operandCounts; ///< Of the opcodes from 1 on.
};

/// A unit as it stands in the input.
struct LineUnit {
  uint64_t offset;      ///< In the section.
  uint64_t programSize; ///< Bytes behind the header.
  ArrayRef<uint8_t> header;
  uint64_t program() const { return offset + header.size(); }
  uint64_t end() const { return program() + programSize; }
};

/// The rows of one function.
struct LineSequence {
  uint64_t offset, end; ///< In the section.
  size_t reference;
  const DebugFunction *function;
};

/// Encodes rows the way nvlink does.
class LineEncoder {
public:
  LineEncoder(const LineEncoding &encoding, SmallVectorImpl<uint8_t> &out)
      : encoding(encoding), out(out) {}

  /// `lines`: how many the row is behind the last one; may be negative.
  void addRow(uint64_t newAddress, int64_t lines);
  /// An advance of its own.
  void advanceTo(uint64_t newAddress) {
    writeAdvances(newAddress, 0, /*isLast=*/true);
  }
  void addEnd(uint64_t newAddress, int64_t lines) {
    writeAdvances(newAddress, lines, /*isLast=*/true);
  }

private:
  void writeAdvances(uint64_t newAddress, int64_t lines, bool isLast);
  void writeNumber(uint8_t opcode, int64_t value);

  const LineEncoding &encoding;
  SmallVectorImpl<uint8_t> &out;
  uint64_t address = 0;
};

/// Encodes the rows of one sequence anew.
class LineMover {
public:
  LineMover(const CodeEdit &edit, const LineEncoding &encoding,
            ArrayRef<uint8_t> sequence, SmallVectorImpl<uint8_t> &out)
      : edit(edit), encoding(encoding), sequence(sequence),
        data(sequence, /*IsLittleEndian=*/true, /*AddressSize=*/8), cursor(0),
        out(out), encoder(encoding, out) {}

  Error run();

private:
  void step();
  void stepStandard(uint8_t opcode, uint64_t at);
  void stepExtended(uint64_t at);
  void addSpecial(uint8_t opcode);
  void writeRow() {
    encoder.addRow(edit.newStart(oldAddress), lines);
    lines = 0;
    rowAddress = oldAddress;
  }
  /// In code for sm_110, two advances may lead to one row.
  void keepAdvance() {
    if (oldAddress != rowAddress && !lines)
      encoder.advanceTo(edit.newStart(oldAddress));
    rowAddress = oldAddress;
  }
  /// What isn't about lines and addresses stays as it is.
  void copyFrom(uint64_t at) {
    if (cursor)
      append_range(out, sequence.slice(at, cursor.tell() - at));
  }

  const CodeEdit &edit;
  const LineEncoding &encoding;
  ArrayRef<uint8_t> sequence;
  DataExtractor data;
  DataExtractor::Cursor cursor;
  SmallVectorImpl<uint8_t> &out;
  LineEncoder encoder;
  uint64_t oldAddress = 0;
  uint64_t rowAddress = 0; ///< Of the last row or advance, in the old code.
  uint64_t lines = 0;      ///< Since the last row; may be negative.
};

} // namespace

void LineEncoder::writeNumber(uint8_t opcode, int64_t value) {
  uint8_t bytes[10];
  out.push_back(opcode);
  out.append(bytes, bytes + encodeSLEB128(value, bytes));
}

/// Emits what leads to the address of the next row, or to the end.
void LineEncoder::writeAdvances(uint64_t newAddress, int64_t lines,
                                bool isLast) {
  const int64_t advance = newAddress - address;
  address = newAddress;
  if (lines || (!advance && !isLast))
    writeNumber(dwarf::DW_LNS_advance_line, lines);
  if (advance)
    writeNumber(dwarf::DW_LNS_advance_pc, advance / encoding.minInstruction);
}

void LineEncoder::addRow(uint64_t newAddress, int64_t lines) {
  const int64_t advance =
      int64_t(newAddress - address) / encoding.minInstruction;
  const int64_t line = uint64_t(lines) - int64_t(encoding.lineBase);
  if (advance > 0 && advance <= UINT8_MAX && lines && line >= 0 &&
      line < encoding.lineRange) {
    const int64_t special =
        line + encoding.lineRange * advance + encoding.opcodeBase;
    if (special <= UINT8_MAX) {
      address += advance * encoding.minInstruction;
      out.push_back(special);
      return;
    }
  }
  writeAdvances(newAddress, lines, /*isLast=*/false);
  out.push_back(dwarf::DW_LNS_copy);
}

void LineMover::addSpecial(uint8_t opcode) {
  uint8_t adjusted = opcode - encoding.opcodeBase;
  oldAddress += adjusted / encoding.lineRange * encoding.minInstruction;
  lines += encoding.lineBase + adjusted % encoding.lineRange;
}

void LineMover::stepExtended(uint64_t at) {
  uint64_t size = data.getULEB128(cursor);
  uint64_t body = cursor.tell();
  uint8_t opcode = data.getU8(cursor);
  if (size)
    data.skip(cursor, size - 1);
  else
    cursor.seek(body);
  if (cursor && size && opcode == dwarf::DW_LNE_end_sequence)
    encoder.addEnd(edit.newStart(oldAddress), lines);
  copyFrom(at);
}

void LineMover::stepStandard(uint8_t opcode, uint64_t at) {
  switch (opcode) {
  case dwarf::DW_LNS_copy:
    return writeRow();
  case dwarf::DW_LNS_advance_pc:
    keepAdvance();
    oldAddress += data.getULEB128(cursor) * encoding.minInstruction;
    return;
  case dwarf::DW_LNS_advance_line:
    lines += data.getSLEB128(cursor);
    return;
  case dwarf::DW_LNS_const_add_pc: {
    uint64_t line = lines;
    addSpecial(UINT8_MAX);
    lines = line;
    return;
  }
  case dwarf::DW_LNS_fixed_advance_pc:
    oldAddress += data.getU16(cursor);
    return;
  }
  for (unsigned i = 0; i < encoding.operandCounts[opcode - 1] && cursor; ++i)
    data.getULEB128(cursor);
  copyFrom(at);
}

void LineMover::step() {
  uint64_t at = cursor.tell();
  uint8_t opcode = data.getU8(cursor);
  if (opcode >= encoding.opcodeBase) {
    keepAdvance();
    addSpecial(opcode);
    return writeRow();
  }
  opcode ? stepStandard(opcode, at) : stepExtended(at);
}

Error LineMover::run() {
  while (cursor && cursor.tell() < sequence.size())
    step();
  return cursor.takeError();
}

/// Reads the part of a unit's header that says how rows are encoded.
static Expected<LineEncoding> readEncoding(const LineUnit &unit) {
  DataExtractor data(unit.header, /*IsLittleEndian=*/true, /*AddressSize=*/8);
  constexpr uint64_t VersionOffset = 4, FieldsOffset = 10;
  DataExtractor::Cursor cursor(VersionOffset);
  uint16_t version = data.getU16(cursor);
  cursor.seek(FieldsOffset);
  LineEncoding encoding;
  encoding.minInstruction = data.getU8(cursor);
  if (version >= 4)
    data.getU8(cursor); // Operations of an instruction.
  data.getU8(cursor);   // Whether rows are statements by default.
  encoding.lineBase = int8_t(data.getU8(cursor));
  encoding.lineRange = data.getU8(cursor);
  encoding.opcodeBase = data.getU8(cursor);
  for (unsigned i = 1; i < encoding.opcodeBase && cursor; ++i)
    encoding.operandCounts.push_back(data.getU8(cursor));
  if (Error e = cursor.takeError())
    return e;
  if (!encoding.minInstruction || !encoding.lineRange || !encoding.opcodeBase)
    return damaged("line table at offset {0:x} is damaged", unit.offset);
  return encoding;
}

static Expected<LineUnit> readUnit(ArrayRef<uint8_t> section, uint64_t offset) {
  // u32 length behind it, u16 version, u32 length of the header behind it.
  constexpr uint64_t LengthEnd = 4, HeaderLengthOffset = 6, HeaderStart = 10;
  ArrayRef<uint8_t> rest = section.drop_front(offset);
  if (rest.size() < HeaderStart)
    return damaged("line table at offset {0:x} is cut off", offset);
  uint64_t size = LengthEnd + read32le(rest.data());
  uint64_t header = HeaderStart + read32le(rest.data() + HeaderLengthOffset);
  if (size > rest.size() || header > size)
    return damaged("line table at offset {0:x} is damaged", offset);
  return LineUnit{offset, size - header, rest.take_front(header)};
}

/// The sequences of a unit in the order of the output. `next` is the first
/// reference that may be about the unit, and then the first behind it.
static Expected<std::vector<LineSequence>>
findSequences(ArrayRef<uint8_t> section, const LineUnit &unit,
              ArrayRef<DebugReference> references, size_t &next) {
  // The extended opcode DW_LNE_set_address in front of the relocated address.
  static const uint8_t SetAddress[] = {0, 9, dwarf::DW_LNE_set_address};
  std::vector<LineSequence> sequences;
  for (; next < references.size() && references[next].offset < unit.end();
       ++next) {
    uint64_t at = references[next].offset;
    if (at < unit.program() + std::size(SetAddress) ||
        section.slice(at - std::size(SetAddress), std::size(SetAddress)) !=
            ArrayRef(SetAddress))
      return damaged("relocation at offset {0:x} sets no address of a line "
                     "table",
                     at);
    at -= std::size(SetAddress);
    if (!sequences.empty())
      sequences.back().end = at;
    sequences.push_back({at, unit.end(), next, &references[next].function});
  }
  erase_if(sequences, [](const LineSequence &s) { return !s.function->live; });
  stable_sort(sequences, [](const LineSequence &a, const LineSequence &b) {
    return a.function->order < b.function->order;
  });
  return sequences;
}

namespace {

struct LineRow {
  uint64_t address;
  uint64_t file;
  uint64_t line;
};

/// Reads a sequence's rows. Knows what the compiler writes for code without
/// inlined functions.
class LineReader {
public:
  LineReader(const LineEncoding &encoding, ArrayRef<uint8_t> sequence)
      : encoding(encoding), size(sequence.size()),
        data(sequence, /*IsLittleEndian=*/true, /*AddressSize=*/8) {}

  /// Nothing if there is something else, or addresses go back.
  std::optional<std::vector<LineRow>> read();

private:
  bool step();
  bool stepExtended();
  void addSpecial(uint8_t opcode) {
    uint8_t adjusted = opcode - encoding.opcodeBase;
    row.address += adjusted / encoding.lineRange * encoding.minInstruction;
    row.line += encoding.lineBase + adjusted % encoding.lineRange;
  }

  const LineEncoding &encoding;
  uint64_t size;
  DataExtractor data;
  DataExtractor::Cursor cursor{0};
  LineRow row{0, 1, 1};
  std::vector<LineRow> rows;
};

} // namespace

bool LineReader::stepExtended() {
  /// Whether the row begins the function.
  constexpr uint8_t FunctionBegin = 0x92;
  uint64_t length = data.getULEB128(cursor);
  uint8_t opcode = data.getU8(cursor);
  if (!cursor || !length)
    return false;
  data.skip(cursor, length - 1);
  return opcode == dwarf::DW_LNE_set_address ||
         opcode == dwarf::DW_LNE_end_sequence || opcode == FunctionBegin;
}

bool LineReader::step() {
  uint8_t opcode = data.getU8(cursor);
  if (opcode >= encoding.opcodeBase) {
    addSpecial(opcode);
    rows.push_back(row);
    return true;
  }
  switch (opcode) {
  case 0:
    return stepExtended();
  case dwarf::DW_LNS_copy:
    rows.push_back(row);
    return true;
  case dwarf::DW_LNS_advance_pc:
    row.address += data.getULEB128(cursor) * encoding.minInstruction;
    return true;
  case dwarf::DW_LNS_advance_line:
    row.line += data.getSLEB128(cursor);
    return true;
  case dwarf::DW_LNS_set_file:
    row.file = data.getULEB128(cursor);
    return true;
  default:
    return false;
  }
}

std::optional<std::vector<LineRow>> LineReader::read() {
  bool isUnderstood = true;
  while (cursor && cursor.tell() < size && isUnderstood)
    isUnderstood = step();
  if (Error e = cursor.takeError()) {
    consumeError(std::move(e));
    return std::nullopt;
  }
  auto isBehind = [](const LineRow &a, const LineRow &b) {
    return a.address < b.address;
  };
  if (!isUnderstood || rows.empty() || !is_sorted(rows, isBehind))
    return std::nullopt;
  return std::move(rows);
}

/// The last row of each address.
static std::vector<LineRow> withoutRepetitions(ArrayRef<LineRow> rows) {
  std::vector<LineRow> result;
  for (const LineRow &row : rows) {
    if (!result.empty() && result.back().address == row.address)
      result.pop_back();
    result.push_back(row);
  }
  return result;
}

/// A row for each instruction whose line is another than that of the one in
/// front of it. An instruction's line is what the Mercury rows say about its
/// Mercury offset.
static std::vector<LineRow> translateRows(ArrayRef<LineRow> rows,
                                          const DebugReference &reference) {
  const CodeEdit *edit = reference.function.edit;
  std::vector<LineRow> result;
  for (const MercuryOffsets::Pair &inst : reference.offsets->instructions()) {
    const LineRow *next = llvm::upper_bound(
        rows, inst.line, [](uint64_t offset, const LineRow &row) {
          return offset < row.address;
        });
    if (next == rows.begin())
      continue;
    LineRow row = *std::prev(next);
    if (!result.empty() && result.back().file == row.file &&
        result.back().line == row.line)
      continue;
    row.address = edit ? edit->newStart(inst.lineBegin) : inst.lineBegin;
    result.push_back(row);
  }
  return result;
}

/// Writes the sequence that the reference's Mercury rows become. False if they
/// can't be translated. `own` is the sequence as the compiler wrote it.
static bool writeTranslated(const DebugReference &reference,
                            const LineEncoding &encoding, ArrayRef<uint8_t> own,
                            SmallVectorImpl<uint8_t> &out) {
  constexpr size_t SetAddressSize = 11;
  auto mercury = LineReader(encoding, reference.mercuryRows).read();
  auto native = LineReader(encoding, own).read();
  if (!mercury || !native || own.size() < SetAddressSize)
    return false;
  const std::vector<LineRow> rows = reference.offsets
                                        ? translateRows(*mercury, reference)
                                        : withoutRepetitions(*mercury);
  if (rows.empty())
    return false;
  append_range(out, own.take_front(SetAddressSize));
  LineEncoder encoder(encoding, out);
  // Functions begin with a row twice, kernels don't.
  ArrayRef<LineRow> first = reference.function.isReplaced ? *native : *mercury;
  const bool isDoubled = reference.offsets && first.size() > 1 &&
                         first[0].address == first[1].address;
  LineRow last{0, 0, 1};
  for (const LineRow &row : rows) {
    if (row.file != last.file) {
      uint8_t number[10];
      out.push_back(dwarf::DW_LNS_set_file);
      out.append(number, number + encodeULEB128(row.file, number));
    }
    encoder.addRow(row.address, row.line - last.line);
    if (isDoubled && &row == &rows.front())
      encoder.addRow(row.address, 0);
    last = row;
  }
  uint64_t end = last.address;
  if (reference.offsets)
    end = reference.function.edit ? reference.function.edit->newSize()
                                  : reference.codeSize;
  encoder.addEnd(end, 0);
  const uint8_t endOfSequence[] = {0, 1, dwarf::DW_LNE_end_sequence};
  append_range(out, endOfSequence);
  return true;
}

static Error rebuildUnit(ArrayRef<uint8_t> section, const LineUnit &unit,
                         ArrayRef<DebugReference> references,
                         ArrayRef<LineSequence> sequences,
                         RebuiltLineTable &result) {
  constexpr uint64_t LengthEnd = 4, SetAddressSize = 3;
  uint64_t start = result.bytes.size();
  result.units.push_back({unit.offset, start, unit.header.size()});
  append_range(result.bytes, unit.header);
  for (const LineSequence &sequence : sequences) {
    const RebuiltLineTable::Reference place = {
        result.bytes.size() + SetAddressSize, sequence.reference};
    ArrayRef<uint8_t> rows =
        section.slice(sequence.offset, sequence.end - sequence.offset);
    const DebugReference &reference = references[sequence.reference];
    const bool isTranslated = !reference.mercuryRows.empty();
    if (!sequence.function->edit && !isTranslated) {
      result.references.push_back(place);
      append_range(result.bytes, rows);
      continue;
    }
    Expected<LineEncoding> encoding = readEncoding(unit);
    if (!encoding)
      return encoding.takeError();
    if (isTranslated) {
      if (writeTranslated(reference, *encoding, rows, result.bytes))
        result.references.push_back(place);
      continue;
    }
    result.references.push_back(place);
    if (Error e =
            LineMover(*sequence.function->edit, *encoding, rows, result.bytes)
                .run())
      return e;
  }
  write32le(result.bytes.data() + start,
            result.bytes.size() - start - LengthEnd);
  return Error::success();
}

/// Calls a function with each unit of a line table and the unit's sequences, up
/// to the first error.
static Error forEachUnit(
    ArrayRef<uint8_t> section, ArrayRef<DebugReference> references,
    function_ref<Error(const LineUnit &, ArrayRef<LineSequence>)> callback) {
  size_t next = 0;
  for (uint64_t offset = 0; offset < section.size();) {
    Expected<LineUnit> unit = readUnit(section, offset);
    if (!unit)
      return unit.takeError();
    Expected<std::vector<LineSequence>> sequences =
        findSequences(section, *unit, references, next);
    if (!sequences)
      return sequences.takeError();
    if (Error e = callback(*unit, *sequences))
      return e;
    offset = unit->end();
  }
  return Error::success();
}

Expected<RebuiltLineTable>
rebuildLineTable(ArrayRef<uint8_t> section,
                 ArrayRef<DebugReference> references) {
  RebuiltLineTable result;
  auto rebuild = [&](const LineUnit &unit, ArrayRef<LineSequence> sequences) {
    return rebuildUnit(section, unit, references, sequences, result);
  };
  if (Error e = forEachUnit(section, references, rebuild))
    return e;
  return result;
}

Expected<std::vector<ArrayRef<uint8_t>>>
splitLineTable(ArrayRef<uint8_t> section, ArrayRef<DebugReference> references) {
  std::vector<ArrayRef<uint8_t>> result(references.size());
  auto split = [&](const LineUnit &, ArrayRef<LineSequence> sequences) {
    for (const LineSequence &s : sequences)
      result[s.reference] = section.slice(s.offset, s.end - s.offset);
    return Error::success();
  };
  if (Error e = forEachUnit(section, references, split))
    return e;
  return result;
}

} // namespace lld::cuda
