//===- CodeEditRecords.cpp - Updates what refers to edited code -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Corrects what holds offsets into a function's code, or counts its
/// instructions, when a link has inserted or removed instructions. The linker
/// calls moveInfoOffsets() when it writes the attributes of .nv.info
/// (NvInfoOutput.cpp, and Check/Records.cpp with --check), and moveJumpTable()
/// for jump tables in constant memory (Finalizer.cpp). finalizeFunction() calls
/// editCapmerc() just before it writes the new code: it makes the
/// .nv.capmerc.text section that says how the new instructions correspond to
/// Mercury code. If instruction 4 is removed, an attribute with offset 0x50
/// gets 0x40.
///
//===----------------------------------------------------------------------===//

#include "lld-cuda/BinaryFormat/NvInfo.h"
#include "lld-cuda/FinalCode/CapmercWriter.h"
#include "lld-cuda/FinalCode/CodeEdit.h"
#include "lld-cuda/Object/Mercury.h"
#include "lld-cuda/Sass/Code.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace llvm::support::endian;
using namespace lld::cuda::elf;
using namespace lld::cuda::sass;

namespace lld::cuda {

/// u32 offset of the branch, u16, u16, u32 number of targets, u32 targets.
static void moveBranchTargets(const CodeEdit &edit,
                              MutableArrayRef<uint8_t> payload) {
  constexpr size_t HeaderSize = 12, CountOffset = 8, WordSize = 4;
  while (payload.size() >= HeaderSize) {
    uint8_t *p = payload.data();
    write32le(p, edit.newOffset(read32le(p)));
    uint64_t count = read32le(p + CountOffset);
    payload = payload.drop_front(HeaderSize);
    count = std::min<uint64_t>(count, payload.size() / WordSize);
    for (uint64_t i = 0; i < count; ++i) {
      uint8_t *target = payload.data() + i * WordSize;
      write32le(target, edit.newStart(read32le(target)));
    }
    payload = payload.drop_front(count * WordSize);
  }
}

/// A kind decides what follows: kinds 1 and 2 have an offset, kinds 2 and 3 a
/// text with its length in front, filled up to whole words; others nothing.
static void moveAnnotations(const CodeEdit &edit,
                            MutableArrayRef<uint8_t> payload) {
  constexpr size_t WordSize = 4;
  enum { Place = 1, PlaceWithText = 2, Text = 3 };
  auto takeWord = [&]() -> uint8_t * {
    if (payload.size() < WordSize) {
      payload = {};
      return nullptr;
    }
    uint8_t *p = payload.data();
    payload = payload.drop_front(WordSize);
    return p;
  };
  while (const uint8_t *p = takeWord()) {
    const uint32_t kind = read32le(p);
    if (kind == Place || kind == PlaceWithText)
      if (uint8_t *offset = takeWord())
        write32le(offset, edit.newOffset(read32le(offset)));
    if (kind == PlaceWithText || kind == Text)
      if (const uint8_t *length = takeWord()) {
        const uint64_t size = alignTo(uint64_t(read32le(length)), WordSize);
        payload = payload.drop_front(std::min<uint64_t>(size, payload.size()));
      }
  }
}

static void moveEvery(const CodeEdit &edit, unsigned words,
                      MutableArrayRef<uint8_t> payload) {
  const size_t recordSize = words * sizeof(uint32_t);
  for (; payload.size() >= recordSize;
       payload = payload.drop_front(recordSize)) {
    uint8_t *p = payload.data();
    write32le(p, edit.newOffset(read32le(p)));
  }
}

void moveInfoOffsets(const CodeEdit &edit, uint8_t code,
                     MutableArrayRef<uint8_t> payload) {
  const NvInfoAttribute *attribute = getNvInfoAttribute(code);
  switch (attribute ? attribute->offsets : NvInfoOffsets::None) {
  case NvInfoOffsets::None:
    return;
  case NvInfoOffsets::Every:
    return moveEvery(edit, 1, payload);
  case NvInfoOffsets::Second:
    return moveEvery(edit, 2, payload);
  case NvInfoOffsets::Third:
    return moveEvery(edit, 3, payload);
  case NvInfoOffsets::Fourth:
    return moveEvery(edit, 4, payload);
  case NvInfoOffsets::Branches:
    return moveBranchTargets(edit, payload);
  case NvInfoOffsets::AfterKind:
    return moveEvery(edit, 1,
                     payload.drop_front(std::min<size_t>(4, payload.size())));
  case NvInfoOffsets::Annotations:
    return moveAnnotations(edit, payload);
  }
}

/// A predicate in a Mercury record: 5 bits of register, all set for the one
/// that is always true, above two more of which the lowest negates.
static uint8_t packPredicate(unsigned predicate) {
  constexpr unsigned AlwaysTrue = 7, PackedAlwaysTrue = 0x1f;
  const unsigned number = predicate & 7;
  return (number == AlwaysTrue ? PackedAlwaysTrue : number) << 3 |
         predicate >> 3;
}

/// The Mercury form of an EXIT with its error barrier.
static void appendExitRecord(SmallVectorImpl<uint8_t> &out,
                             const Instruction &exit) {
  const uint8_t guard = packPredicate(exit.predicate());
  const uint8_t condition = packPredicate(exit.condition());
  const uint8_t record[16] = {0x01, 0x11, 0x00, 0x0a,      guard, 0, 0, 0,
                              0,    0,    0,    condition, 0,     0, 0, 0};
  out.append(std::begin(record), std::end(record));
}

/// The Mercury form of a BSYNC with the NOP at which threads meet again.
static void appendSyncRecord(SmallVectorImpl<uint8_t> &out,
                             const Instruction &sync) {
  constexpr unsigned Reconvergent = 2;
  const bool isReconvergent = sync.syncMode() & Reconvergent;
  const uint8_t record[16] = {0x01,
                              0x09,
                              uint8_t(isReconvergent ? 0x02 : 0x04),
                              0x0a,
                              packPredicate(sync.predicate()),
                              0,
                              isReconvergent,
                              0,
                              0,
                              0,
                              uint8_t(sync.syncRegister() << 1)};
  out.append(std::begin(record), std::end(record));
}

/// The Mercury form of a BREAK that ends its block, with the NOP after it.
static void appendBreakRecord(SmallVectorImpl<uint8_t> &out,
                              const Instruction &inst) {
  constexpr unsigned Negated = 8;
  const unsigned condition = inst.condition();
  const uint8_t record[16] = {0x01,
                              0x05,
                              0x02,
                              0x0a,
                              packPredicate(inst.predicate()),
                              0,
                              uint8_t(condition & Negated ? 4 : 0),
                              0,
                              0,
                              0,
                              0,
                              packPredicate(condition & ~Negated),
                              uint8_t(inst.syncRegister() << 1)};
  out.append(std::begin(record), std::end(record));
}

/// Whether `record` is that of a WARPSYNC with a NOP after it, and `count` says
/// that the NOP is gone.
static bool isShortened(ArrayRef<uint8_t> record, uint32_t oldCount,
                        uint32_t count) {
  constexpr uint8_t OneUnit = 1, WarpSync = 0x47, Class = 0x0a;
  return oldCount == 2 && count == 1 && record.size() > 4 &&
         record[0] == OneUnit && record[1] == WarpSync && record[3] == Class;
}

/// The first four bytes are all that the record of a WARPSYNC alone has,
/// whatever its predicate.
static void appendShortened(SmallVectorImpl<uint8_t> &out,
                            ArrayRef<uint8_t> record) {
  constexpr uint8_t Abbreviated = 0x40;
  const size_t begin = out.size();
  append_range(out, record.take_front(4));
  out[begin] |= Abbreviated;
}

Expected<SmallVector<uint8_t, 0>> editCapmerc(const CodeEdit &edit,
                                              ArrayRef<uint8_t> code,
                                              ArrayRef<uint8_t> section) {
  Expected<CapmercText> text = readCapmercText(section, code.size());
  if (!text)
    return text.takeError();
  CapmercWriter writer(section.take_front(CapmercHeaderSize));
  for (const CapmercEntry &entry : text->entries) {
    if (!entry.count) { // Nothing native that could change.
      writer.addCopy(entry.bytes(section));
      continue;
    }
    uint32_t count = edit.newCount(entry.instruction, entry.count);
    // Each NOP after the last instruction has an entry of its own.
    const CodeEdit::Change *last =
        edit.changeAt(entry.instruction + entry.count - 1);
    const uint32_t nops = last ? last->nops : 0;
    count -= nops;
    if (count == 0)
      continue;
    const CodeEdit::Change *first = edit.changeAt(entry.instruction);
    if ((first && first->isJoined) || (last && last->isJoined)) {
      writer.addPlain(); // A BSYNC or BREAK without its NOP.
    } else if (entry.recordOffset) {
      const ArrayRef<uint8_t> record = entry.proper(section);
      writer.addEntry(count, entry.recordSize);
      if (isShortened(record, entry.count, count))
        appendShortened(writer.bytes(), record);
      else
        append_range(writer.bytes(), record);
    } else if (first && (first->inserted || first->isFence)) {
      const auto inst = Instruction::read(
          code.data() + uint64_t(InstructionSize) * entry.instruction);
      writer.addEntry(count, true);
      if (first->isBarrier)
        appendExitRecord(writer.bytes(), inst);
      else if (first->isFence)
        appendBreakRecord(writer.bytes(), inst);
      else
        appendSyncRecord(writer.bytes(), inst);
    } else {
      writer.addPlain();
    }
    for (uint32_t i = 0; i != nops; ++i)
      writer.addEntry(1, /*record=*/false);
  }
  return writer.finish();
}

void moveJumpTable(const CodeEdit &edit, MutableArrayRef<uint8_t> data,
                   ArrayRef<uint64_t> offsets) {
  for (uint64_t offset : offsets) {
    if (offset > data.size() || data.size() - offset < sizeof(uint32_t))
      continue;
    uint8_t *p = data.data() + offset;
    write32le(p, edit.newStart(read32le(p)));
  }
}

} // namespace lld::cuda
