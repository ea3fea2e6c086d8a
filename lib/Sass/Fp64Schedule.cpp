//===- Fp64Schedule.cpp - FP64 code of sm_100 on sm_103 -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Scoreboards first, by a replay of the allocation in which FP64 arithmetic
/// has events in the output only; then stalls and NOPs, block by block.
///
/// The compiler lets the instruction before a dependent one stall. A model
/// tells for how long: it knows distances that instructions must keep. Stalls
/// of the input that it explains, or that may have been for an FP64 result, are
/// set anew; all others stay, or grow where something comes closer to what it
/// needs because a stall between them has become shorter.
///
//===----------------------------------------------------------------------===//

#include "lld-cuda/Sass/Fp64Schedule.h"
#include "IssueDistances.h"
#include "ScoreboardEvents.h"
#include "lld-cuda/Sass/ControlFlow.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace lld::cuda::sass;
using namespace lld::cuda::scoreboards;

namespace lld::cuda {

/// Cycles that an instruction with an event stalls if the next one waits for
/// it.
constexpr unsigned EventStall = 2;

/// Units that take an instruction every second cycle. R2UR's is the ALU.
enum class Unit { Other, ALU, FMA };

static Unit getUnit(const Operands &ops) {
  switch (ops.operation) {
#define SASS_UNIT(CODE, UNIT)                                                  \
  case CODE:                                                                   \
    return Unit::UNIT;
#include "lld-cuda/Sass/Operands.def"
  default:
    return Unit::Other;
  }
}

static bool isFixed(const Operands &ops) {
  return ops.resultClass == ResultClass::Fixed;
}

static bool isGeneral(RegisterRange r) { return r.first < FirstUniform; }

/// Cycles from a producer of fixed latency to an instruction that depends on
/// it, at most.
static unsigned maxLatency(const Operands &from, const Operands &to) {
  constexpr unsigned SameUnit = 4, OtherUnit = 5, ToXU = 4, ToFP64 = 6;
  if (getUnit(from) == Unit::Other || overlap(from.defs, to.defs))
    return MaxStall;
  for (RegisterRange def : from.defs)
    for (RegisterRange use : to.uses)
      if (def.overlaps(use) && !isGeneral(def))
        return MaxStall;
  switch (to.resultClass) {
  case ResultClass::FP64:
  case ResultClass::DSETP:
    return ToFP64;
  case ResultClass::XU:
    return ToXU;
  case ResultClass::Fixed:
    return getUnit(from) == getUnit(to) ? SameUnit : OtherUnit;
  default:
    return OtherUnit;
  }
}

/// The same if it isn't known which one depends on it.
static unsigned maxLatency(const Operands &from) {
  constexpr unsigned Known = 7;
  return getUnit(from) != Unit::Other && all_of(from.defs, isGeneral)
             ? Known
             : MaxStall;
}

/// Cycles between two instructions of a block, events aside, at most.
static unsigned minDistance(const Operands &from, const Operands &to) {
  constexpr unsigned SameUnit = 2, Memory = 4, Constants = 8;
  const Unit unit = getUnit(from);
  unsigned distance = 0;
  if (unit != Unit::Other && unit == getUnit(to))
    distance = SameUnit;
  else if (isMemoryAccess(from) && isMemoryAccess(to))
    distance = Memory;
  else if (from.resultClass == ResultClass::LDC &&
           to.resultClass == ResultClass::LDC)
    distance = Constants;
  if (isFixed(from) && dependsOn(to, from, false))
    distance = std::max(distance, maxLatency(from, to));
  return distance;
}

namespace {

class Fp64Scheduler {
public:
  Fp64Scheduler(std::vector<Instruction> code)
      : kernel(code, /*sm=*/103), oldTime(code.size()), newTime(code.size()) {
    schedule.delays.resize(code.size());
    schedule.code = std::move(code);
  }

  bool run(bool mayDropStackPointer);
  Fp64Schedule take() { return std::move(schedule); }

private:
  bool isSlow(uint32_t i) const { return kernel.becomesSlow[i]; }
  bool prepare(bool mayDropStackPointer);
  bool isSafe() const;
  void scheduleBlock(const BasicBlock &block);
  bool stalledForSlow(uint32_t j) const;
  unsigned lastStall(uint32_t j, bool isReturn) const;
  unsigned modelStall(uint32_t j, ArrayRef<unsigned> time,
                      ArrayRef<ScoreboardFields> with, bool isCapped) const;
  unsigned stallFor(uint32_t j) const;
  void setStall(uint32_t j, unsigned stall);
  void delay(uint32_t j, unsigned cycles);

  Kernel kernel;
  std::optional<ControlFlow> flow;
  std::vector<ScoreboardFields> fields;
  Fp64Schedule schedule;
  // Since the begin of the block.
  std::vector<unsigned> oldTime, newTime;
  uint32_t begin = 0;
};

} // namespace

bool Fp64Scheduler::prepare(bool mayDropStackPointer) {
  ArrayRef<Instruction> code = schedule.code;
  if (!kernel.isKnown || any_of(kernel.operands, [](const Operands &ops) {
        return ops.isAsynchronous();
      }))
    return false;
  kernel.becomesSlow.resize(code.size());
  kernel.usesSlowUnit.resize(code.size());
  for (size_t i = 0; i != code.size(); ++i) {
    const bool isFP64 = kernel.operands[i].info().events == EventKind::FP64;
    // Others are left to those who know them.
    if (code[i].isSlowerOnSM103() != isFP64)
      return false;
    kernel.becomesSlow[i] = isFP64;
    kernel.usesSlowUnit[i] = code[i].usesFP64Unit();
  }
  kernel.dropsFirstEvent =
      mayDropStackPointer && beginsWithStackPointer(code[0]) &&
      none_of(code, [](const Instruction &inst) { return inst.isCall(); }) &&
      !kernel.usesStackPointer();
  flow = ControlFlow::build(code);
  if (!flow)
    return false;
  Refusal refusal;
  std::optional<std::vector<ScoreboardFields>> result =
      replay(kernel, *flow, refusal);
  if (!result)
    return false;
  fields = std::move(*result);
  return areScoreboardsSafe(code, fields) && isSafe();
}

namespace {

/// What FP64 arithmetic is still busy with, at some place in a block. Its unit
/// works in order: who has waited for one operation has waited for all before.
/// Operations are counted from 1; 0 is none.
class PendingWork {
public:
  void wait(uint8_t waits) {
    for (unsigned s = 0; s != NumScoreboards; ++s)
      if (waits >> s & 1) {
        doneResults = std::max(doneResults, results[s]);
        doneReads = std::max({doneReads, results[s], reads[s]});
      }
  }
  /// Whether an instruction would use what isn't there yet, or overwrite what
  /// hasn't been read. `inOrder`: it goes through the same unit.
  bool isInTheWay(const Operands &ops, bool inOrder) const {
    return forAny(ops.uses,
                  [&](unsigned r) { return writer[r] > doneResults; }) ||
           (!inOrder && forAny(ops.defs, [&](unsigned r) {
             // Other registers are read at once.
             return writer[r] > doneResults ||
                    (r < FirstUniform && reader[r] > doneReads);
           }));
  }
  void start(const Operands &ops, ScoreboardFields fields) {
    ++last;
    forAny(ops.defs, [&](unsigned r) { return writer[r] = last, false; });
    forAny(ops.uses, [&](unsigned r) { return reader[r] = last, false; });
    if (fields.write != NoScoreboard)
      results[fields.write] = last;
    if (fields.read != NoScoreboard)
      reads[fields.read] = last;
  }
  bool isOver() const { return doneResults == last; }

private:
  template <class Fn> static bool forAny(const Operands::List &list, Fn fn) {
    for (RegisterRange range : list)
      for (unsigned i = 0; i != range.count; ++i)
        if (range.first + i < NumRegisters && fn(range.first + i))
          return true;
    return false;
  }

  uint32_t last = 0, doneResults = 0, doneReads = 0;
  uint32_t results[NumScoreboards] = {}, reads[NumScoreboards] = {};
  uint32_t writer[NumRegisters] = {}, reader[NumRegisters] = {};
};

} // namespace

/// Checks the result knowing nothing of how it was found.
bool Fp64Scheduler::isSafe() const {
  for (const BasicBlock &block : flow->blocks) {
    PendingWork work;
    for (uint32_t i = block.begin; i != block.end; ++i) {
      const Operands &ops = kernel.operands[i];
      work.wait(fields[i].waits);
      if (work.isInTheWay(ops, isSlow(i)))
        return false;
      if (isSlow(i))
        work.start(ops, fields[i]);
    }
    if (!block.endsInExit && !work.isOver())
      return false;
  }
  return true;
}

/// Whether the instruction after j depends on an FP64 result that it got by
/// stalling.
bool Fp64Scheduler::stalledForSlow(uint32_t j) const {
  const uint32_t next = j + 1;
  for (uint32_t q = next;
       q-- > begin && oldTime[next] - oldTime[q] <= MaxStall;)
    if (isSlow(q) &&
        dependsOn(kernel.operands[next], kernel.operands[q], false))
      return true;
  return false;
}

/// What an instruction would stall for. `time`: when instructions issue; of a
/// pair, no more than they were apart in the input counts.
unsigned Fp64Scheduler::modelStall(uint32_t j, ArrayRef<unsigned> time,
                                   ArrayRef<ScoreboardFields> with,
                                   bool isCapped) const {
  const uint32_t next = j + 1;
  const uint8_t waits = with[next].waits;
  const bool isNear =
      (with[j].write != NoScoreboard && waits >> with[j].write & 1) ||
      (with[j].read != NoScoreboard && waits >> with[j].read & 1);
  unsigned stall = isNear ? EventStall : 1;
  for (uint32_t q = next; q-- > begin && time[j] - time[q] < MaxStall;) {
    unsigned distance = minDistance(kernel.operands[q], kernel.operands[next]);
    if (isCapped)
      distance = std::min(distance, oldTime[next] - oldTime[q]);
    stall = std::max<int>(stall, int(distance) - int(time[j] - time[q]));
  }
  return stall;
}

/// The cycles from j, which is not the last of its block, to the next one. What
/// the model doesn't explain stays.
unsigned Fp64Scheduler::stallFor(uint32_t j) const {
  const unsigned given = kernel.stalls[j];
  const unsigned stall = modelStall(j, newTime, fields, /*isCapped=*/true);
  // Parts of an error barrier don't stall at all.
  if (!given && stall == 1)
    return 0;
  const bool isExplained =
      isSlow(j) || stalledForSlow(j) ||
      (j == 0 && kernel.dropsFirstEvent && given == EventStall) ||
      modelStall(j, oldTime, kernel.fields, /*isCapped=*/false) >= given;
  return isExplained ? stall : std::max(stall, given);
}

/// The stall of the last instruction of a block. Who comes after it is not
/// known. A return stalls for results that the caller may use, those of FP64
/// arithmetic with the others.
unsigned Fp64Scheduler::lastStall(uint32_t j, bool isReturn) const {
  constexpr unsigned ShortestReturn = 5;
  const unsigned given = kernel.stalls[j], oldEnd = oldTime[j] + given;
  bool wasForSlow = false;
  unsigned needed = 0;
  for (uint32_t q = j + 1; q-- > begin && newTime[j] - newTime[q] < MaxStall;) {
    wasForSlow |= isSlow(q) && oldEnd - oldTime[q] <= MaxStall;
    if (!isFixed(kernel.operands[q]))
      continue;
    const unsigned distance =
        std::min(oldEnd - oldTime[q], maxLatency(kernel.operands[q]));
    needed =
        std::max<int>(needed, int(distance) - int(newTime[j] - newTime[q]));
  }
  return std::max(needed, isReturn && wasForSlow ? ShortestReturn : given);
}

/// Those of fixed latency let others come first if they stall for long.
void Fp64Scheduler::setStall(uint32_t j, unsigned stall) {
  constexpr unsigned LongestShort = 2;
  Instruction &inst = schedule.code[j];
  const bool changes = isFixed(kernel.operands[j]) && stall != inst.stall();
  if (changes && stall > LongestShort)
    inst.letYield();
  else if (changes || isSlow(j))
    inst.forbidYield();
  // Another one comes in between.
  if (isSlow(j))
    inst.clearReuse();
  inst.setStall(stall);
}

/// Lets `cycles` pass from j to the next instruction.
void Fp64Scheduler::delay(uint32_t j, unsigned cycles) {
  Instruction &inst = schedule.code[j];
  inst.letYield();
  inst.setStall(std::min(cycles, MaxStall));
  if (cycles <= MaxStall)
    return;
  inst.clearReuse();
  const unsigned rest = cycles - MaxStall;
  const unsigned nops = (rest + MaxStall - 1) / MaxStall;
  schedule.delays[j] = {nops, uint8_t(rest - (nops - 1) * MaxStall)};
}

void Fp64Scheduler::scheduleBlock(const BasicBlock &block) {
  begin = block.begin;
  std::optional<unsigned> unitBusyUntil;
  unsigned time = 0;
  oldTime[begin] = 0;
  for (uint32_t j = begin; j != block.end; ++j) {
    newTime[j] = time;
    if (schedule.code[j].usesFP64Unit())
      unitBusyUntil = time + SlowUnitTime;
    if (j + 1 == block.end) {
      if (!block.endsInExit)
        schedule.code[j].setStall(lastStall(j, block.endsInReturn));
      return;
    }
    // Nothing issues together: so few instructions are as near as a stall.
    oldTime[j + 1] = oldTime[j] + std::max<unsigned>(kernel.stalls[j], 1);
    unsigned stall = stallFor(j);
    setStall(j, stall);
    stall = std::max(stall, 1u);
    if (schedule.code[j + 1].usesFP64Unit() && unitBusyUntil &&
        *unitBusyUntil > time + stall) {
      stall = *unitBusyUntil - time;
      delay(j, stall);
    }
    time += stall;
  }
}

bool Fp64Scheduler::run(bool mayDropStackPointer) {
  if (!prepare(mayDropStackPointer))
    return false;
  for (const BasicBlock &block : flow->blocks)
    scheduleBlock(block);
  for (size_t i = 0; i != fields.size(); ++i)
    writeScoreboards(schedule.code[i], fields[i]);
  return true;
}

std::optional<Fp64Schedule> scheduleSerialCode(ArrayRef<uint8_t> code) {
  constexpr uint8_t ForResult = 0, ForSources = 1,
                    Both = 1 << ForResult | 1 << ForSources;
  Fp64Schedule schedule;
  schedule.code = readInstructions(code);
  schedule.delays.resize(schedule.code.size());
  auto waitsForBoth = [&](size_t i) {
    return i < schedule.code.size() &&
           (readScoreboards(schedule.code[i]).waits & Both) == Both;
  };
  for (auto [i, inst] : enumerate(schedule.code)) {
    if (!inst.isSlowerOnSM103() && !inst.usesFP64Unit())
      continue;
    if (!waitsForBoth(i) || !waitsForBoth(i + 1))
      return std::nullopt;
    ScoreboardFields fields = readScoreboards(inst);
    if (!inst.isSlowerOnSM103())
      continue;
    if (fields.write != NoScoreboard || fields.read != NoScoreboard)
      return std::nullopt;
    fields.write = ForResult;
    fields.read = ForSources;
    writeScoreboards(inst, fields);
    inst.setStall(MaxStall);
  }
  return schedule;
}

std::optional<Fp64Schedule> scheduleFp64Code(ArrayRef<uint8_t> code,
                                             bool mayDropStackPointer) {
  if (code.empty())
    return std::nullopt;
  Fp64Scheduler scheduler(readInstructions(code));
  if (!scheduler.run(mayDropStackPointer))
    return std::nullopt;
  return scheduler.take();
}

} // namespace lld::cuda
