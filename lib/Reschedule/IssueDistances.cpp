//===- IssueDistances.cpp - Cycles that instructions keep apart -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The hardware doesn't wait by itself for a result of fixed latency, so the
/// schedulers (AdditionSchedule.cpp, Fp64Schedule.cpp, Fp64Delays.cpp) ask
/// minDistance() how many cycles must lie between two instructions. The answer
/// is the largest of three: until the unit is free again, until the result is
/// there, and until a register may be overwritten. The numbers are those that
/// code from ptxas shows; before sm_120 the units differ. Where no number is
/// known, the answer is MaxStall (15), which is slow and safe.
///
//===----------------------------------------------------------------------===//

#include "IssueDistances.h"

using namespace llvm;
using namespace lld::cuda::sass;

namespace lld::cuda::scoreboards {

constexpr unsigned FirstWithOwnUnits = 120;

static IssueUnit getUnit(unsigned operation) {
  switch (operation) {
#define SASS_ISSUE_UNIT(CODE, UNIT)                                            \
  case CODE:                                                                   \
    return IssueUnit::UNIT;
#include "lld-cuda/Sass/Operands.def"
  default:
    return IssueUnit::Other;
  }
}

/// The unit of an operation before sm_120.
static IssueUnit getOlderUnit(unsigned operation) {
  constexpr IssueUnit ALU = IssueUnit::Half, FMA = IssueUnit::FMA,
                      Float = IssueUnit::Float;
  switch (operation) {
#define SASS_UNIT(CODE, UNIT)                                                  \
  case CODE:                                                                   \
    return UNIT;
#include "lld-cuda/Sass/Operands.def"
  case OpIMADWide:
    return FMA;
  default:
    return IssueUnit::Other;
  }
}

static RegisterSet toSet(const Operands::List &list) {
  RegisterSet set;
  forEachRegister(list, [&](unsigned k) { set.set(k); });
  return set;
}

TimedInstruction::TimedInstruction(const Instruction &inst, unsigned sm)
    : operands(decodeOperands(inst)),
      unit(sm < FirstWithOwnUnits ? getOlderUnit(operands.operation)
                                  : getUnit(operands.operation)) {
  constexpr unsigned AlwaysTrue = 7;
  constexpr uint64_t Is64 = 1ull << (73 - 64);
  constexpr unsigned WideMove = 0x402; // Of a number of 64 bits.
  isWide = (operands.operation == OpIADD && inst.high & Is64) ||
           inst.opcode() == WideMove;
  isOlder = sm < FirstWithOwnUnits;
  const unsigned number = inst.predicate() & AlwaysTrue;
  guard = number == AlwaysTrue ? 0 : FirstPredicate + number;
  uses = toSet(operands.uses);
  defs = toSet(operands.defs);
  if (operands.readResult)
    defs.set(operands.readResult);
  if (inst.opcode() != WideMove)
    return;
  uses.reset();
  if (guard)
    uses.set(guard);
  for (RegisterRange r : operands.defs)
    defs.set(r.first + 1);
}

bool isMemoryAccess(const Operands &ops) {
  switch (ops.resultClass) {
  case ResultClass::LDG:
  case ResultClass::ATOMG:
  case ResultClass::LDS:
  case ResultClass::ATOMS:
  case ResultClass::STG:
  case ResultClass::STS:
  case ResultClass::RED:
    return true;
  default:
    return false;
  }
}

/// Cycles for which the unit of `from` can't take `to`.
static unsigned unitDistance(const TimedInstruction &from,
                             const TimedInstruction &to) {
  const Operands &a = from.operands, &b = to.operands;
  if (from.isWide)
    return to.unit == IssueUnit::Half ? 3 : 2;
  if (from.unit == to.unit && from.unit == IssueUnit::Half)
    return 2;
  if (from.unit == to.unit && from.unit == IssueUnit::FMA)
    return a.operation == OpIMADHigh ? 4 : 2;
  if (isMemoryAccess(a) && isMemoryAccess(b))
    return 4;
  if ((a.resultClass == ResultClass::LDC &&
       b.resultClass == ResultClass::LDC) ||
      (a.operation == OpBAR && b.operation == OpBAR))
    return 8;
  if (b.operation == OpWARPSYNC && a.operation == OpMEMBAR)
    return 6;
  return a.operation == OpBAR &&
                 (isMemoryAccess(b) || b.operation == OpWARPSYNC ||
                  b.operation == OpRET)
             ? 6
             : 0;
}

static unsigned generalLatency(const TimedInstruction &from,
                               const TimedInstruction &to) {
  if (to.operands.operation == OpWARPSYNC)
    return 7;
  if (from.unit == IssueUnit::Other)
    return MaxStall;
  const bool toFP64 = to.operands.resultClass == ResultClass::FP64 ||
                      to.operands.resultClass == ResultClass::DSETP;
  if (from.isWide)
    return toFP64 ? 7 : to.unit == IssueUnit::Half ? 5 : 6;
  if (from.unit == to.unit && from.unit != IssueUnit::Full)
    return 4;
  switch (to.operands.resultClass) {
  case ResultClass::XU:
  case ResultClass::MUFU:
  case ResultClass::XU64:
  case ResultClass::F2I64:
  case ResultClass::REDUX:
  case ResultClass::LDC:
    return 4;
  default:
    return toFP64 ? 6 : 5;
  }
}

static bool isUniform(unsigned operation) {
  return (operation >= 0x4a && operation <= 0x5e) ||
         (operation >= 0x82 && operation <= 0xbf);
}

static unsigned uniformLatency(const TimedInstruction &from,
                               const TimedInstruction &to) {
  const unsigned producer = from.operands.operation;
  const ResultClass c = to.operands.resultClass;
  const bool isShift = to.operands.operation == OpUSHF;
  if (producer == OpR2UR)
    return 13;
  if (producer == OpUMOV || producer == OpVOTEU)
    return isShift ? 3
           : to.isFixed() || c == ResultClass::XU || c == ResultClass::FP64 ||
                   c == ResultClass::DSETP
               ? 2
               : MaxStall;
  switch (producer) {
#define SASS_UNIFORM(CODE) case CODE:
#include "lld-cuda/Sass/Operands.def"
    break;
  default:
    return MaxStall;
  }
  if (isUniform(to.operands.operation))
    return isShift ? 5 : 4;
  if (to.isFixed())
    return 6;
  return c == ResultClass::LDS || c == ResultClass::STS || c == ResultClass::XU
             ? 9
             : MaxStall;
}

/// Cycles until a result is there for an instruction that uses it.
static unsigned latency(const TimedInstruction &from,
                        const TimedInstruction &to, unsigned reg) {
  constexpr unsigned ForComparison = 5, ForOthers = 13, ForSameUnit = 4,
                     AsCarry = 5;
  if (reg < FirstUniform)
    return generalLatency(from, to);
  if (reg < FirstPredicate)
    return uniformLatency(from, to);
  if (reg >= FirstUniformPredicate ||
      (from.unit != IssueUnit::Half && from.unit != IssueUnit::Full))
    return MaxStall;
  if (reg == to.guard)
    return ForOthers;
  switch (to.operands.operation) {
  case OpFSETP:
  case OpISETP:
  case OpPLOP3:
    return from.isOlder ? ForSameUnit : ForComparison;
  case OpIADD3:
  case OpIADD: // As a carry.
    return from.isOlder ? ForSameUnit : generalLatency(from, to);
  case OpLEA:
    return from.isOlder ? ForSameUnit : ForOthers;
  case OpIMAD:
    return from.isOlder ? AsCarry : ForOthers;
  default:
    return ForOthers;
  }
}

/// Cycles until another instruction may write the same register. `isUsed` says
/// that this instruction also reads it.
static unsigned overwriteDistance(const TimedInstruction &from,
                                  const TimedInstruction &to, unsigned reg,
                                  bool isUsed) {
  const bool toLDCU = to.operands.resultClass == ResultClass::LDCU;
  if (reg >= FirstPredicate)
    return to.unit == IssueUnit::Full ? 6 : 14;
  if (reg >= FirstUniform)
    return from.operands.operation == OpUMOV ? toLDCU ? 4 : 3 : MaxStall;
  if (!to.isFixed()) {
    const bool toFP64 = to.operands.resultClass == ResultClass::FP64;
    if (from.isWide && !(isUsed && toFP64))
      return 8;
    if (isUsed)
      return 6;
    const bool toLDC = to.operands.resultClass == ResultClass::LDC;
    switch (from.unit) {
    case IssueUnit::FMA:
    case IssueUnit::Float:
      return 7;
    case IssueUnit::Half:
      return 6;
    case IssueUnit::Full:
      return toLDC ? 6 : 7;
    case IssueUnit::Other:
      return MaxStall;
    }
  }
  if (from.unit == IssueUnit::Other || to.unit == IssueUnit::Other)
    return MaxStall;
  if (from.isOlder)
    return 0;
  const bool areApart =
      (from.unit == IssueUnit::FMA) != (to.unit == IssueUnit::FMA) ||
      (from.unit == IssueUnit::Float) != (to.unit == IssueUnit::Float);
  return areApart || from.isWide ? 6 : 0;
}

static unsigned resultDistance(const TimedInstruction &from,
                               const TimedInstruction &to) {
  const RegisterSet used = from.defs & to.uses;
  RegisterSet overwritten = from.defs & to.defs;
  if (used.none() && overwritten.none())
    return 0;
  if (to.isFixed())
    overwritten -= used;
  const bool isUsed = (overwritten & used).any();
  unsigned distance = 0;
  used.forEach([&](unsigned reg) {
    distance = std::max(distance, latency(from, to, reg));
  });
  overwritten.forEach([&](unsigned reg) {
    distance = std::max(distance, overwriteDistance(from, to, reg, isUsed));
  });
  return distance;
}

unsigned minDistance(const TimedInstruction &from, const TimedInstruction &to) {
  constexpr unsigned BeforeOverwrite = 2;
  unsigned distance = unitDistance(from, to);
  if (!from.isFixed())
    return distance;
  distance = std::max(distance, resultDistance(from, to));
  if (!to.isFixed() && to.operands.resultClass != ResultClass::Other) {
    (from.uses & to.defs).forEach([&](unsigned reg) {
      if (reg < FirstUniform)
        distance = std::max(distance, BeforeOverwrite);
    });
  }
  return distance;
}

unsigned timeToBlockEnd(const TimedInstruction &from, const RegisterSet &live) {
  constexpr unsigned General = 7, WideAddition = 8, Uniform = 12,
                     Predicate = 13, UniformPredicate = 11;
  if (!from.isFixed())
    return 0;
  const RegisterSet needed = from.defs & live;
  unsigned time = 0;
  if (needed.none())
    return time;
  needed.forEach([&](unsigned reg) {
    time = std::max(time, reg >= FirstUniformPredicate ? UniformPredicate
                          : reg >= FirstPredicate      ? Predicate
                          : reg >= FirstUniform        ? Uniform
                          : from.isWide                ? WideAddition
                                                       : General);
  });
  return time;
}

} // namespace lld::cuda::scoreboards
