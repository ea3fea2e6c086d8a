//===- LineProgram.h - Reader and encoder of line programs ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The project's only reader of DWARF line number programs (.debug_line), and
/// an encoder of such programs that chooses opcodes as nvlink does. A line
/// table's rows are encoded as a program for a small machine: opcodes advance
/// its address and line registers, and some of them add a row.
/// Lines.cpp reads each line table when a final link writes debug information,
/// and encodes it anew where code was edited. SourceLines.cpp reads it to tell
/// source positions.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_LIB_FINALCODE_LINEPROGRAM_H
#define LLD_CUDA_LIB_FINALCODE_LINEPROGRAM_H

#include "lld-cuda/Support/LlvmCompat.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/DataExtractor.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/FormatVariadic.h"

namespace lld::cuda {

/// What a unit's header says about the encoding of rows.
struct LineEncoding {
  uint8_t minInstruction;
  int8_t lineBase;
  uint8_t lineRange;
  uint8_t opcodeBase;
  llvm::SmallVector<uint8_t, 16> operandCounts; ///< Index 0 is opcode 1.
};

/// A unit (header and line number program) of the input, whose bytes it refers
/// to.
struct LineUnit {
  uint64_t offset;      ///< Offset in the section, in bytes.
  uint64_t programSize; ///< Bytes after the header.
  llvm::ArrayRef<uint8_t> header;
  uint64_t program() const { return offset + header.size(); }
  uint64_t end() const { return program() + programSize; }
};

/// Reads the unit at `offset` of the section. Fails if it is cut off.
llvm::Expected<LineUnit> readLineUnit(llvm::ArrayRef<uint8_t> section,
                                      uint64_t offset);
/// Reads how the unit's rows are encoded. Unless `end` is null, sets it to the
/// offset in `unit.header` where this part of the header ends. Fails if the
/// header is damaged.
llvm::Expected<LineEncoding> readLineEncoding(const LineUnit &unit,
                                              uint64_t *end = nullptr);

/// One opcode of a line number program, decoded.
struct LineOpcode {
  enum Kind : uint8_t {
    Special, ///< Advances address and line, and adds a row.
    Copy,    ///< Adds a row.
    AdvancePc,
    AdvanceLine,
    SetFile,
    EndPrologue, ///< The next row is the first after the prologue.
    ConstAddPc,
    FixedAdvancePc,
    Extended,
    Other, ///< Changes neither address nor line, and adds no row.
  };
  Kind kind = Other;
  uint64_t advance = 0; ///< Change of the address, in bytes.
  int64_t lines = 0;    ///< Change of the line.
  uint64_t operand = 0; ///< SetFile: the file's number. Extended: the extended
                        ///< opcode, 0 for none.
  llvm::ArrayRef<uint8_t> bytes; ///< The opcode with its operands.
};

/// Reads the opcodes of `program` in turn. `encoding` must outlive the reader.
class LineOpcodeReader {
public:
  LineOpcodeReader(const LineEncoding &encoding,
                   llvm::ArrayRef<uint8_t> program)
      : encoding(encoding), program(program), data(extractData(program)) {}

  /// Reads the next opcode. Returns false at the end, or if the program is cut
  /// off: takeError() tells which and must be called.
  bool next(LineOpcode &opcode);
  llvm::Error takeError() { return cursor.takeError(); }

private:
  LineOpcode readSpecial(uint8_t byte) const;
  LineOpcode readStandard(uint8_t byte);
  LineOpcode readExtended();

  const LineEncoding &encoding;
  llvm::ArrayRef<uint8_t> program;
  llvm::DataExtractor data;
  llvm::DataExtractor::Cursor cursor{0};
};

/// Appends the opcodes of rows to `out`, as nvlink encodes them. `encoding` and
/// `out` must outlive the encoder.
class LineEncoder {
public:
  LineEncoder(const LineEncoding &encoding, llvm::SmallVectorImpl<uint8_t> &out)
      : encoding(encoding), out(out) {}

  /// Adds a row. `lines` is the difference from the previous row's line, and
  /// may be negative.
  void addRow(uint64_t newAddress, int64_t lines);
  /// Marks the next row, or the end of the sequence, as the first after the
  /// prologue (rule [debug-prologue-end] of docs/reference).
  void endPrologue() { endsPrologue = true; }
  /// Advances the address by an opcode that adds no row.
  void advanceTo(uint64_t newAddress) {
    writeAdvances(newAddress, 0, /*isLast=*/true);
  }
  /// Advances to the end of the sequence. The caller adds DW_LNE_end_sequence.
  void addEnd(uint64_t newAddress, int64_t lines) {
    writeAdvances(newAddress, lines, /*isLast=*/true);
    writePrologueEnd();
  }

private:
  void writeAdvances(uint64_t newAddress, int64_t lines, bool isLast);
  void writeNumber(uint8_t opcode, int64_t value);
  void writePrologueEnd();

  const LineEncoding &encoding;
  llvm::SmallVectorImpl<uint8_t> &out;
  uint64_t address = 0;
  bool endsPrologue = false;
};

} // namespace lld::cuda

#endif
