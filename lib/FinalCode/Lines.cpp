//===- Lines.cpp - Line tables of finalized code --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Rewrites line tables (.debug_line and its native form, .nv_debug_line_sass)
/// when the linker finalizes functions of sm_100 and later. The linker's
/// DebugTables.cpp calls rebuildLineTable() for each input's table, before
/// relocations are processed. A line table is a number of units: a header, then
/// a sequence of rows for each function, which begins with a relocated
/// DW_LNE_set_address. nvlink keeps the sequences of reachable functions, in
/// the order of their sections in the output.
///
/// Where code was edited, the rows are encoded anew the way nvlink does: a
/// special opcode when it fits and address and line advance; else advance_line,
/// advance_pc and copy, without those that add nothing. An advance of the line
/// by 0 is written when the address doesn't advance either. All numbers are
/// signed LEB128.
///
//===----------------------------------------------------------------------===//

#include "Damaged.h"
#include "LineProgram.h"
#include "lld-cuda/FinalCode/CodeEdit.h"
#include "lld-cuda/FinalCode/Debug.h"
#include "lld-cuda/FinalCode/MercuryOffsets.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/Support/DataExtractor.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/LEB128.h"

using namespace llvm;
using namespace llvm::support::endian;

namespace lld::cuda {

namespace {

static constexpr uint8_t EndOfSequence[] = {0, 1, dwarf::DW_LNE_end_sequence};

/// The rows of one function.
struct LineSequence {
  uint64_t offset, end; ///< In the section.
  size_t reference;
  const DebugFunction *function;
};

/// Encodes the rows of one sequence anew.
class LineMover {
public:
  LineMover(const CodeEdit &edit, const LineEncoding &encoding,
            ArrayRef<uint8_t> sequence, SmallVectorImpl<uint8_t> &out)
      : edit(edit), reader(encoding, sequence), out(out),
        encoder(encoding, out) {}

  Error run() {
    for (LineOpcode opcode; reader.next(opcode);)
      add(opcode);
    return reader.takeError();
  }

private:
  void add(const LineOpcode &opcode);
  void writeRow() {
    encoder.addRow(edit.newStart(oldAddress), lines);
    lines = 0;
    rowAddress = oldAddress;
  }
  /// In code for sm_110, two advances may lead to one row, and tables of Tile
  /// IR begin with an advance in front of the line.
  void keepAdvance() {
    if (oldAddress != rowAddress && !lines)
      encoder.advanceTo(edit.newStart(oldAddress));
    rowAddress = oldAddress;
  }

  const CodeEdit &edit;
  LineOpcodeReader reader;
  SmallVectorImpl<uint8_t> &out;
  LineEncoder encoder;
  uint64_t oldAddress = 0;
  uint64_t rowAddress = 0; ///< Of the last row or advance, in the old code.
  uint64_t lines = 0;      ///< Since the last row; may be negative.
};

} // namespace

void LineMover::add(const LineOpcode &opcode) {
  if (opcode.kind == LineOpcode::Special ||
      opcode.kind == LineOpcode::AdvancePc ||
      opcode.kind == LineOpcode::AdvanceLine)
    keepAdvance();
  oldAddress += opcode.advance;
  lines += opcode.lines;
  switch (opcode.kind) {
  case LineOpcode::Special:
  case LineOpcode::Copy:
    return writeRow();
  case LineOpcode::AdvancePc:
  case LineOpcode::AdvanceLine:
  case LineOpcode::ConstAddPc:
  case LineOpcode::FixedAdvancePc:
    return;
  case LineOpcode::EndPrologue:
    return encoder.endPrologue();
  case LineOpcode::Extended:
    if (opcode.operand == dwarf::DW_LNE_end_sequence)
      encoder.addEnd(edit.newStart(oldAddress), lines);
    break;
  case LineOpcode::SetFile:
  case LineOpcode::Other:
    break;
  }
  // What isn't about lines and addresses stays as it is.
  append_range(out, opcode.bytes);
}

/// The sequences of a unit in the order of the output. `next` is the first
/// reference that may be about the unit, and then the first after it.
static Expected<std::vector<LineSequence>>
findSequences(ArrayRef<uint8_t> section, const LineUnit &unit,
              ArrayRef<DebugReference> references, size_t &next) {
  // The extended opcode DW_LNE_set_address before the relocated address.
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
  erase_if(sequences,
           [](const LineSequence &s) { return !s.function->reachable; });
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
  bool endsPrologue;
};

} // namespace

/// Moves the row, and adds it where the opcode says so. False: the compiler
/// doesn't write that for code without inlined functions.
static bool addOpcode(const LineOpcode &opcode, LineRow &row,
                      std::vector<LineRow> &rows) {
  /// Whether the row begins the function.
  constexpr uint8_t FunctionBegin = 0x92;
  row.address += opcode.advance;
  row.line += opcode.lines;
  switch (opcode.kind) {
  case LineOpcode::Special:
  case LineOpcode::Copy:
    rows.push_back(row);
    row.endsPrologue = false;
    return true;
  case LineOpcode::EndPrologue:
    row.endsPrologue = true;
    return true;
  case LineOpcode::AdvancePc:
  case LineOpcode::AdvanceLine:
    return true;
  case LineOpcode::SetFile:
    row.file = opcode.operand;
    return true;
  case LineOpcode::Extended:
    return opcode.operand == dwarf::DW_LNE_set_address ||
           opcode.operand == dwarf::DW_LNE_end_sequence ||
           opcode.operand == FunctionBegin;
  case LineOpcode::ConstAddPc:
  case LineOpcode::FixedAdvancePc:
  case LineOpcode::Other:
    break;
  }
  return false;
}

/// A sequence's rows. Nothing if there is something else, or addresses go back.
static std::optional<std::vector<LineRow>>
readRows(const LineEncoding &encoding, ArrayRef<uint8_t> sequence) {
  LineOpcodeReader reader(encoding, sequence);
  LineRow row{0, 1, 1, false};
  std::vector<LineRow> rows;
  bool isUnderstood = true;
  for (LineOpcode opcode; isUnderstood && reader.next(opcode);)
    isUnderstood = addOpcode(opcode, row, rows);
  if (Error e = reader.takeError()) {
    consumeError(std::move(e));
    return std::nullopt;
  }
  auto isBefore = [](const LineRow &a, const LineRow &b) {
    return a.address < b.address;
  };
  if (!isUnderstood || rows.empty() || !is_sorted(rows, isBefore))
    return std::nullopt;
  return rows;
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
  auto mercury = readRows(encoding, reference.mercuryRows);
  auto native = readRows(encoding, own);
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
  LineRow last{0, 0, 1, false};
  for (const LineRow &row : rows) {
    if (row.file != last.file) {
      uint8_t number[10];
      out.push_back(dwarf::DW_LNS_set_file);
      out.append(number, number + encodeULEB128(row.file, number));
    }
    if (row.endsPrologue)
      encoder.endPrologue();
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
  append_range(out, EndOfSequence);
  return true;
}

static Error rebuildUnit(ArrayRef<uint8_t> section, const LineUnit &unit,
                         ArrayRef<DebugReference> references,
                         ArrayRef<LineSequence> sequences, bool endsEmptyUnits,
                         RebuiltLineTable &result) {
  constexpr uint64_t LengthEnd = 4, SetAddressSize = 3;
  uint64_t start = result.bytes.size();
  result.units.push_back({unit.offset, start, unit.header.size()});
  append_range(result.bytes, unit.header);
  if (sequences.empty() && endsEmptyUnits)
    append_range(result.bytes, EndOfSequence);
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
    Expected<LineEncoding> encoding = readLineEncoding(unit);
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
    Expected<LineUnit> unit = readLineUnit(section, offset);
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

Expected<RebuiltLineTable> rebuildLineTable(ArrayRef<uint8_t> section,
                                            ArrayRef<DebugReference> references,
                                            bool endsEmptyUnits) {
  RebuiltLineTable result;
  auto rebuild = [&](const LineUnit &unit, ArrayRef<LineSequence> sequences) {
    return rebuildUnit(section, unit, references, sequences, endsEmptyUnits,
                       result);
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
