//===- AdditionSchedule.cpp - Sums of two numbers on sm_120 ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Replaces IADD3 by IADD, the later compilers' instruction for sums of two
/// numbers, in code of ptxas 13.0 for sm_120 and sm_121, and sets stalls anew.
/// CodeRenewal (OlderCode.cpp) calls scheduleAdditions() for each such function
/// when a link with --reschedule finalizes it, before its code edit
/// [code-additions]. A model knows the distances that instructions must keep
/// (IssueDistances.h). Stalls of the input that the model explains are set
/// anew; a longer one is kept, since it may be for something that the model
/// doesn't know.
///
//===----------------------------------------------------------------------===//

#include "AdditionSchedule.h"
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

constexpr uint64_t TakesCarry = 0x400;

bool takesCarry(const Instruction &inst) { return inst.high & TakesCarry; }

/// All but the operands and the scheduling of an IADD3 of two numbers, one of
/// which may be negated, that may give a carry and take one.
static bool hasFormOfAddition(const Instruction &inst) {
  constexpr uint64_t FormMask = (1ull << 41) - 1, Form = 0x7ffe0ff,
                     NegatesFirst = 0x100, SecondIsUniform = 0x8000000,
                     CarryOut = 0xe0000, CarryIn = 0x7800000;
  uint64_t mask = FormMask & ~(NegatesFirst | SecondIsUniform | CarryOut);
  if (takesCarry(inst))
    mask &= ~(TakesCarry | CarryIn);
  return (inst.high & mask) == (Form & mask);
}

bool isAddition(const Instruction &inst) {
  return inst.operation() == OpIADD3 && hasFormOfAddition(inst);
}

static Instruction makeIADD(Instruction inst) {
  constexpr uint64_t LowChange = 0x25, HighChange = 0x71e0ff;
  inst.low ^= LowChange;
  inst.high ^= HighChange;
  return inst;
}

namespace {

/// One of the two versions of the code.
struct ScheduleVersion {
  std::vector<TimedInstruction> insts;
  std::vector<ScoreboardFields> fields;
  /// When instructions issue, since the begin of the block.
  std::vector<unsigned> time;
};

class AdditionScheduler {
public:
  AdditionScheduler(ArrayRef<Instruction> code,
                    ArrayRef<ScoreboardFields> fields)
      : old(code.begin(), code.end()), code(old) {
    after.fields = fields;
  }

  bool run();
  std::vector<Instruction> take() { return std::move(code); }

private:
  bool prepare();
  void scheduleBlock(const BasicBlock &block);
  unsigned stallFor(uint32_t j) const;
  unsigned lastStall(uint32_t j) const;
  unsigned modelStall(const ScheduleVersion &version, uint32_t j) const;
  unsigned newModelStall(uint32_t j) const;
  unsigned oldStallBeforeSync(uint32_t j) const;
  bool isNear(const ScheduleVersion &version, uint32_t j) const;

  const std::vector<Instruction> old;
  std::vector<Instruction> code;
  ScheduleVersion before, after;
  std::optional<ControlFlow> flow;
  std::vector<RegisterSet> liveOut; ///< By block.
  uint32_t begin = 0, block = 0;
};

} // namespace

bool AdditionScheduler::prepare() {
  before.insts.reserve(old.size());
  before.fields.reserve(old.size());
  after.insts.reserve(old.size());
  for (size_t i = 0; i != old.size(); ++i) {
    before.insts.emplace_back(old[i]);
    before.fields.push_back(readScoreboards(old[i]));
    after.insts.emplace_back(code[i]);
    if (!before.insts.back().isKnown())
      return false;
  }
  // A fence becomes several instructions only after it was scheduled.
  for (size_t i = old.size(); --i;)
    if (old[i - 1].isFencePlaceholder())
      for (ScheduleVersion *version : {&before, &after})
        version->insts[i - 1].uses |= version->insts[i].uses;
  before.time.resize(old.size() + 1);
  after.time.resize(old.size() + 1);
  flow = ControlFlow::build(old);
  if (!flow)
    return false;
  flow->addTableTargets();
  liveOut = findLiveOut(*flow, before.insts);
  return true;
}

bool AdditionScheduler::isNear(const ScheduleVersion &version,
                               uint32_t j) const {
  const ScoreboardFields &f = version.fields[j];
  const uint8_t waits = version.fields[j + 1].waits;
  return (f.write != NoScoreboard && waits >> f.write & 1) ||
         (f.read != NoScoreboard && waits >> f.read & 1);
}

/// What instruction j would stall for in one of the versions.
unsigned AdditionScheduler::modelStall(const ScheduleVersion &version,
                                       uint32_t j) const {
  unsigned stall = isNear(version, j) ? EventStall : 1;
  for (uint32_t q = j + 1; q-- > begin;) {
    const unsigned passed = version.time[j] - version.time[q];
    if (passed >= MaxStall)
      break;
    const unsigned distance =
        minDistance(version.insts[q], version.insts[j + 1]);
    stall = std::max<int>(stall, int(distance) - int(passed));
  }
  return stall;
}

/// What instruction j must stall for in the new version. An addition gets the
/// additional time that it needs; other instructions are kept no farther apart
/// than they were.
unsigned AdditionScheduler::newModelStall(uint32_t j) const {
  const uint32_t next = j + 1;
  unsigned stall = isNear(after, j) ? EventStall : 1;
  for (uint32_t q = next; q-- > begin;) {
    const unsigned passed = after.time[j] - after.time[q];
    if (passed >= MaxStall)
      break;
    const unsigned was = minDistance(before.insts[q], before.insts[next]);
    unsigned distance = minDistance(after.insts[q], after.insts[next]);
    if (distance <= was)
      distance = std::min(distance, before.time[next] - before.time[q]);
    stall = std::max<int>(stall, int(distance) - int(passed));
  }
  return stall;
}

/// For ptxas 13.0 a WARPSYNC was like the end of a block: all results of fixed
/// latency were there, and an event had begun.
unsigned AdditionScheduler::oldStallBeforeSync(uint32_t j) const {
  const TimedInstruction &next = before.insts[j + 1];
  if (next.operands.operation != OpWARPSYNC || next.operands.isCollective ||
      before.insts[j].operands.operation == OpYIELD)
    return 0;
  const ScoreboardFields &f = before.fields[j];
  unsigned stall =
      f.write != NoScoreboard || f.read != NoScoreboard ? EventStall : 0;
  const RegisterSet all = RegisterSet::all();
  for (uint32_t q = j + 1; q-- > begin;) {
    const unsigned passed = before.time[j] - before.time[q];
    if (passed >= MaxStall)
      break;
    const unsigned distance = timeToBlockEnd(before.insts[q], all);
    stall = std::max<int>(stall, int(distance) - int(passed));
  }
  return stall;
}

/// The cycles from j, which is not the last of its block, to the next one.
unsigned AdditionScheduler::stallFor(uint32_t j) const {
  constexpr unsigned FenceStall = 6;
  const unsigned given = old[j].stall();
  // Two halves of a fence are one for ptxas 13.0.
  if (!given && old[j].isMembar() && old[j + 1].isMembar())
    return FenceStall;
  const bool isExplained =
      std::max(modelStall(before, j), oldStallBeforeSync(j)) >= given;
  const unsigned stall = newModelStall(j);
  // Parts of an error barrier don't stall at all.
  if (!given && stall == 1)
    return 0;
  return isExplained ? stall : std::max(stall, given);
}

/// Returns the stall of the last instruction of the block: results that later
/// blocks read must be there.
unsigned AdditionScheduler::lastStall(uint32_t j) const {
  constexpr unsigned BranchStall = 5;
  const unsigned given = old[j].stall();
  if (!given)
    return 0;
  const unsigned operation = before.insts[j].operands.operation;
  const bool isBranch = operation == OpBRA || operation == OpBSYNC;
  unsigned explained = isBranch ? BranchStall : 1, stall = explained;
  RegisterSet live = liveOut[block];
  for (uint32_t q = j + 1; q-- > begin;) {
    const unsigned oldPassed = before.time[j] - before.time[q];
    const unsigned passed = after.time[j] - after.time[q];
    if (oldPassed >= MaxStall && passed >= MaxStall)
      break;
    const unsigned was = timeToBlockEnd(before.insts[q], live);
    unsigned distance = timeToBlockEnd(after.insts[q], live);
    explained = std::max<int>(explained, int(was) - int(oldPassed));
    if (distance <= was)
      distance = std::min(distance, oldPassed + given);
    stall = std::max<int>(stall, int(distance) - int(passed));
    if (!before.insts[q].isGuarded())
      live -= before.insts[q].defs;
  }
  return explained >= given ? stall : std::max(stall, given);
}

void AdditionScheduler::scheduleBlock(const BasicBlock &bb) {
  begin = bb.begin;
  before.time[begin] = after.time[begin] = 0;
  for (uint32_t j = begin; j != bb.end; ++j) {
    before.time[j + 1] = before.time[j] + std::max<unsigned>(old[j].stall(), 1);
    const unsigned stall = j + 1 == bb.end ? lastStall(j) : stallFor(j);
    setStall(code[j], stall);
    after.time[j + 1] = after.time[j] + std::max(stall, 1u);
  }
}

bool AdditionScheduler::run() {
  for (Instruction &inst : code)
    if (isAddition(inst))
      inst = makeIADD(inst);
  // In code that isn't optimized each instruction waits for everything.
  if (isSerial(old.front()))
    return true;
  if (!prepare())
    return false;
  for (block = 0; block != flow->blocks.size(); ++block)
    scheduleBlock(flow->blocks[block]);
  for (const BasicBlock &bb : flow->blocks) {
    const auto from = ArrayRef(old).slice(bb.begin, bb.end - bb.begin);
    const auto to = MutableArrayRef(code).slice(bb.begin, bb.end - bb.begin);
    setYields(from, to);
    keepOperands(from, to);
  }
  for (size_t i = 0; i != code.size(); ++i)
    writeScoreboards(code[i], after.fields[i]);
  return true;
}

std::optional<std::vector<Instruction>>
scheduleAdditions(ArrayRef<Instruction> code,
                  ArrayRef<ScoreboardFields> fields) {
  AdditionScheduler scheduler(code, fields);
  if (!scheduler.run())
    return std::nullopt;
  return scheduler.take();
}

} // namespace lld::cuda
