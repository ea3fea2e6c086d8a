//===- Mercury.cpp - Reads .nv.capmerc.text sections ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Reads which native instructions of a function belong to which Mercury
/// instruction: it walks the records of .nv.capmerc.text.<function> and the
/// instructions of .text.<function> side by side. The linker calls
/// readCapmercText() when it plans and carries out the edit of a function's
/// code (lib/FinalCode) and when it applies Mercury relocations
/// (MercuryRelocator.cpp); cubin-dump prints the entries. The entries must
/// account for all instructions and all bytes; a record of unknown size is an
/// error of its own, UnknownCapmercRecord, since what follows it can't be
/// found.
///
//===----------------------------------------------------------------------===//

#include "lld-cuda/Object/Mercury.h"
#include "ObjectError.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace llvm::support;

namespace lld::cuda {

constexpr size_t UnitSize = 16, ShortSize = 4;
constexpr uint32_t TableMagic = 0xc0000001;
constexpr unsigned InstructionSize = 16;

/// What the high half of a record's first byte says about it. The low half is
/// the number of units that it has, or would have in full.
enum MercuryRecordKind : uint8_t {
  KindFull = 0,
  KindVirtual = 3, ///< For a Mercury instruction without a native one.
  KindShort = 4,
  KindOwnSize = 0xe, ///< u32 size at offset 4 (ptxas 13.5).
};

static MercuryRecordKind getKind(uint8_t firstByte) {
  return MercuryRecordKind(firstByte >> 4);
}

/// A run header is a u16: bits 1 to 6 mark it, bit 0 says that a record
/// follows, the rest counts instructions.
static bool isRunHeader(uint8_t firstByte) {
  return (firstByte & 0x7e) == 0x50;
}

/// Size of a record that is no run header; 0 if it isn't known.
static uint64_t getRecordSize(ArrayRef<uint8_t> record) {
  constexpr unsigned maxUnits = 4, sizeOffset = 4, minOwnSize = 8;
  const unsigned units = record[0] & 0xf;
  uint64_t size;
  switch (getKind(record[0])) {
  case KindFull:
  case KindVirtual:
    return units <= maxUnits ? units * UnitSize : 0;
  case KindShort:
    return ShortSize;
  case KindOwnSize:
    if (record.size() < minOwnSize)
      return minOwnSize;
    size = endian::read32le(record.data() + sizeOffset);
    return size < minOwnSize ? 0 : size;
  }
  return 0;
}

char UnknownCapmercRecord::ID;

void UnknownCapmercRecord::log(raw_ostream &os) const {
  os << formatText("record at offset {0:x} is of an unknown kind, {1:x}",
                   {offset, firstByte});
}

/// Reads the record at `offset`; fills everything but `instruction`.
static Expected<CapmercEntry> readRecord(ArrayRef<uint8_t> section,
                                         size_t offset) {
  CapmercEntry entry{};
  entry.count = 1;
  entry.recordOffset = offset;
  ArrayRef<uint8_t> rest = section.drop_front(offset);
  auto cut = [&] {
    return malformed("record at offset {0:x} is cut off: {1} bytes left",
                     offset, section.size() - offset);
  };
  if (rest.empty())
    return cut();
  if (isRunHeader(rest[0])) {
    if (rest.size() < CapmercRunHeaderSize)
      return cut();
    uint16_t run = endian::read16le(rest.data());
    entry.isRun = true;
    entry.count = run >> 7;
    if (!(run & 1))
      return entry;
    rest = rest.drop_front(CapmercRunHeaderSize);
    if (rest.empty())
      return cut();
  } else if (getKind(rest[0]) == KindVirtual) {
    entry.count = 0;
  }
  const uint64_t size = getRecordSize(rest);
  if (!size)
    return make_error<UnknownCapmercRecord>(rest.data() - section.data(),
                                            rest[0]);
  if (rest.size() < size)
    return cut();
  entry.recordSize = size;
  return entry;
}

bool joinsPair(const CapmercEntry &entry, ArrayRef<uint8_t> section) {
  constexpr uint8_t Registers = 0x0a, UniformRegisters = 0x0c;
  if (!entry.recordOffset || entry.recordSize < 3)
    return false;
  const ArrayRef<uint8_t> record = entry.proper(section);
  return record[0] == 1 && record[1] == CapmercMove &&
         (record[2] == Registers || record[2] == UniformRegisters);
}

Expected<CapmercText> readCapmercText(ArrayRef<uint8_t> section,
                                      uint64_t textSize) {
  if (section.size() < CapmercHeaderSize)
    return malformed("header is cut off: {0} bytes", section.size());
  if (section.size() > UINT32_MAX)
    return malformed("section of {0} bytes is too large", section.size());
  CapmercText text;
  text.textSection = endian::read32le(section.data());
  uint32_t magic = endian::read32le(section.data() + 4);
  if (magic != TableMagic)
    return malformed("word {0:x} at offset 0x4 is not {1:x}", magic,
                     TableMagic);
  uint32_t count = endian::read32le(section.data() + 8);
  uint64_t bitmapSize = 4 * divideCeil(uint64_t(count), 32);
  if (bitmapSize > section.size() - CapmercHeaderSize)
    return malformed("bitmap at offset {0:x} is cut off: {1} entries",
                     CapmercHeaderSize, count);
  uint64_t instructions = textSize / InstructionSize;
  if (textSize % InstructionSize || instructions > UINT32_MAX)
    return malformed("size {0:x} of the text section is not that of a number "
                     "of instructions",
                     textSize);

  const uint8_t *bitmap = section.data() + CapmercHeaderSize;
  size_t offset = CapmercHeaderSize + bitmapSize;
  uint64_t instruction = 0;
  // What the entries below can be at most, and so the memory for them: each
  // stands for one instruction at least, or has bytes of its own here. (There
  // may well be more of them than instructions.)
  text.entries.reserve(std::min<uint64_t>(
      count, instructions + (section.size() - offset) / CapmercRunHeaderSize));
  for (uint32_t i = 0; i < count; ++i) {
    CapmercEntry entry{0, 1, 0, 0, false};
    bool hasRecord = !(bitmap[i / 8] >> (i % 8) & 1);
    if (hasRecord) {
      Expected<CapmercEntry> record = readRecord(section, offset);
      if (!record)
        return record.takeError();
      entry = *record;
      offset += (entry.isRun ? CapmercRunHeaderSize : 0) + entry.recordSize;
    }
    entry.instruction = instruction;
    instruction += entry.count;
    text.entries.push_back(entry);
    if (instruction > instructions)
      return malformed("entry {0} runs past the {1} instructions of the text "
                       "section",
                       i, instructions);
  }
  if (instruction != instructions)
    return malformed("entries for {0} instructions, but the text section has "
                     "{1}",
                     instruction, instructions);
  if (offset != section.size())
    return malformed("{0} bytes after the last record at offset {1:x}",
                     section.size() - offset, offset);
  text.instructionCount = instruction;
  return text;
}

} // namespace lld::cuda
