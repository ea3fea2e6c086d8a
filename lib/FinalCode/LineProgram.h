//===- LineProgram.h - Opcodes of line tables, read and written -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A line table's rows are encoded as a program for a small machine: opcodes
/// move its address and line, and some of them add a row. Here is the one
/// reader of such programs, and the writer that chooses opcodes as nvlink does.
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

/// What a unit's header says about the encoding of its rows.
struct LineEncoding {
  uint8_t minInstruction;
  int8_t lineBase;
  uint8_t lineRange;
  uint8_t opcodeBase;
  llvm::SmallVector<uint8_t, 16> operandCounts; ///< By opcode, from 1 on.
};

/// A unit as it stands in the input.
struct LineUnit {
  uint64_t offset;      ///< In the section.
  uint64_t programSize; ///< Bytes after the header.
  llvm::ArrayRef<uint8_t> header;
  uint64_t program() const { return offset + header.size(); }
  uint64_t end() const { return program() + programSize; }
};

/// The unit that begins at `offset` of the section.
llvm::Expected<LineUnit> readLineUnit(llvm::ArrayRef<uint8_t> section,
                                      uint64_t offset);
/// The part of its header that says how rows are encoded. `end`: where that
/// part ends in the header.
llvm::Expected<LineEncoding> readLineEncoding(const LineUnit &unit,
                                              uint64_t *end = nullptr);

struct LineOpcode {
  enum Kind : uint8_t {
    Special, ///< Moves address and line, and adds a row.
    Copy,    ///< Adds a row.
    AdvancePc,
    AdvanceLine,
    SetFile,
    EndPrologue, ///< The next row is the first one behind the prologue.
    ConstAddPc,
    FixedAdvancePc,
    Extended,
    Other, ///< Neither moves nor adds anything.
  };
  Kind kind = Other;
  uint64_t advance = 0; ///< Bytes that the address moves.
  int64_t lines = 0;    ///< Lines that the line moves.
  uint64_t operand = 0; ///< SetFile: its file. Extended: its opcode, if any.
  llvm::ArrayRef<uint8_t> bytes;
};

class LineOpcodeReader {
public:
  LineOpcodeReader(const LineEncoding &encoding,
                   llvm::ArrayRef<uint8_t> program)
      : encoding(encoding), program(program), data(extractData(program)) {}

  /// False at the end, and where the program is cut off: see takeError().
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

/// Encodes rows the way nvlink does.
class LineEncoder {
public:
  LineEncoder(const LineEncoding &encoding, llvm::SmallVectorImpl<uint8_t> &out)
      : encoding(encoding), out(out) {}

  /// `lines`: how many the row is after the last one; may be negative.
  void addRow(uint64_t newAddress, int64_t lines);
  /// The next row, or the end, is the first one behind the prologue
  /// [debug-prologue-end].
  void endPrologue() { endsPrologue = true; }
  /// An advance of its own.
  void advanceTo(uint64_t newAddress) {
    writeAdvances(newAddress, 0, /*isLast=*/true);
  }
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
