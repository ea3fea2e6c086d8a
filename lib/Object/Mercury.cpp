//===- Mercury.cpp - Sections of the Mercury view -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Reads the payload of .nv.capmerc.text.<function>, walking its records and
/// the instructions of .text.<function> side by side.
///
//===----------------------------------------------------------------------===//

#include "lld-cuda/Object/Mercury.h"
#include "ObjectError.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace llvm::support;

namespace lld::cuda {

constexpr size_t HeaderSize = 12, RunHeaderSize = 2;
constexpr uint32_t Magic = 0xc0000001;
constexpr unsigned InstructionSize = 16;

/// A run header is a u16: bits 1 to 6 mark it, bit 0 says that a record
/// follows, the rest counts instructions.
static bool isRunHeader(uint8_t firstByte) {
  return (firstByte & 0x7e) == 0x50;
}

/// Size of a record that is no run header, by its first byte.
static size_t getRecordSize(uint8_t firstByte) {
  constexpr uint8_t maxUnits = 4;
  constexpr size_t unitSize = 16, shortSize = 4;
  return firstByte >= 1 && firstByte <= maxUnits ? firstByte * unitSize
                                                 : shortSize;
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
    if (rest.size() < RunHeaderSize)
      return cut();
    uint16_t run = endian::read16le(rest.data());
    entry.isRun = true;
    entry.count = run >> 7;
    if (entry.count == 0)
      return malformed("record at offset {0:x}: run of no instructions",
                       offset);
    if (!(run & 1))
      return entry;
    rest = rest.drop_front(RunHeaderSize);
    if (rest.empty())
      return cut();
    if (isRunHeader(rest[0]))
      return malformed("record at offset {0:x}: a run inside a run", offset);
  }
  entry.recordSize = getRecordSize(rest[0]);
  if (rest.size() < entry.recordSize)
    return cut();
  return entry;
}

Expected<CapmercText> readCapmercText(ArrayRef<uint8_t> section,
                                      uint64_t textSize) {
  if (section.size() < HeaderSize)
    return malformed("header is cut off: {0} bytes", section.size());
  if (section.size() > UINT32_MAX)
    return malformed("section of {0} bytes is too large", section.size());
  CapmercText text;
  text.textSection = endian::read32le(section.data());
  uint32_t magic = endian::read32le(section.data() + 4);
  if (magic != Magic)
    return malformed("word {0:x} at offset 0x4 is not {1:x}", magic, Magic);
  uint32_t count = endian::read32le(section.data() + 8);
  uint64_t bitmapSize = 4 * divideCeil(uint64_t(count), 32);
  if (bitmapSize > section.size() - HeaderSize)
    return malformed("bitmap at offset {0:x} is cut off: {1} entries",
                     HeaderSize, count);
  // Each entry stands for one instruction at least, which bounds the memory.
  uint64_t instructions = textSize / InstructionSize;
  if (textSize % InstructionSize || instructions > UINT32_MAX)
    return malformed("size {0:x} of the text section is not that of a number "
                     "of instructions",
                     textSize);
  if (count > instructions)
    return malformed("{0} entries for {1} instructions", count, instructions);

  const uint8_t *bitmap = section.data() + HeaderSize;
  size_t offset = HeaderSize + bitmapSize;
  uint64_t instruction = 0;
  text.entries.reserve(count);
  for (uint32_t i = 0; i < count; ++i) {
    CapmercEntry entry{0, 1, 0, 0, false};
    bool hasRecord = !(bitmap[i / 8] >> (i % 8) & 1);
    if (hasRecord) {
      Expected<CapmercEntry> record = readRecord(section, offset);
      if (!record)
        return record.takeError();
      entry = *record;
      offset += (entry.isRun ? RunHeaderSize : 0) + entry.recordSize;
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
    return malformed("{0} bytes behind the last record at offset {1:x}",
                     section.size() - offset, offset);
  text.instructionCount = instruction;
  return text;
}

} // namespace lld::cuda
