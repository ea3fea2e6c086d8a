//===- Debug.cpp - Call frames and registers of finalized code ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// When the finalizer inserts or removes instructions, the debug information
/// that names code offsets must follow. FrameMover rewrites the advances of a
/// call frame in place: an advance is relative to the one before, so it keeps
/// the old and the new address side by side. It fails where the new distance
/// doesn't fit into the bytes of the old one. RegisterReader finds the ranges
/// in .nv_debug_info_reg_sass, which say in which code a register holds a
/// value; a function that isn't in the output gets the empty range 0 to 0.
/// DebugFrame.cpp and DebugTables.cpp of the linker call these functions.
///
//===----------------------------------------------------------------------===//

#include "lld-cuda/FinalCode/Debug.h"
#include "Damaged.h"
#include "lld-cuda/FinalCode/CallFrame.h"
#include "lld-cuda/FinalCode/CodeEdit.h"
#include "lld-cuda/FinalCode/Collectives.h"
#include "lld-cuda/Sass/Code.h"
#include "lld-cuda/Support/LlvmCompat.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace llvm::support::endian;
using namespace lld::cuda::sass;

namespace lld::cuda {

namespace {

/// Moves the addresses of one call frame program, each by itself.
class FrameMover {
public:
  using AddressMap = function_ref<uint64_t(uint64_t)>;
  FrameMover(AddressMap newPlace, MutableArrayRef<uint8_t> fde,
             uint64_t alignment, uint64_t oldStart, uint64_t newStart)
      : newPlace(newPlace), fde(fde), alignment(alignment),
        oldAddress(oldStart), newAddress(newStart) {}

  Error run() {
    return forEachFrameInstruction(
        fde, [&](const FrameInstruction &inst) -> Error {
          return inst.advance ? advance(inst) : Error::success();
        });
  }

private:
  Error advance(const FrameInstruction &inst);

  AddressMap newPlace;
  MutableArrayRef<uint8_t> fde;
  uint64_t alignment;
  uint64_t oldAddress, newAddress;
};

} // namespace

Error FrameMover::advance(const FrameInstruction &inst) {
  constexpr unsigned OpcodeBits = 6; // That hold a distance without operand.
  oldAddress += *inst.advance * alignment;
  const uint64_t moved = newPlace(oldAddress);
  const uint64_t distance = (moved - newAddress) / alignment;
  newAddress = moved;
  const unsigned operandSize = inst.size - 1;
  const unsigned bits = operandSize ? 8 * operandSize : OpcodeBits;
  if (!isUIntN(bits, distance))
    return damaged("advance at offset {0:x} of a frame has no room for {1:x}",
                   inst.offset, distance);
  uint8_t *p = fde.data() + inst.offset;
  if (!operandSize)
    *p = dwarf::DW_CFA_advance_loc | distance;
  for (unsigned i = 0; i < operandSize; ++i)
    p[1 + i] = distance >> (8 * i);
  return Error::success();
}

/// The code alignment of a frame's CIE.
static Expected<uint64_t> getFrameAlignment(ArrayRef<uint8_t> cie,
                                            ArrayRef<uint8_t> fde) {
  const uint64_t alignment = getCodeAlignment(cie);
  if (!alignment || fde.size() < FrameInstructionsOffset)
    return damaged("a frame of .debug_frame is cut off");
  return alignment;
}

Error moveCallFrame(const CodeEdit &edit, ArrayRef<uint8_t> cie,
                    MutableArrayRef<uint8_t> fde, uint64_t start) {
  Expected<uint64_t> alignment = getFrameAlignment(cie, fde);
  if (!alignment)
    return alignment.takeError();
  auto newPlace = [&](uint64_t address) {
    const auto *change = edit.changeAt(address / InstructionSize - 1);
    // Before the NOP that waits for a fence.
    const bool isAfterFence = address && change && change->isFence;
    return edit.newStart(address) - (isAfterFence ? InstructionSize : 0);
  };
  const uint64_t newStart = edit.newStart(start);
  if (Error e = FrameMover(newPlace, fde, *alignment, start, newStart).run())
    return e;
  uint8_t *range = fde.data() + FrameRangeOffset;
  write64le(range, edit.newStart(start + read64le(range)) - newStart);
  return Error::success();
}

Error moveFrameIntoCollectives(ArrayRef<uint8_t> code, ArrayRef<uint8_t> cie,
                               MutableArrayRef<uint8_t> fde, uint64_t start) {
  Expected<uint64_t> alignment = getFrameAlignment(cie, fde);
  if (!alignment)
    return alignment.takeError();
  // A rule holds from the end of an instruction on.
  auto newPlace = [&](uint64_t address) {
    return address < InstructionSize
               ? address
               : findCollectiveOperation(code, address - InstructionSize) +
                     InstructionSize;
  };
  return FrameMover(newPlace, fde, *alignment, start, start).run();
}

uint64_t moveRangeStart(const CodeEdit &edit, uint64_t start) {
  const CodeEdit::Change *change = edit.changeAt(start / InstructionSize);
  uint64_t moved = edit.newOffset(start);
  return change && change->removed && moved >= InstructionSize
             ? moved - InstructionSize
             : moved;
}

namespace {

/// A function's ranges: name, u32 count, then per range u32, name of the
/// register, u32 number of the register, u32 start, u32 end.
class RegisterReader {
public:
  struct Row {
    uint32_t number;
    LocationRange range;
    uint64_t offset; ///< Of the range in the section.
  };

  RegisterReader(ArrayRef<uint8_t> section)
      : size(section.size()), data(extractData(section)) {}

  /// Calls `visit(name, rows)` for each function.
  template <typename Visitor> Error run(Visitor visit) {
    std::vector<Row> rows;
    while (cursor && cursor.tell() < size) {
      StringRef name = data.getCStrRef(cursor);
      uint32_t count = data.getU32(cursor);
      rows.clear();
      for (uint32_t i = 0; i < count && cursor; ++i) {
        data.getU32(cursor);
        data.getCStrRef(cursor);
        Row row;
        row.number = data.getU32(cursor);
        row.offset = cursor.tell();
        row.range.first = data.getU32(cursor);
        row.range.second = data.getU32(cursor);
        if (cursor)
          rows.push_back(row);
      }
      if (cursor)
        visit(name, rows);
    }
    return cursor.takeError();
  }

private:
  uint64_t size;
  DataExtractor data;
  DataExtractor::Cursor cursor{0};
};

} // namespace

Error rewriteRegisterRanges(
    MutableArrayRef<uint8_t> section,
    function_ref<DebugFunction(StringRef)> find,
    function_ref<std::vector<LocationRange>(StringRef)> replace) {
  using Rows = ArrayRef<RegisterReader::Row>;
  return RegisterReader(section).run([&](StringRef name, Rows rows) {
    const DebugFunction function = find(name);
    std::vector<LocationRange> replaced;
    if (function.isReplaced)
      replaced = replace(name);
    for (auto [i, row] : enumerate(rows)) {
      auto [start, end] = row.range;
      if (function.isReplaced)
        std::tie(start, end) =
            i < replaced.size() ? replaced[i] : LocationRange();
      else if (!function.reachable)
        start = end = 0;
      else if (function.edit)
        start = moveRangeStart(*function.edit, start),
        end = function.edit->newStart(end);
      write32le(section.data() + row.offset, start);
      write32le(section.data() + row.offset + sizeof(uint32_t), end);
    }
  });
}

Expected<std::vector<LocationRange>>
readRegisterRanges(ArrayRef<uint8_t> section, StringRef function) {
  std::vector<RegisterReader::Row> found;
  bool isFound = false;
  if (Error e = RegisterReader(section).run(
          [&](StringRef name, ArrayRef<RegisterReader::Row> rows) {
            if (name == function && !isFound) {
              isFound = true;
              found = rows;
            }
          }))
    return e;
  stable_sort(found,
              [](const auto &a, const auto &b) { return a.number < b.number; });
  std::vector<LocationRange> ranges;
  ranges.reserve(found.size());
  for (const RegisterReader::Row &row : found)
    ranges.push_back(row.range);
  return ranges;
}

} // namespace lld::cuda
