//===- Fp64Schedule.cpp - FP64 code of sm_100 on sm_103 -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Schedules optimized code of sm_100 for sm_103, where FP64 arithmetic takes
/// longer [scoreboards-fp64]. Reschedule.cpp calls scheduleFp64Code() when a
/// link with --reschedule plans the edit of such a function (planCodeEdit()).
/// Scoreboards, by which an instruction signals that its result is there, are
/// chosen first: replay() runs the compiler's allocation and nvlink's side by
/// side, and only in nvlink's does FP64 arithmetic get scoreboards, unless the
/// compiler already gave it some. A DADD that stalled on sm_100 sets scoreboard
/// 0 on sm_103, and the instruction that uses its result waits for that. Then
/// stalls and NOPs are set, block by block.
///
/// The compiler lets the instruction before a dependent one stall. A model
/// tells for how long: it knows the distances, in cycles, that instructions
/// must keep (IssueDistances.h). Stalls of the input that it explains, or that
/// may have been for an FP64 result, are set anew; all others are kept, or
/// lengthened where a shortened stall has moved an instruction too close to one
/// that it depends on.
///
//===----------------------------------------------------------------------===//

#include "Fp64Schedule.h"
#include "IssueDistances.h"
#include "KeptOperands.h"
#include "LiveRegisters.h"
#include "ScoreboardEvents.h"
#include "lld-cuda/Sass/ControlFlow.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace lld::cuda::sass;
using namespace lld::cuda::scoreboards;

namespace lld::cuda {

namespace {

class Fp64Scheduler {
public:
  Fp64Scheduler(std::vector<Instruction> insts, const Fp64Rules &rules)
      : rules(rules), old(std::move(insts)), kernel(old, /*sm=*/103),
        oldTime(old.size()), newTime(old.size()) {
    schedule.delays.resize(old.size());
    schedule.code = old;
  }

  bool run();
  Fp64Schedule take() { return std::move(schedule); }

private:
  bool isSlow(uint32_t i) const { return old[i].isFP64Arithmetic(); }
  bool prepare();
  bool isSafe(ArrayRef<ScoreboardFields> fields) const;
  void scheduleBlock(const BasicBlock &bb);
  bool stalledForSlow(uint32_t j) const;
  unsigned lastStall(uint32_t j) const;
  unsigned oldModelStall(uint32_t j) const;
  unsigned newModelStall(uint32_t j) const;
  unsigned stallFor(uint32_t j) const;
  void delay(uint32_t j, unsigned cycles);

  const Fp64Rules rules;
  const std::vector<Instruction> old;
  Kernel kernel;
  std::vector<TimedInstruction> timed;
  std::optional<ControlFlow> flow;
  std::vector<RegisterSet> liveOut; ///< By block.
  std::vector<ScoreboardFields> fields;
  Fp64Schedule schedule;
  // When instructions issue, in cycles since the begin of the block.
  std::vector<unsigned> oldTime, newTime;
  uint32_t begin = 0, block = 0;
};

} // namespace

bool Fp64Scheduler::prepare() {
  if (!kernel.isKnown || any_of(kernel.operands, [](const Operands &ops) {
        return ops.isAsynchronous();
      }))
    return false;
  if (!rules.hadEvents)
    kernel.becomesSlow.resize(old.size());
  if (rules.keepsApart)
    kernel.usesSlowUnit.resize(old.size());
  for (size_t i = 0; i != old.size(); ++i) {
    // Only the schedule of FP64 arithmetic is known on sm_103.
    if (old[i].isSlowerOnSM103() != isSlow(i))
      return false;
    if (!rules.hadEvents)
      kernel.becomesSlow[i] = isSlow(i);
    if (rules.keepsApart)
      kernel.usesSlowUnit[i] = old[i].usesFP64Unit();
    timed.emplace_back(old[i], kernel.sm);
  }
  kernel.looksBeyondBlocks = rules.looksBeyondBlocks;
  kernel.wasWithinBlocks = rules.looksBeyondBlocks && rules.wasWithinBlocks;
  kernel.wasUnordered = rules.hadEvents;
  kernel.dropsFirstEvent =
      rules.mayDropStackPointer && beginsWithStackPointer(old[0]) &&
      none_of(old, [](const Instruction &inst) { return inst.isCall(); }) &&
      !kernel.usesStackPointer();
  flow = ControlFlow::build(old);
  if (!flow)
    return false;
  if (kernel.looksBeyondBlocks)
    flow->addTableTargets();
  if (kernel.wasWithinBlocks)
    kernel.getsFenceEvents = findFenceEvents(old, kernel);
  liveOut = findLiveOut(*flow, timed);
  Refusal refusal;
  std::optional<std::vector<ScoreboardFields>> result =
      replay(kernel, *flow, refusal);
  if (result && areScoreboardsSafe(old, *result, {}, kernel.operands) &&
      (rules.hadEvents || isSafe(*result))) {
    fields = std::move(*result);
    return true;
  }
  // If FP64 arithmetic has scoreboards already, the compiler's are kept.
  kernel.dropsFirstEvent = false;
  fields = kernel.fields;
  return rules.hadEvents;
}

namespace {

/// What FP64 arithmetic is still busy with, at some place in a block. Its unit
/// works in order: an instruction that has waited for one operation has waited
/// for all operations before it. Operations are counted from 1; 0 is none.
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
bool Fp64Scheduler::isSafe(ArrayRef<ScoreboardFields> fields) const {
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

static bool isNear(ScoreboardFields f, uint8_t waits) {
  return (f.write != NoScoreboard && waits >> f.write & 1) ||
         (f.read != NoScoreboard && waits >> f.read & 1);
}

static bool isConversion(const Operands &ops) {
  return ops.resultClass == ResultClass::XU ||
         ops.resultClass == ResultClass::MUFU ||
         ops.resultClass == ResultClass::XU64 ||
         ops.resultClass == ResultClass::F2I64;
}

/// What an instruction would stall for on sm_100, FP64 results aside.
unsigned Fp64Scheduler::oldModelStall(uint32_t j) const {
  constexpr unsigned BeforeFMA = 2, BetweenConversions = 8;
  const uint32_t next = j + 1;
  unsigned stall =
      isNear(kernel.fields[j], kernel.fields[next].waits) ? EventStall : 1;
  for (uint32_t q = next; q-- > begin && oldTime[j] - oldTime[q] < MaxStall;) {
    unsigned distance = minDistance(timed[q], timed[next]);
    if (isSlow(q) && timed[next].unit == IssueUnit::FMA)
      distance = std::max(distance, BeforeFMA);
    if ((old[q].usesFP64Unit() &&
         (old[next].usesFP64Unit() || isConversion(kernel.operands[next]))) ||
        (isConversion(kernel.operands[q]) && old[next].usesFP64Unit()))
      distance = std::max(distance, BetweenConversions);
    stall = std::max<int>(stall, int(distance) - int(oldTime[j] - oldTime[q]));
  }
  return stall;
}

/// What an instruction must stall for on sm_103. Two instructions are never
/// kept farther apart than they were in the input.
unsigned Fp64Scheduler::newModelStall(uint32_t j) const {
  const uint32_t next = j + 1;
  unsigned stall = isNear(fields[j], fields[next].waits) ? EventStall : 1;
  RegisterSet overwritten;
  for (uint32_t q = next; q-- > begin && newTime[j] - newTime[q] < MaxStall;) {
    TimedInstruction from = timed[q];
    from.defs -= overwritten;
    if (!from.isGuarded())
      overwritten |= from.defs;
    const unsigned distance =
        std::min(minDistance(from, timed[next]), oldTime[next] - oldTime[q]);
    stall = std::max<int>(stall, int(distance) - int(newTime[j] - newTime[q]));
  }
  return stall;
}

/// The cycles from j, which is not the last of its block, to the next one. What
/// the model doesn't explain stays.
unsigned Fp64Scheduler::stallFor(uint32_t j) const {
  const unsigned given = kernel.stalls[j];
  const unsigned stall = newModelStall(j);
  if (kernel.getsFenceEvent(j))
    return FenceStall;
  // Parts of an error barrier don't stall at all.
  if (!given && stall == 1)
    return 0;
  const bool isExplained =
      isSlow(j) || stalledForSlow(j) ||
      (j == 0 && kernel.dropsFirstEvent && given == EventStall) ||
      oldModelStall(j) >= given;
  return isExplained ? stall : std::max(stall, given);
}

/// What the last instruction of a block stalls for at least.
static unsigned getShortestEnd(const Operands &ops, ScoreboardFields f) {
  constexpr unsigned Jump = 5, Barrier = 6;
  switch (ops.operation) {
  case OpBAR:
    return Barrier;
  case OpBRA:
  case OpBSYNC:
  case OpBRX:
  case OpBRXUniform:
  case OpEXIT:
  case OpRET:
  case OpCALLRel:
  case OpCALLAbs:
  case OpWARPSYNC:
    return Jump;
  default:
    return f.write != NoScoreboard || f.read != NoScoreboard ? EventStall : 1;
  }
}

/// The stall of the last instruction of a block: what is needed later must be
/// there. On sm_100 this is also true of FP64 results.
unsigned Fp64Scheduler::lastStall(uint32_t j) const {
  const unsigned given = kernel.stalls[j], oldEnd = oldTime[j] + given;
  if (!given) // The branch after the end.
    return 0;
  const unsigned shortest = getShortestEnd(kernel.operands[j], fields[j]);
  bool wasForSlow = false;
  unsigned explained = shortest, stall = shortest;
  RegisterSet live = liveOut[block];
  if (flow->blocks[block].endsInReturn) // Results are in general registers.
    for (unsigned reg = FirstUniform; reg != NumRegisters; ++reg)
      live.reset(reg);
  for (uint32_t q = j + 1; q-- > begin;) {
    const unsigned passed = newTime[j] - newTime[q];
    if (oldTime[j] - oldTime[q] >= MaxStall && passed >= MaxStall)
      break;
    wasForSlow |= isSlow(q) && oldEnd - oldTime[q] <= MaxStall;
    const unsigned needed = timeToBlockEnd(timed[q], live);
    explained =
        std::max<int>(explained, int(needed) - int(oldTime[j] - oldTime[q]));
    stall = std::max<int>(stall, int(std::min(needed, oldEnd - oldTime[q])) -
                                     int(passed));
    if (!timed[q].isGuarded())
      live -= timed[q].defs;
  }
  return wasForSlow || explained >= given ? stall : std::max(stall, given);
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

void Fp64Scheduler::scheduleBlock(const BasicBlock &bb) {
  begin = bb.begin;
  std::optional<unsigned> unitBusyUntil;
  unsigned time = 0;
  oldTime[begin] = 0;
  for (uint32_t j = begin; j != bb.end; ++j) {
    Instruction &inst = schedule.code[j];
    newTime[j] = time;
    if (rules.keepsApart && inst.usesFP64Unit())
      unitBusyUntil = time + SlowUnitTime;
    if (j + 1 == bb.end) {
      if (!bb.endsInExit)
        setStall(inst, lastStall(j));
      break;
    }
    // Nothing issues together: so few instructions are as near as a stall.
    oldTime[j + 1] = oldTime[j] + std::max<unsigned>(kernel.stalls[j], 1);
    unsigned stall = stallFor(j);
    if (isSlow(j))
      inst.setStall(0); // Has another scheduling class than before.
    setStall(inst, stall);
    stall = std::max(stall, 1u);
    if (schedule.code[j + 1].usesFP64Unit() && unitBusyUntil &&
        *unitBusyUntil > time + stall) {
      stall = *unitBusyUntil - time;
      delay(j, stall);
    }
    time += stall;
  }
  const size_t size = bb.end - begin;
  const auto from = ArrayRef(old).slice(begin, size);
  const auto to = MutableArrayRef(schedule.code).slice(begin, size);
  setYields(from, to);
  keepOperands(from, to);
}

bool Fp64Scheduler::run() {
  if (!prepare())
    return false;
  for (block = 0; block != flow->blocks.size(); ++block)
    scheduleBlock(flow->blocks[block]);
  for (size_t i = 0; i != fields.size(); ++i)
    writeScoreboards(schedule.code[i], fields[i]);
  return true;
}

std::optional<Fp64Schedule> scheduleFp64Code(ArrayRef<uint8_t> code,
                                             const Fp64Rules &rules) {
  if (code.empty())
    return std::nullopt;
  Fp64Scheduler scheduler(readInstructions(code), rules);
  if (!scheduler.run())
    return std::nullopt;
  return scheduler.take();
}

} // namespace lld::cuda
