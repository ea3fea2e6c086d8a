//===- KeptOperands.cpp - Operands kept for a later instruction -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Sets two kinds of scheduling bits that follow from stalls: whether other
/// warps may issue first, and which source registers are kept in a cache for an
/// instruction that reads them again. The schedulers (AdditionSchedule.cpp,
/// Fp64Schedule.cpp, Fp64Delays.cpp) call setYields() and keepOperands() once
/// they have set the stalls of a block anew. keepOperands() computes the bits
/// for the old and for the new schedule. Where its rules don't give the bit
/// that the compiler had set, it keeps the compiler's: the rules may lack a
/// case, and the bit was right before.
///
//===----------------------------------------------------------------------===//

#include "KeptOperands.h"
#include "IssueDistances.h"

using namespace llvm;
using namespace lld::cuda::sass;

namespace lld::cuda::scoreboards {

void setStall(Instruction &inst, unsigned stall) {
  constexpr unsigned LongestShort = 11;
  if (inst.stall() == stall)
    return;
  inst.setStall(stall);
  if (stall > LongestShort)
    inst.letYield();
  else
    inst.forbidYield();
}

/// Returns whether an instruction is one that a fence has become after it was
/// scheduled: any but its first MEMBAR.
static bool isAddedToFence(ArrayRef<Instruction> code, size_t i) {
  return code[i].isFencePlaceholder() || code[i].operation() == OpERRBAR ||
         (code[i].isMembar() && i && code[i - 1].isMembar());
}

void setYields(ArrayRef<Instruction> old, MutableArrayRef<Instruction> code) {
  constexpr unsigned LongestShort = 2, Patience = 10;
  unsigned time = 0;
  for (size_t i = 0; i != code.size(); ++i) {
    Instruction &inst = code[i];
    const unsigned stall = inst.stall();
    if (decodeOperands(inst).resultClass == ResultClass::Fixed) {
      const bool yields = stall > LongestShort
                              ? stall != old[i].stall() || old[i].yields()
                              : stall == LongestShort && time >= Patience;
      if (yields)
        inst.letYield();
      else
        inst.forbidYield();
    }
    if (inst.yields() && stall)
      time = 0;
    else if (!isAddedToFence(code, i))
      time += stall;
  }
}

namespace {

constexpr unsigned NumSlots = 3;
constexpr int NoRegister = -1;

/// The registers that an instruction reads, by operand.
struct Slots {
  int reg[NumSlots] = {NoRegister, NoRegister, NoRegister};
  bool isWide = false; ///< Pairs, which take both banks.
};

} // namespace

static bool hasThirdOperand(unsigned operation) {
  switch (operation) {
#define SASS_THIRD_OPERAND(CODE) case CODE:
#include "lld-cuda/Sass/Operands.def"
    return true;
  default:
    return false;
  }
}

/// The third operand is a number, a constant or a uniform register, and the
/// register that stands in its place is the second one.
static bool isThirdElsewhere(unsigned form) {
  constexpr unsigned Number = 2, Constant = 3, Uniform = 7;
  return form == Number || form == Constant || form == Uniform;
}

static bool hasFirstOperand(unsigned operation) {
  switch (operation) {
  case OpMOV:
  case OpIABS:
  case OpI2FP:
    return false;
  default:
    return true;
  }
}

/// A sum of two has its second register as the third operand: that of a product
/// with 1.
static bool hasSecondAsThird(unsigned operation) {
  constexpr unsigned FADD = 0x21, HADD2 = 0x30;
  return operation == FADD || operation == HADD2;
}

static Slots readSlots(const Instruction &inst, const TimedInstruction &timed) {
  constexpr unsigned RegisterForm = 1, FormBit = 9, FormMask = 7;
  Slots slots;
  if (!timed.isFixed())
    return slots;
  auto add = [&](unsigned slot, unsigned reg) {
    if (timed.uses[reg])
      slots.reg[slot] = int(reg);
  };
  const unsigned operation = timed.operands.operation;
  const unsigned form = inst.low >> FormBit & FormMask;
  if (hasFirstOperand(operation))
    add(0, inst.low >> 24 & 0xff);
  if (form == RegisterForm)
    add(hasSecondAsThird(operation) ? 2 : 1, inst.low >> 32 & 0xff);
  if (hasThirdOperand(operation))
    add(isThirdElsewhere(form) ? 1 : 2, inst.high & 0xff);
  slots.isWide = timed.isWide;
  return slots;
}

/// Which operands of instruction `index` a later one can use.
static unsigned findKept(ArrayRef<Instruction> code,
                         ArrayRef<TimedInstruction> timed,
                         ArrayRef<Slots> slots, size_t index, unsigned slot) {
  const int reg = slots[index].reg[slot];
  if (reg == NoRegister || code[index].yields() || timed[index].defs[reg])
    return 0;
  for (size_t i = index + 1; i != code.size(); ++i) {
    const int other = slots[i].reg[slot];
    if (other == reg)
      return 1u << slot;
    const bool isSameBank =
        other != NoRegister && (slots[i].isWide || (other ^ reg) % 2 == 0);
    if (isSameBank || code[i].yields() || timed[i].defs[reg])
      return 0;
  }
  return 0;
}

static std::vector<unsigned> findKept(ArrayRef<Instruction> code,
                                      ArrayRef<TimedInstruction> timed) {
  std::vector<Slots> slots;
  slots.reserve(code.size());
  for (size_t i = 0; i != code.size(); ++i)
    slots.push_back(readSlots(code[i], timed[i]));
  std::vector<unsigned> kept(code.size());
  for (size_t i = 0; i != code.size(); ++i)
    for (unsigned slot = 0; slot != NumSlots; ++slot)
      kept[i] |= findKept(code, timed, slots, i, slot);
  return kept;
}

void keepOperands(ArrayRef<Instruction> old,
                  MutableArrayRef<Instruction> code) {
  const std::vector<TimedInstruction> oldTimed(old.begin(), old.end()),
      timed(code.begin(), code.end());
  const std::vector<unsigned> before = findKept(old, oldTimed),
                              after = findKept(code, timed);
  for (size_t i = 0; i != code.size(); ++i) {
    const unsigned given = old[i].reuse();
    // What takes a variable time, as FP64 arithmetic of sm_103, keeps nothing.
    const unsigned unexplained = timed[i].isFixed() ? before[i] ^ given : 0;
    code[i].clearReuse();
    code[i].setReuse((given & unexplained) | (after[i] & ~unexplained));
  }
}

} // namespace lld::cuda::scoreboards
