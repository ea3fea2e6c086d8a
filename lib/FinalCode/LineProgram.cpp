//===- LineProgram.cpp - Opcodes of line tables, read and written ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Reads and writes the opcodes of line tables (.debug_line). Lines.cpp
/// rebuilds line tables with these readers and the encoder when a link
/// finalizes functions; SourceLines.cpp reads lines with them when a message or
/// a report names a place in the source. LineEncoder chooses opcodes as nvlink
/// does, and not the shortest ones: it writes a special opcode only for a row
/// whose address and line both change, and otherwise DW_LNS_advance_line,
/// DW_LNS_advance_pc and DW_LNS_copy. The reader accepts a standard opcode that
/// it doesn't know, because the header of the unit says how many operands each
/// has.
///
//===----------------------------------------------------------------------===//

#include "LineProgram.h"
#include "Damaged.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/LEB128.h"

using namespace llvm;
using namespace llvm::support::endian;

namespace lld::cuda {

Expected<LineEncoding> readLineEncoding(const LineUnit &unit, uint64_t *end) {
  DataExtractor data = extractData(unit.header);
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
  if (encoding.opcodeBase) {
    const StringRef counts = data.getBytes(cursor, encoding.opcodeBase - 1);
    encoding.operandCounts.append(counts.bytes_begin(), counts.bytes_end());
  }
  if (end)
    *end = cursor.tell();
  if (Error e = cursor.takeError())
    return e;
  if (!encoding.minInstruction || !encoding.lineRange || !encoding.opcodeBase)
    return damaged("line table at offset {0:x} is damaged", unit.offset);
  return encoding;
}

Expected<LineUnit> readLineUnit(ArrayRef<uint8_t> section, uint64_t offset) {
  // u32 length after it, u16 version, u32 length of the header after it.
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

bool LineOpcodeReader::next(LineOpcode &opcode) {
  const uint64_t at = cursor.tell();
  if (!cursor || at >= program.size())
    return false;
  const uint8_t byte = data.getU8(cursor);
  opcode = byte >= encoding.opcodeBase ? readSpecial(byte)
           : byte                      ? readStandard(byte)
                                       : readExtended();
  if (!cursor)
    return false;
  opcode.bytes = program.slice(at, cursor.tell() - at);
  return true;
}

LineOpcode LineOpcodeReader::readSpecial(uint8_t byte) const {
  const uint8_t adjusted = byte - encoding.opcodeBase;
  LineOpcode result;
  result.kind = LineOpcode::Special;
  result.advance =
      uint64_t(adjusted / encoding.lineRange) * encoding.minInstruction;
  result.lines = encoding.lineBase + adjusted % encoding.lineRange;
  return result;
}

LineOpcode LineOpcodeReader::readStandard(uint8_t byte) {
  LineOpcode result;
  switch (byte) {
  case dwarf::DW_LNS_copy:
    result.kind = LineOpcode::Copy;
    return result;
  case dwarf::DW_LNS_advance_pc:
    result.kind = LineOpcode::AdvancePc;
    result.advance = data.getULEB128(cursor) * encoding.minInstruction;
    return result;
  case dwarf::DW_LNS_advance_line:
    result.kind = LineOpcode::AdvanceLine;
    result.lines = data.getSLEB128(cursor);
    return result;
  case dwarf::DW_LNS_set_file:
    result.kind = LineOpcode::SetFile;
    result.operand = data.getULEB128(cursor);
    return result;
  case dwarf::DW_LNS_set_prologue_end:
    result.kind = LineOpcode::EndPrologue;
    return result;
  case dwarf::DW_LNS_const_add_pc:
    result = readSpecial(UINT8_MAX);
    result.kind = LineOpcode::ConstAddPc;
    result.lines = 0;
    return result;
  case dwarf::DW_LNS_fixed_advance_pc:
    result.kind = LineOpcode::FixedAdvancePc;
    result.advance = data.getU16(cursor);
    return result;
  }
  for (unsigned i = 0; i < encoding.operandCounts[byte - 1] && cursor; ++i)
    data.getULEB128(cursor);
  return result;
}

LineOpcode LineOpcodeReader::readExtended() {
  LineOpcode result;
  result.kind = LineOpcode::Extended;
  const uint64_t size = data.getULEB128(cursor);
  const uint64_t body = cursor.tell();
  const uint8_t opcode = data.getU8(cursor);
  if (size) {
    result.operand = opcode;
    data.skip(cursor, size - 1);
  } else {
    cursor.seek(body);
  }
  return result;
}

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

void LineEncoder::writePrologueEnd() {
  if (endsPrologue)
    out.push_back(dwarf::DW_LNS_set_prologue_end);
  endsPrologue = false;
}

void LineEncoder::addRow(uint64_t newAddress, int64_t lines) {
  const int64_t advance =
      int64_t(newAddress - address) / encoding.minInstruction;
  if (advance)
    writePrologueEnd();
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
  writePrologueEnd();
  out.push_back(dwarf::DW_LNS_copy);
}

} // namespace lld::cuda
