//===- MercuryOffsets.cpp - Offsets of Mercury and native code ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Translates between offsets of a function's native code and offsets of its
/// Mercury form. getMercuryOffsets() of the linker's Finalizer.cpp makes such
/// an object when a link rewrites a function's call frames, line tables or
/// register ranges. A native instruction takes 16 bytes, and its Mercury form
/// 16 to 64, so the instruction at native offset 0x20 may have Mercury offset
/// 0x30. The constructor goes through .nv.capmerc.text, which says which native
/// instructions belong to which Mercury instruction, and adds up the sizes: a
/// record tells its size, and that of an instruction without a record follows
/// from its opcode and a few other fields.
///
/// If the sum isn't the size of the Mercury code, an assumption is wrong
/// somewhere, and the object knows nothing (isKnown() is false) instead of
/// giving wrong offsets.
///
//===----------------------------------------------------------------------===//

#include "lld-cuda/FinalCode/MercuryOffsets.h"
#include "lld-cuda/Object/Mercury.h"
#include "lld-cuda/Sass/Code.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace lld::cuda::sass;

namespace lld::cuda {

constexpr unsigned ShortSize = 16, LongSize = 32;
constexpr uint8_t ZeroRegister = 0xff, AlwaysTrue = 7;

/// The instructions (bits 0 to 11) with a Mercury form of 16 bytes if they have
/// no record; all others take 32. Read off the register ranges that nvlink
/// writes for a replaced definition, which tell where each instruction is:
/// 6,000 functions, 54,000 different instructions, all sizes as here
/// [mercury-instruction-sizes].
static constexpr uint16_t ShortOpcodes[] = {
    0x202, 0x207, 0x208, 0x209, 0x20f, 0x213, 0x216, 0x219, 0x21a, 0x220, 0x221,
    0x226, 0x228, 0x229, 0x230, 0x232, 0x236, 0x23a, 0x23e, 0x240, 0x245, 0x246,
    0x248, 0x28c, 0x299, 0x2a4, 0x2bd, 0x2bf, 0x2ca, 0x300, 0x301, 0x302, 0x304,
    0x305, 0x306, 0x307, 0x308, 0x309, 0x310, 0x311, 0x312, 0x313, 0x3a1, 0x3c4,
    0x802, 0x806, 0x882, 0x886, 0x908, 0x918, 0x941, 0x942, 0x946, 0x94d, 0x95c,
    0x95d, 0x9af, 0xc02, 0xc07, 0xc08, 0xc19, 0xc20, 0xc28, 0xc36, 0xc45, 0xc48,
    0xc82, 0xd00, 0xd08, 0xd09, 0xd12, 0xe19, 0xe29};

/// A comparison with one result, that isn't combined with another predicate.
static bool isPlainComparison(const Instruction &inst) {
  const unsigned combined = inst.high >> 23 & 0xf;
  const unsigned secondResult = inst.high >> 20 & 0x7;
  return combined == AlwaysTrue && secondResult == AlwaysTrue;
}

/// Size of the Mercury form of an instruction without a record.
static unsigned getMercurySize(const Instruction &inst) {
  constexpr uint64_t Extended = 0x100, Carry = 0x400, NotAnd = 0xc00;
  const bool hasThird = uint8_t(inst.high) != ZeroRegister;
  auto shortIf = [](bool isShort) { return isShort ? ShortSize : LongSize; };
  switch (inst.opcode()) {
  case 0x210: // IADD3, UIADD3
  case 0xc10:
  case 0x290:
  case 0xc90:
    return shortIf(!hasThird && !(inst.high & Carry));
  case 0x212: // LOP3
  case 0xc12:
    return shortIf(!hasThird);
  case 0x224: // IMAD, ULEA; the carry in
  case 0xc24:
  case 0xe24:
  case 0x291:
    return shortIf(!(inst.high & Carry));
  case 0x20b: // FSETP, DSETP
  case 0xc0b:
  case 0x22a:
  case 0xe2a:
    return shortIf(isPlainComparison(inst));
  case 0x20c: // ISETP
  case 0xc0c:
    return shortIf(isPlainComparison(inst) &&
                   !(inst.high & (Extended | NotAnd)));
  case 0x945: { // BSSY.RECONVERGENT, BSSY.RELIABLE
    constexpr uint64_t Kinds = 0x300;
    return shortIf(inst.high & Kinds);
  }
  default:
    return shortIf(is_contained(ShortOpcodes, inst.opcode()));
  }
}

/// Records are of 1 to 4 units of 16 bytes, in full or, in four bytes, all but
/// the number of units left out.
static unsigned getRecordedSize(ArrayRef<uint8_t> record) {
  constexpr unsigned AbbreviatedSize = 4, UnitsMask = 0xf, UnitSize = 16;
  return record.size() == AbbreviatedSize ? (record[0] & UnitsMask) * UnitSize
                                          : record.size();
}

/// Where a block begins: after what transfers control, and where a branch or a
/// region of divergent code leads.
static BitVector findBlockStarts(ArrayRef<Instruction> code) {
  BitVector starts(code.size() + 1);
  starts.set(0);
  for (uint32_t i = 0; i != code.size(); ++i) {
    const std::optional<int64_t> displacement = code[i].displacement();
    switch (code[i].operation()) {
    case OpBRA:
    case OpWARPSYNC:
    case OpBSSY: {
      if (!displacement)
        break;
      const int64_t target =
          int64_t(i) + 1 + *displacement / int64_t(InstructionSize);
      if (target >= 0 && target < int64_t(code.size()))
        starts.set(target);
      if (code[i].operation() != OpBSSY)
        starts.set(i + 1);
      break;
    }
    case OpBSYNC:
    case OpBRX:
    case OpBRXUniform:
    case OpCALLAbs:
    case OpCALLRel:
    case OpEXIT:
    case OpRET:
      starts.set(i + 1);
      break;
    }
  }
  return starts;
}

namespace {

/// The instructions of a run that the Mercury instruction stands for. Those
/// before them are counted to the previous Mercury instruction, or are lost.
struct OwnInstructions {
  uint32_t begin, end;
  bool losesFront;
};

} // namespace

static bool isFence(const Instruction &inst) {
  return inst.isFencePlaceholder() || inst.isMembar() ||
         inst.operation() == OpERRBAR;
}

/// How many instructions of a fence stand before the Mercury instruction.
/// Barriers and fences include what follows the last MEMBAR.
static uint32_t countLeadingFence(ArrayRef<Instruction> run,
                                  uint8_t recordClass) {
  constexpr uint8_t Barrier = 0x47, Fence = 0x49;
  uint32_t count = 0, lastMembar = 0;
  for (; count != run.size() && isFence(run[count]); ++count)
    if (run[count].isMembar())
      lastMembar = count;
  const bool isIncluded =
      recordClass == Barrier || recordClass == Fence || count == run.size();
  return isIncluded ? lastMembar : count;
}

static OwnInstructions findOwnInstructions(ArrayRef<Instruction> run,
                                           uint8_t recordClass) {
  constexpr unsigned CollectiveOverRegister = 0x348, Collective = 0x948,
                     WithLeader = 0x3c6, AddressOfTable = 0x81c;
  const uint32_t size = run.size();
  switch (run[0].opcode()) {
  case CollectiveOverRegister:
    return {std::min(1u, size - 1), size, true};
  case Collective: {
    const auto *barrier = find_if(
        run, [](const Instruction &inst) { return inst.operation() == OpBAR; });
    if (barrier != run.end())
      return {uint32_t(barrier - run.begin()), size, true};
    return {0, 1 + countLeadingFence(run.drop_front(), recordClass), true};
  }
  case WithLeader:
    return {std::min(1u, size - 1), size, true};
  case AddressOfTable:
    return {0, 1, false};
  default:
    return {countLeadingFence(run, recordClass), size, false};
  }
}

void MercuryOffsets::addRun(const CapmercEntry &entry,
                            ArrayRef<Instruction> run, uint8_t recordClass,
                            uint64_t offset, bool beginsBlock) {
  const OwnInstructions own = findOwnInstructions(run, recordClass);
  const uint64_t native = uint64_t(entry.instruction) * InstructionSize;
  const uint64_t begin = native + own.begin * InstructionSize;
  if (own.begin && !pairs.empty() && !own.losesFront && !beginsBlock)
    pairs.back().end = begin;
  pairs.push_back({offset, begin, native + own.end * InstructionSize, false,
                   native, own.losesFront ? native : begin, offset});
}

/// Whether the finalizer makes an instruction anew and thereby notes its line,
/// by its record's class and variant. Found with a probe for each instruction,
/// with a minimum after it.
static bool isMadeAnew(ArrayRef<uint8_t> record, uint32_t count) {
  constexpr size_t AbbreviatedSize = 4;
  constexpr uint8_t FirstConstant = 0x08, LastConstant = 0x0e, Local = 0x28,
                    CopyToShared = 0x30, StoreLocal = 0x20, InitFence = 0x0c;
  if (record.size() < AbbreviatedSize)
    return false;
  const uint8_t kind = record[1], variant = record[2];
  if (kind == CapmercAsync && variant == CopyToShared)
    return false;
  if (count > 1)
    return true;
  if (record.size() == AbbreviatedSize)
    return false;
  switch (kind) {
  case CapmercSpecial:
  case CapmercAsync:
  case CapmercBarrier:
  case CapmercDependents:
    return true;
  case CapmercLoad:
    return (variant >= FirstConstant && variant <= LastConstant) ||
           variant == Local;
  case CapmercStore:
    return variant == StoreLocal;
  case CapmercFence:
    return variant != InitFence;
  default:
    return false;
  }
}

/// Whether the next instruction begins a block because of this one.
static bool endsBlock(const Instruction &inst) {
  switch (inst.operation()) {
  case OpWARPSYNC:
    return inst.displacement().has_value();
  case OpBSYNC:
  case OpBRA:
  case OpBPT:
  case OpBRX:
  case OpBRXUniform:
  case OpEXIT:
  case OpRET:
    return true;
  default:
    return false;
  }
}

/// The line that the finalizer begins with is that of the last instruction, or
/// where the last branch to what didn't begin a block yet leads.
uint64_t MercuryOffsets::findFirstLine(ArrayRef<Instruction> code) const {
  auto at = [&](uint64_t native) { return code[native / InstructionSize]; };
  BitVector seen(pairs.size());
  uint64_t line = pairs.back().mercury;
  for (const Pair &pair : pairs) {
    const Instruction inst = at(pair.run);
    const std::optional<int64_t> displacement = inst.displacement();
    if (inst.operation() != OpBRA || !displacement)
      continue;
    const uint64_t target = pair.run + InstructionSize + *displacement;
    auto to = llvm::lower_bound(
        pairs, target, [](const Pair &p, uint64_t t) { return p.run < t; });
    if (to == pairs.end() || to->run != target || &*to == &pair ||
        at(target).operation() == OpBSYNC || seen[to - pairs.begin()])
      continue;
    seen.set(to - pairs.begin());
    if (to != pairs.begin() && !endsBlock(at(std::prev(to)->run)) &&
        !endsBlock(at(target - InstructionSize)))
      line = to->mercury;
  }
  return line;
}

/// On sm_110 the finalizer makes minima and maxima of integers without telling
/// their line: they get that of what it made last. (1,265 of 1,266 functions
/// with a line for each instruction.) [debug-lines-of-minima]
void MercuryOffsets::findLines(ArrayRef<Instruction> code,
                               const BitVector &isMadeAnew) {
  auto isMinimum = [&](const Pair &pair) {
    return code[pair.run / InstructionSize].operation() == OpIMNMX;
  };
  if (none_of(pairs, isMinimum))
    return;
  uint64_t line = findFirstLine(code);
  for (auto [index, pair] : enumerate(pairs)) {
    if (isMinimum(pair))
      pair.line = line;
    else if (isMadeAnew[index])
      line = pair.mercury;
  }
}

MercuryOffsets::MercuryOffsets(ArrayRef<uint8_t> code,
                               ArrayRef<uint8_t> capmerc, uint64_t size)
    : mercurySize(size) {
  Expected<CapmercText> text = readCapmercText(capmerc, code.size());
  if (!text) {
    consumeError(text.takeError());
    return;
  }
  std::vector<Instruction> instructions;
  for (uint64_t i = 0; i != code.size(); i += InstructionSize)
    instructions.push_back(Instruction::read(code.data() + i));
  const BitVector starts = findBlockStarts(instructions);
  BitVector anew(text->entries.size());
  uint64_t offset = 0, formless = 0;
  for (const CapmercEntry &entry : text->entries) {
    const uint64_t native = uint64_t(entry.instruction) * InstructionSize;
    // A run without a record has no Mercury form. If it isn't the last, it is
    // counted to what stands before it.
    if (entry.recordOffset && !entry.recordSize) {
      formless = native + uint64_t(entry.count) * InstructionSize;
      continue;
    }
    if (!entry.count) { // A Mercury instruction only.
      offset += getRecordedSize(entry.proper(capmerc));
      continue;
    }
    if (formless && !pairs.empty())
      pairs.back().end = formless;
    formless = 0;
    const ArrayRef<Instruction> run =
        ArrayRef(instructions).slice(entry.instruction, entry.count);
    if (!entry.recordOffset) {
      pairs.push_back({offset, native, native + InstructionSize, false, native,
                       native, offset});
      offset += getMercurySize(run[0]);
      continue;
    }
    ArrayRef<uint8_t> record = entry.proper(capmerc);
    if (entry.isRun)
      addRun(entry, run, record[1], offset, starts[entry.instruction]);
    else
      pairs.push_back({offset, native, native + InstructionSize, false, native,
                       native, offset});
    if (isMadeAnew(record, entry.count))
      anew.set(pairs.size() - 1);
    offset += getRecordedSize(record);
  }
  if (offset != size)
    pairs.clear();
  findLines(instructions, anew);
  for (Pair &pair : pairs)
    pair.endsBlock = starts[pair.end / InstructionSize];
}

const MercuryOffsets::Pair *MercuryOffsets::find(uint64_t mercury) const {
  auto it = partition_point(
      pairs, [&](const Pair &pair) { return pair.mercury < mercury; });
  return it != pairs.end() && it->mercury == mercury ? &*it : nullptr;
}

const MercuryOffsets::Pair *
MercuryOffsets::findContaining(uint64_t mercury) const {
  auto it = partition_point(
      pairs, [&](const Pair &pair) { return pair.mercury <= mercury; });
  return it != pairs.begin() && mercury < mercurySize ? &*std::prev(it)
                                                      : nullptr;
}

uint64_t MercuryOffsets::endOf(const Pair &pair) const {
  return &pair == &pairs.back() ? mercurySize : (&pair)[1].mercury;
}

std::optional<uint64_t> MercuryOffsets::toNative(uint64_t mercury) const {
  if (isKnown() && mercury == mercurySize)
    return pairs.back().end;
  const Pair *pair = find(mercury);
  return pair ? std::optional(pair->native) : std::nullopt;
}

} // namespace lld::cuda
