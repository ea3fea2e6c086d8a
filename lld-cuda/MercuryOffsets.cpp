//===- MercuryOffsets.cpp - Offsets of Mercury instructions ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MercuryOffsets.h"
#include "OutputSection.h"
#include "SassCode.h"
#include "Symbols.h"
#include "lld-cuda/Object/Mercury.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace lld::cuda::sass;

namespace lld::cuda {

constexpr unsigned ShortSize = 16, LongSize = 32;

/// The instructions (bits 0 to 11) with a Mercury form of 16 bytes if they have
/// no record; all others take 32. Found by comparing the offsets of lines,
/// exits and functions' ends in both views of 10,000 functions.
static constexpr uint16_t ShortOpcodes[] = {
    0x202, 0x20c, 0x228, 0x229, 0x290, 0x291, 0x2ca, 0x300, 0x305, 0x308,
    0x309, 0x312, 0x3a1, 0x802, 0x806, 0x882, 0x918, 0x941, 0x945, 0x946,
    0x94d, 0x95c, 0xc02, 0xc0c, 0xc28, 0xc36, 0xc82, 0xe24, 0xe29};

/// Size of the Mercury form of an instruction without a record.
static unsigned getMercurySize(const Instruction &inst) {
  constexpr uint8_t ZeroRegister = 0xff;
  switch (inst.opcode()) {
  case 0x210: // IADD3 with neither a third operand nor a carry in.
  case 0xc10: {
    constexpr uint64_t CarryIn = 0x400;
    const bool isShort =
        uint8_t(inst.high) == ZeroRegister && !(inst.high & CarryIn);
    return isShort ? ShortSize : LongSize;
  }
  case 0x224: // IMAD as a move.
    return uint8_t(inst.low >> 24) == ZeroRegister ? ShortSize : LongSize;
  default:
    return is_contained(ShortOpcodes, inst.opcode()) ? ShortSize : LongSize;
  }
}

/// Records are of 1 to 4 units of 16 bytes, in full or, in four bytes, all but
/// the number of units left out.
static unsigned getRecordedSize(ArrayRef<uint8_t> record) {
  constexpr unsigned AbbreviatedSize = 4, UnitsMask = 0xf, UnitSize = 16;
  return record.size() == AbbreviatedSize ? (record[0] & UnitsMask) * UnitSize
                                          : record.size();
}

MercuryOffsets::MercuryOffsets(ArrayRef<uint8_t> code,
                               ArrayRef<uint8_t> capmerc, uint64_t size) {
  Expected<CapmercText> text = readCapmercText(capmerc, code.size());
  if (!text) {
    consumeError(text.takeError());
    return;
  }
  uint64_t offset = 0;
  for (const CapmercEntry &entry : text->entries) {
    // A run without a record has no Mercury form.
    if (entry.recordOffset && !entry.recordSize)
      continue;
    const uint64_t native = uint64_t(entry.instruction) * InstructionSize;
    pairs.push_back({offset, native});
    constexpr size_t RunHeaderSize = 2;
    const size_t record =
        entry.recordOffset + (entry.isRun ? RunHeaderSize : 0);
    offset += entry.recordOffset
                  ? getRecordedSize(capmerc.slice(record, entry.recordSize))
                  : getMercurySize(Instruction::read(code.data() + native));
  }
  if (offset != size)
    pairs.clear();
}

MercuryOffsets::MercuryOffsets(const Function &f) {
  if (f.text && f.text->mercury && !f.text->parts.empty() &&
      !f.text->mercury->parts.empty())
    *this = MercuryOffsets(f.text->parts[0].bytes,
                           f.text->mercury->parts[0].bytes, f.mercurySize);
}

std::optional<uint64_t> MercuryOffsets::toNative(uint64_t mercury) const {
  auto it = partition_point(
      pairs, [&](const Pair &pair) { return pair.mercury < mercury; });
  if (it == pairs.end() || it->mercury != mercury)
    return std::nullopt;
  return it->native;
}

} // namespace lld::cuda
