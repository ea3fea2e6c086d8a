//===- ScoreboardReplay.cpp - Two allocations side by side ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The replay of nvlink's allocator, see Scoreboards.h. It takes the blocks in
/// the order of ControlFlow::order and the instructions of each in turn: first
/// the waits of an instruction, which free scoreboards, then scoreboards for
/// its events.
///
//===----------------------------------------------------------------------===//

#include "ControlFlow.h"
#include "ScoreboardEvents.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/Hashing.h"

using namespace llvm;
using namespace lld::cuda::sass;
using namespace lld::cuda::scoreboards;

namespace lld::cuda {

/// Results of global memory accesses: 2 to 5, or 5 if they leave the block.
constexpr unsigned LastScoreboard = 5;

/// Beyond this a kernel stays as it is, so that time stays linear.
constexpr size_t MaxBlocks = 2048, MaxPending = 256;

/// Estimated times are off by this at most.
constexpr int TimeTolerance = 1;
/// The same for events that may be complete when their block ends.
constexpr int EndTolerance = 2;

static bool isGlobalResult(const Operands &ops) {
  return ops.resultClass == ResultClass::LDG ||
         ops.resultClass == ResultClass::ATOMG ||
         ops.resultClass == ResultClass::TEX;
}

/// Cycles until a result is there, as the allocator estimates them
/// (docs/scoreboards.md, "Time").
static int getLatency(const Operands &ops) {
  constexpr unsigned MUFU = 0x108;
  switch (ops.resultClass) {
  case ResultClass::LDCU:
    return 18;
  case ResultClass::S2R:
    return 32;
  case ResultClass::S2UR:
    return 24;
  case ResultClass::LDC:
    return 48;
  case ResultClass::LDS:
    return 40;
  case ResultClass::XU:
    return ops.operation == MUFU ? 16 : 15;
  case ResultClass::FP64:
    return 60;
  case ResultClass::LDG:
  case ResultClass::ATOMG:
    return 300;
  default:
    return 30;
  }
}

/// Cycles until the sources have been read.
static int getReadLatency(ResultClass c) {
  switch (c) {
  case ResultClass::STG:
    return 13;
  case ResultClass::LDG:
    return 11;
  case ResultClass::RED:
  case ResultClass::STS:
  case ResultClass::LDS:
  case ResultClass::SHFL:
    return 10;
  case ResultClass::LDC:
    return 6;
  default:
    return 12;
  }
}

/// Cycles from an instruction to the next. Barriers become several
/// instructions only after the allocation.
static int getIssueTime(ResultClass c, unsigned stall) {
  switch (c) {
  case ResultClass::ErrorBarrier:
    return 0;
  case ResultClass::MEMBAR:
    return 2;
  default:
    return stall ? stall : 1;
  }
}

namespace {

struct Event {
  uint32_t instruction;
  bool isRead;
  bool isOwn; ///< Of this block.
  bool isGlobalResult;
  bool isUniformResult;
  int consumer;
  int completion;

  bool operator==(const Event &o) const {
    return instruction == o.instruction && isRead == o.isRead;
  }
};

/// What is pending on a scoreboard.
struct Board {
  SmallVector<uint32_t, 4> events; ///< Indices.
  int nextWait = Leaves;
  int done = INT_MIN; ///< When the last event is complete.
  bool hasOnlyOwnLeavingReads = true;
  bool hasOnlyCarriedGlobal = true; ///< Results of global accesses only.
  bool hasGlobal = false;
  bool hasUniformLeaving = false;
  uint64_t hash = 0; ///< Of the set of events.

  bool isFree() const { return events.empty(); }
};

/// The state of one allocation within a block.
struct Allocation {
  Board boards[NumScoreboards];
  uint8_t avoided = 0;      ///< Not for events that leave the block.
  uint8_t mayBeAvoided = 0; ///< What may be avoided as well.
  uint8_t leaving = 0;      ///< Taken by own events that leave the block.

  uint8_t used() const {
    uint8_t mask = 0;
    for (unsigned s = 0; s != NumScoreboards; ++s)
      if (!boards[s].isFree())
        mask |= 1 << s;
    return mask;
  }
  bool sameAs(const Allocation &o) const {
    for (unsigned s = 0; s != NumScoreboards; ++s)
      if (boards[s].hash != o.boards[s].hash)
        return false;
    return avoided == o.avoided && mayBeAvoided == o.mayBeAvoided;
  }
};

/// A scoreboard, and those that may be meant as well, since times are only
/// estimated.
struct Choice {
  unsigned best;
  uint8_t plausible;
};

Choice exactly(unsigned scoreboard) {
  return {scoreboard, uint8_t(1 << scoreboard)};
}

struct Loop {
  uint32_t header, latch; ///< Blocks.
};

class Replay {
public:
  Replay(const Kernel &kernel, const ControlFlow &flow)
      : kernel(kernel), flow(flow), finder(kernel), out(flow.blocks.size()),
        leaving(flow.blocks.size()), entered(flow.blocks.size()),
        done(flow.blocks.size()), results(kernel.fields.size()),
        forward(kernel.fields.size()) {}

  /// Returns false if the rules do not explain the input.
  bool run();
  std::vector<ScoreboardFields> takeFields() { return std::move(results); }

private:
  void findLoops();
  void findAncestors();
  void collectPending(uint32_t block);
  void setAvoided(uint32_t block, Run run);
  bool runBlock(uint32_t block);
  void estimateTimes();
  bool runInstruction(uint32_t j, bool isLastOfMany);
  uint8_t predictWaits(const Allocation &a, int j, const Operands &ops) const;
  bool allocate(uint32_t j, bool isRead, bool isSame);
  Choice choose(const Allocation &a, const Event &e) const;
  Choice chooseFree(const Allocation &a, uint8_t free) const;
  int getCost(const Board &b, const Event &e) const;
  void add(Allocation &a, unsigned scoreboard, uint32_t event);
  void release(Allocation &a, uint8_t waits);
  void learnAtEnd(int time, uint8_t waits, uint8_t ignored);
  bool waitAtEnd(uint32_t j, const uint8_t first[NumRuns], bool isSame);
  bool isOverAtEnd(const Board &board, int time) const;
  bool handOn(uint32_t block);
  bool waitInLoops();
  bool waitInLoop(const Loop &loop, Run run, size_t &budget);

  const Operands &operandsOf(const Event &e) const {
    return kernel.operands[e.instruction];
  }

  const Kernel &kernel;
  const ControlFlow &flow;
  ConsumerFinder finder;

  // By block.
  std::vector<std::vector<Pending>> out;
  std::vector<std::array<uint8_t, NumRuns>> leaving, entered;
  std::vector<bool> done;
  std::vector<BitVector> ancestors;
  std::vector<Loop> loops;
  bool hasGlobals = false; ///< Results of global accesses, anywhere.

  // By instruction: what the output gets; the input as explained so far.
  std::vector<ScoreboardFields> results, forward;
  BitVector sameSituation;

  // The current block.
  uint32_t begin = 0, end = 0;
  bool endsInExit = false;
  bool globalsLeave = false; ///< A result of a global access leaves the block.
  std::vector<Pending> pending;
  Consumers consumers;
  std::vector<Event> events;
  std::vector<int> issueTimes;
  int endTime = 0;
  Allocation runs[NumRuns];
};

} // namespace

void Replay::findLoops() {
  for (uint32_t b = 0; b != flow.blocks.size(); ++b)
    for (uint32_t s : flow.blocks[b].successors) {
      // The branch to itself behind the code is no loop.
      const BasicBlock &block = flow.blocks[b];
      const bool isTrap = s == b && block.end - block.begin == 1 &&
                          block.successors.size() == 1;
      if (s <= b && !isTrap)
        loops.push_back({s, b});
    }
}

void Replay::findAncestors() {
  const size_t n = flow.blocks.size();
  ancestors.assign(n, BitVector(n));
  for (uint32_t b : flow.order)
    for (uint32_t p : flow.blocks[b].predecessors)
      if (flow.position[p] < flow.position[b]) {
        ancestors[b] |= ancestors[p];
        ancestors[b].set(p);
      }
}

/// The union of what predecessors hand on.
void Replay::collectPending(uint32_t block) {
  pending.clear();
  auto hasSame = [](const Pending &p, const Pending &o) {
    return p.instruction == o.instruction && p.isRead == o.isRead;
  };
  for (uint32_t p : flow.blocks[block].predecessors) {
    if (flow.position[p] >= flow.position[block])
      continue;
    for (const Pending &e : out[p]) {
      auto it =
          find_if(pending, [&](const Pending &o) { return hasSame(e, o); });
      if (it == pending.end()) {
        pending.push_back(e);
        continue;
      }
      it->completion = std::max(it->completion, e.completion);
      for (unsigned r = 0; r != NumRuns; ++r)
        if (it->scoreboard[r] == NoScoreboard)
          it->scoreboard[r] = e.scoreboard[r];
    }
  }
  sort(pending, [](const Pending &a, const Pending &b) {
    return std::make_pair(a.instruction, a.isRead) <
           std::make_pair(b.instruction, b.isRead);
  });
}

/// An event that leaves the block keeps off the scoreboards of the events that
/// leave the block's siblings, and off those that are pending at the end of an
/// ancestor which goes on to the same successor.
void Replay::setAvoided(uint32_t block, Run run) {
  auto pendingAfter = [&](uint32_t b) {
    uint8_t mask = 0;
    for (const Pending &e : out[b])
      if (e.scoreboard[run] != NoScoreboard)
        mask |= 1 << e.scoreboard[run];
    return mask;
  };
  for (uint32_t s : flow.blocks[block].successors)
    for (uint32_t p : flow.blocks[s].predecessors) {
      if (p == block || !done[p])
        continue;
      runs[run].mayBeAvoided |= pendingAfter(p);
      if (ancestors[block].test(p))
        runs[run].avoided |= pendingAfter(p);
      else if (!is_contained(flow.blocks[block].predecessors, p))
        runs[run].avoided |= leaving[p][run];
    }
}

/// When instructions issue: after the stalls, and after results they wait for.
void Replay::estimateTimes() {
  const size_t size = end - begin;
  SmallVector<SmallVector<uint32_t, 2>, 32> resultsFor(size), readsFor(size);
  for (uint32_t j = 0; j != size; ++j) {
    if (consumers.result[j] >= 0 && consumers.result[j] < int(size))
      resultsFor[consumers.result[j]].push_back(j);
    if (consumers.read[j] >= 0 && consumers.read[j] < int(size))
      readsFor[consumers.read[j]].push_back(j);
  }
  issueTimes.assign(size, 0);
  int time = 0;
  for (uint32_t j = 0; j != size; ++j) {
    const Operands &ops = kernel.operands[begin + j];
    for (uint32_t i : resultsFor[j])
      if (const Operands &from = kernel.operands[begin + i];
          dependsOn(ops, from, false))
        time = std::max(time, issueTimes[i] + getLatency(from));
    for (uint32_t i : readsFor[j])
      if (const Operands &from = kernel.operands[begin + i];
          dependsOn(ops, from, true))
        time = std::max(time, issueTimes[i] + getReadLatency(from.resultClass));
    issueTimes[j] = time;
    time += getIssueTime(ops.resultClass, kernel.stalls[begin + j]);
  }
  endTime = time;
}

void Replay::add(Allocation &a, unsigned scoreboard, uint32_t index) {
  Board &board = a.boards[scoreboard];
  const Event &e = events[index];
  if (board.isFree())
    board = Board();
  board.events.push_back(index);
  board.nextWait = std::min(board.nextWait, e.consumer);
  board.done = std::max(board.done, e.completion);
  board.hasOnlyOwnLeavingReads &= e.isRead && e.isOwn && e.consumer == Leaves;
  board.hasOnlyCarriedGlobal &= !e.isOwn && e.isGlobalResult;
  board.hasGlobal |= e.isGlobalResult;
  board.hasUniformLeaving |= e.isUniformResult && e.consumer == Leaves;
  board.hash += hash_combine(e.instruction, e.isRead) | 1;
  if (e.isOwn && e.consumer == Leaves)
    a.leaving |= 1 << scoreboard;
}

void Replay::release(Allocation &a, uint8_t waits) {
  for (unsigned s = 0; s != NumScoreboards; ++s)
    if (waits >> s & 1)
      a.boards[s] = Board();
}

uint8_t Replay::predictWaits(const Allocation &a, int j,
                             const Operands &ops) const {
  if (ops.isCollective)
    return a.used();
  uint8_t waits = 0;
  for (unsigned s = 0; s != NumScoreboards; ++s)
    if (!a.boards[s].isFree() &&
        (a.boards[s].nextWait == j ||
         (ops.needsUniform() && a.boards[s].hasUniformLeaving)))
      waits |= 1 << s;
  return waits;
}

/// What it costs to share a scoreboard: the cycles by which one is waited for
/// longer than needed.
int Replay::getCost(const Board &b, const Event &e) const {
  if (e.consumer == Leaves && b.nextWait == Leaves)
    return INT_MIN;
  if (b.nextWait >= e.consumer)
    return b.done - std::max(issueTimes[e.consumer], e.completion);
  return e.completion - std::max(issueTimes[b.nextWait], b.done);
}

/// The scoreboard for an event, see docs/scoreboards.md, "The choice".
/// For an event that leaves. Which scoreboards it avoids is not known for sure.
Choice Replay::chooseFree(const Allocation &a, uint8_t free) const {
  auto lowest = [&](uint8_t avoided) {
    const uint8_t rest = free & ~avoided;
    return llvm::countr_zero(rest ? rest : free);
  };
  Choice choice = exactly(lowest(a.avoided));
  choice.plausible |= 1 << lowest(a.avoided | a.mayBeAvoided);
  return choice;
}

Choice Replay::choose(const Allocation &a, const Event &e) const {
  const bool leaves = e.consumer == Leaves;
  uint8_t candidates = e.isGlobalResult ? 0x3c : AllScoreboards;
  if (operandsOf(e).resultClass == ResultClass::TEX && !e.isRead)
    candidates = 1 << LastScoreboard;
  if (leaves) {
    if (e.isGlobalResult && hasGlobals)
      return exactly(LastScoreboard);
    if (e.isRead)
      for (unsigned s = 0; s != NumScoreboards; ++s)
        if (!a.boards[s].isFree() && a.boards[s].hasOnlyOwnLeavingReads)
          return exactly(s);
    if (hasGlobals)
      candidates &= ~(1 << LastScoreboard);
    if (const uint8_t free = candidates & ~a.used())
      return chooseFree(a, free);
  } else {
    // One that will be waited for then anyway.
    for (unsigned s = 0; s != NumScoreboards; ++s)
      if (const Board &b = a.boards[s];
          !b.isFree() && b.nextWait == e.consumer && !b.hasOnlyCarriedGlobal)
        return exactly(s);
    if (globalsLeave)
      candidates &= ~(1 << LastScoreboard);
  }
  if (const uint8_t free = candidates & ~a.used())
    return exactly(llvm::countr_zero(free));
  int costs[NumScoreboards];
  int limit = INT_MAX;
  for (unsigned s = 0; s != NumScoreboards; ++s) {
    const bool isCandidate =
        candidates >> s & 1 || (leaves && !e.isRead && !a.boards[s].isFree() &&
                                !a.boards[s].hasGlobal);
    costs[s] = isCandidate ? getCost(a.boards[s], e) : INT_MAX;
    limit = std::min(limit, costs[s]);
  }
  // Nothing is gained by less than nothing if nobody waits in this block.
  if (leaves)
    limit = std::max(limit, 0);
  Choice choice = {NoScoreboard, 0};
  for (unsigned s = 0; s != NumScoreboards; ++s) {
    if (costs[s] == INT_MAX || costs[s] > limit + TimeTolerance)
      continue;
    choice.plausible |= 1 << s;
    if (costs[s] <= limit && choice.best == NoScoreboard)
      choice.best = s;
    if (leaves && costs[s] <= -TimeTolerance)
      break;
  }
  return choice;
}

/// Gives scoreboards to an event of instruction j of the block.
bool Replay::allocate(uint32_t j, bool isRead, bool isSame) {
  const uint32_t i = begin + j;
  const Operands &ops = kernel.operands[i];
  const unsigned given =
      isRead ? kernel.fields[i].read : kernel.fields[i].write;
  Event e;
  e.instruction = i;
  e.isRead = isRead;
  e.isOwn = true;
  e.isGlobalResult = !isRead && isGlobalResult(ops);
  e.isUniformResult = !isRead && ops.writesUniform();
  e.consumer = isRead ? consumers.read[j] : consumers.result[j];
  e.completion = issueTimes[j] +
                 (isRead ? getReadLatency(ops.resultClass) : getLatency(ops));
  const bool isR1 = i == 0 && !isRead;
  unsigned chosen = given;
  if (!isSame && !isR1) {
    if (!(choose(runs[Input], e).plausible >> given & 1))
      return false;
    const Choice choice = choose(runs[Output], e);
    if (choice.plausible & (choice.plausible - 1))
      return false;
    chosen = choice.best;
  }
  events.push_back(e);
  add(runs[Input], given, events.size() - 1);
  uint8_t &field = isRead ? results[i].read : results[i].write;
  if (isR1) {
    field = NoScoreboard;
    return true;
  }
  add(runs[Output], chosen, events.size() - 1);
  field = chosen;
  return true;
}

/// Only events that leave the block, at least one of this block, and all of
/// them complete.
bool Replay::isOverAtEnd(const Board &board, int time) const {
  if (board.isFree() || board.nextWait != Leaves)
    return false;
  bool hasOwn = false;
  for (uint32_t index : board.events) {
    const Event &e = events[index];
    if (e.isGlobalResult || e.completion > time)
      return false;
    hasOwn |= e.isOwn;
  }
  return hasOwn;
}

/// The input tells which events are complete when the block ends: `waits` is
/// what its last instruction waits for besides what it needs itself.
void Replay::learnAtEnd(int time, uint8_t waits, uint8_t ignored) {
  for (unsigned s = 0; s != NumScoreboards; ++s) {
    const Board &board = runs[Input].boards[s];
    if (ignored >> s & 1 || !isOverAtEnd(board, INT_MAX))
      continue;
    if (waits >> s & 1) {
      for (uint32_t index : board.events)
        events[index].completion =
            std::min(events[index].completion, time - EndTolerance);
      continue;
    }
    int last = INT_MIN;
    for (uint32_t index : board.events)
      if (events[index].isOwn)
        last = std::max(last, events[index].completion);
    for (uint32_t index : board.events)
      if (events[index].isOwn && events[index].completion == last)
        events[index].completion = std::max(last, time + EndTolerance + 1);
  }
}

/// What the last instruction of a block waits for besides. `first` is what it
/// waits for itself.
bool Replay::waitAtEnd(uint32_t j, const uint8_t first[NumRuns], bool isSame) {
  const uint32_t i = begin + j;
  const int time = issueTimes[j];
  const bool isFence = kernel.fields[i].waits == AllScoreboards;
  uint8_t ignored[NumRuns];
  for (unsigned r = 0; r != NumRuns; ++r) {
    const ScoreboardFields &own = r == Input ? kernel.fields[i] : results[i];
    ignored[r] = first[r] | 1 << own.write | 1 << own.read;
  }
  const uint8_t given =
      kernel.fields[i].waits & ~first[Input] & runs[Input].used();
  if (!isFence)
    learnAtEnd(time, given, ignored[Input]);
  uint8_t waits[NumRuns] = {};
  bool isKnown = true;
  for (unsigned r = 0; r != NumRuns; ++r)
    for (unsigned s = 0; s != NumScoreboards; ++s) {
      const Board &board = runs[r].boards[s];
      if (ignored[r] >> s & 1)
        continue;
      if (isOverAtEnd(board, time))
        waits[r] |= 1 << s;
      isKnown &= isOverAtEnd(board, time - EndTolerance) ==
                 isOverAtEnd(board, time + EndTolerance);
    }
  isSame &= runs[Input].sameAs(runs[Output]);
  if (!isSame && (!isKnown || (!isFence && waits[Input] != given)))
    return false;
  if (!isFence)
    waits[Input] = given;
  if (isSame)
    waits[Output] = waits[Input];
  for (unsigned r = 0; r != NumRuns; ++r)
    release(runs[r], waits[r]);
  forward[i].waits |= waits[Input];
  results[i].waits |= waits[Output];
  return true;
}

bool Replay::runInstruction(uint32_t j, bool isLastOfMany) {
  const uint32_t i = begin + j;
  const Operands &ops = kernel.operands[i];
  const ScoreboardFields &given = kernel.fields[i];
  const bool isSame = runs[Input].sameAs(runs[Output]);
  sameSituation[i] = isSame;

  const uint8_t used = runs[Input].used();
  uint8_t waits[NumRuns];
  for (unsigned r = 0; r != NumRuns; ++r)
    waits[r] = predictWaits(runs[r], j, ops);
  // The wait for all six comes after the allocation, which knows nothing of it.
  const bool isFence = given.waits == AllScoreboards;
  if (!isFence) {
    // What the last instruction waits for besides comes later.
    const uint8_t relevant = isLastOfMany ? waits[Input] : used;
    const uint8_t actual = given.waits & relevant;
    if (isSame)
      waits[Output] = actual;
    else if (waits[Input] != actual)
      return false;
    waits[Input] = actual;
  }
  for (unsigned r = 0; r != NumRuns && !ops.opensCollective(); ++r)
    release(runs[r], waits[r]);
  forward[i].waits = isFence ? AllScoreboards : waits[Input];
  results[i].waits = isFence ? AllScoreboards : waits[Output];

  const int result = consumers.result[j], read = consumers.read[j];
  const bool readFirst = read != Nobody && result != Nobody && read <= result;
  for (bool isRead : {readFirst, !readFirst})
    if ((isRead ? read : result) != Nobody &&
        !allocate(j, isRead, isSame && runs[Input].sameAs(runs[Output])))
      return false;
  forward[i].write = given.write;
  forward[i].read = given.read;
  return !isLastOfMany || waitAtEnd(j, waits, isSame);
}

bool Replay::handOn(uint32_t block) {
  if (endsInExit)
    return true;
  std::vector<Pending> &list = out[block];
  SmallVector<int, 32> place(events.size(), -1);
  for (unsigned r = 0; r != NumRuns; ++r)
    for (unsigned s = 0; s != NumScoreboards; ++s)
      for (uint32_t index : runs[r].boards[s].events) {
        const Event &e = events[index];
        if (place[index] < 0) {
          place[index] = list.size();
          list.push_back({e.instruction,
                          e.isRead,
                          {NoScoreboard, NoScoreboard},
                          std::max(0, e.completion - endTime)});
        }
        list[place[index]].scoreboard[r] = s;
      }
  return list.size() <= MaxPending;
}

bool Replay::runBlock(uint32_t block) {
  const BasicBlock &bb = flow.blocks[block];
  begin = bb.begin;
  end = bb.end;
  endsInExit = bb.endsInExit;
  collectPending(block);
  if (pending.size() > MaxPending ||
      !finder.find(begin, end, pending, consumers))
    return false;
  estimateTimes();
  globalsLeave = false;
  for (uint32_t j = 0; j != end - begin; ++j)
    globalsLeave |= consumers.result[j] == Leaves &&
                    isGlobalResult(kernel.operands[begin + j]);
  events.clear();
  for (unsigned r = 0; r != NumRuns; ++r) {
    runs[r] = Allocation();
    uint8_t in = 0;
    for (const Pending &p : pending)
      if (p.scoreboard[r] != NoScoreboard)
        in |= 1 << p.scoreboard[r];
    entered[block][r] = in;
  }
  for (unsigned r = 0; r != NumRuns; ++r)
    setAvoided(block, Run(r));
  for (size_t n = 0; n != pending.size(); ++n) {
    const Pending &p = pending[n];
    const Operands &ops = kernel.operands[p.instruction];
    Event e;
    e.instruction = p.instruction;
    e.isRead = p.isRead;
    e.isOwn = false;
    e.isGlobalResult = !p.isRead && isGlobalResult(ops);
    e.isUniformResult = !p.isRead && ops.writesUniform();
    e.consumer = consumers.pending[n] == Nobody ? Leaves : consumers.pending[n];
    e.completion = p.completion;
    events.push_back(e);
    for (unsigned r = 0; r != NumRuns; ++r)
      if (p.scoreboard[r] != NoScoreboard)
        add(runs[r], p.scoreboard[r], n);
  }
  for (uint32_t j = 0; j != end - begin; ++j)
    if (!runInstruction(j, begin + j + 1 == end && !endsInExit))
      return false;
  for (unsigned r = 0; r != NumRuns; ++r)
    leaving[block][r] = runs[r].leaving;
  done[block] = true;
  if (!handOn(block))
    return false;
  return !bb.endsInTable || out[block].empty();
}

/// What is pending at the end of a loop is waited for in the header: at the
/// first dependent instruction, or the first that uses the scoreboard, or at
/// its end. Elsewhere in the loop only by dependent instructions.
bool Replay::waitInLoop(const Loop &loop, Run run, size_t &budget) {
  auto &fields = run == Input ? forward : results;
  SmallVector<const Pending *, 4> open[NumScoreboards];
  unsigned numOpen = 0;
  for (const Pending &p : out[loop.latch])
    if (unsigned s = p.scoreboard[run]; s != NoScoreboard) {
      numOpen += open[s].empty();
      open[s].push_back(&p);
    }
  const uint32_t first = flow.blocks[loop.header].begin;
  const uint32_t headerEnd = flow.blocks[loop.header].end;
  const uint32_t last = flow.blocks[loop.latch].end;
  for (uint32_t i = first; i != last && numOpen; ++i) {
    if (!budget--)
      return false;
    ScoreboardFields &f = fields[i];
    for (unsigned s = 0; s != NumScoreboards; ++s) {
      if (open[s].empty())
        continue;
      const bool waits =
          f.waits >> s & 1 || f.write == s || f.read == s ||
          (i + 1 == headerEnd && !(entered[loop.header][run] >> s & 1)) ||
          any_of(open[s], [&](const Pending *p) {
            return dependsOn(kernel.operands[i],
                             kernel.operands[p->instruction], p->isRead);
          });
      if (!waits)
        continue;
      f.waits |= 1 << s;
      open[s].clear();
      --numOpen;
    }
  }
  return true;
}

bool Replay::waitInLoops() {
  size_t budget = 64 * kernel.fields.size() + 4096;
  bool isSame = true;
  for (const Loop &loop : loops) {
    for (unsigned r = 0; r != NumRuns; ++r)
      if (!waitInLoop(loop, Run(r), budget))
        return false;
    isSame &= all_of(out[loop.latch], [](const Pending &p) {
      return p.scoreboard[Input] == p.scoreboard[Output];
    });
  }
  for (size_t i = 0; i != forward.size(); ++i) {
    if (forward[i] == kernel.fields[i])
      continue;
    if (!isSame || !sameSituation[i] || forward[i] != results[i])
      return false;
    results[i] = kernel.fields[i];
  }
  return true;
}

bool Replay::run() {
  if (flow.blocks.size() > MaxBlocks)
    return false;
  sameSituation.resize(kernel.fields.size());
  for (size_t i = 0; i != kernel.fields.size(); ++i)
    hasGlobals |= kernel.fields[i].write != NoScoreboard &&
                  isGlobalResult(kernel.operands[i]) &&
                  !kernel.operands[i].defs.empty();
  findLoops();
  if (loops.size() * flow.blocks.size() > (1 << 20))
    return false;
  findAncestors();
  for (uint32_t b : flow.order)
    if (!runBlock(b))
      return false;
  return waitInLoops();
}

std::optional<std::vector<ScoreboardFields>>
scoreboards::replay(const Kernel &kernel, const ControlFlow &flow) {
  Replay replay(kernel, flow);
  if (!replay.run())
    return std::nullopt;
  return replay.takeFields();
}

} // namespace lld::cuda
