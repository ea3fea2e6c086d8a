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
#include "ScoreboardAllocation.h"
#include "llvm/ADT/BitVector.h"

using namespace llvm;
using namespace lld::cuda::sass;
using namespace lld::cuda::scoreboards;

namespace lld::cuda {

/// Beyond this a kernel stays as it is, so that time stays linear.
constexpr size_t MaxBlocks = 2048, MaxPending = 256, MaxSteps = 1 << 22;

/// Estimated times are off by this at most for events that may be complete when
/// their block ends.
constexpr int EndTolerance = 1;

namespace {

struct Loop {
  uint32_t header, latch; ///< Blocks.
};

class Replay {
public:
  Replay(const Kernel &kernel, const ControlFlow &flow, const Doubt *doubt)
      : kernel(kernel), flow(flow),
        finder(kernel), times{IssueTimes(kernel, doubt, Input),
                              IssueTimes(kernel, doubt, Output)},
        in(flow.blocks.size()), out(flow.blocks.size()),
        leaving(flow.blocks.size()), pendingAfter(flow.blocks.size()),
        done(flow.blocks.size()), isHeader(flow.blocks.size()),
        results(kernel.fields.size()), forward(kernel.fields.size()),
        sameSituation(kernel.fields.size()),
        waitsForItsRead{BitVector(kernel.fields.size()),
                        BitVector(kernel.fields.size())} {}

  /// Returns false if the rules do not explain the input.
  bool run();
  std::vector<ScoreboardFields> takeFields() { return std::move(results); }

private:
  using Masks = std::array<uint8_t, NumRuns>;

  void findLoops();
  void findAncestors();
  void collectPending(uint32_t block);
  void addPassingBy(uint32_t block, uint32_t other);
  void setAvoided(uint32_t block);
  void enterBlock(uint32_t block);
  bool runBlock(uint32_t block);
  bool runInstruction(uint32_t j, bool isLastOfMany);
  uint8_t predictWaits(const Allocation &a, int j, const Operands &ops) const;
  bool allocate(uint32_t j, bool isRead, bool isSame);
  bool mayAvoidPassingBy(const Event &e, unsigned given) const;
  void learnAtEnd(int time, uint8_t waits, uint8_t ignored);
  bool waitAtEnd(uint32_t j, const uint8_t first[NumRuns], bool isSame);
  bool isOverAtEnd(Run run, unsigned scoreboard, int time) const;
  bool haveSameTimesAtEnd(uint32_t j) const;
  RunTimes completionBehind(const Event &e) const;
  bool handOn(uint32_t block);
  bool waitInLoops();
  bool wasPending(uint32_t header, unsigned s, Run run,
                  ArrayRef<const Pending *> open) const;
  bool waitInLoop(const Loop &loop, Run run, size_t &budget);

  Choice chooseFor(const Allocation &a, const Event &e) const {
    return choose(a, e, times[a.run], around);
  }

  const Kernel &kernel;
  const ControlFlow &flow;
  ConsumerFinder finder;
  IssueTimes times[NumRuns];

  // By block.
  std::vector<std::vector<Pending>> in, out;
  std::vector<Masks> leaving, pendingAfter;
  std::vector<bool> done, isHeader;
  std::vector<BitVector> ancestors;
  std::vector<Loop> loops;
  size_t steps = 0;

  // By instruction: what the output gets; the input as explained so far.
  std::vector<ScoreboardFields> results, forward;
  BitVector sameSituation;
  BitVector waitsForItsRead[NumRuns]; ///< In a loop, and for nothing else.

  // The current block.
  uint32_t begin = 0, end = 0;
  bool endsInExit = false;
  Surroundings around;
  std::vector<Pending> pending;
  Consumers consumers;
  std::vector<Event> events;
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
      if (flow.position[s] > flow.position[b] || isTrap)
        continue;
      loops.push_back({s, b});
      isHeader[s] = true;
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
    // Threads meet again behind a collective part when it is over.
    if (block != p + 1 &&
        kernel.operands[flow.blocks[p].end - 1].opensCollective())
      continue;
    for (const Pending &e : out[p]) {
      auto it =
          find_if(pending, [&](const Pending &o) { return hasSame(e, o); });
      if (it == pending.end()) {
        pending.push_back(e);
        continue;
      }
      for (unsigned r = 0; r != NumRuns; ++r) {
        it->completion[r] = std::max(it->completion[r], e.completion[r]);
        if (it->scoreboard[r] == NoScoreboard)
          it->scoreboard[r] = e.scoreboard[r];
      }
    }
  }
  sort(pending, [](const Pending &a, const Pending &b) {
    return std::make_pair(a.instruction, a.isRead) <
           std::make_pair(b.instruction, b.isRead);
  });
}

/// Adds what was pending where the way to `other`, a block to come, parted.
void Replay::addPassingBy(uint32_t block, uint32_t other) {
  auto leadsThere = [&](uint32_t b) {
    return !done[b] && b != block && (b == other || ancestors[other].test(b));
  };
  for (uint32_t a : flow.order) {
    if (!done[a])
      return;
    steps += 1 + flow.blocks[a].successors.size();
    if (ancestors[other].test(a) &&
        any_of(flow.blocks[a].successors, leadsThere))
      for (unsigned r = 0; r != NumRuns; ++r)
        runs[r].passingBy |= pendingAfter[a][r];
  }
}

/// An event that leaves the block keeps off the scoreboards of the events that
/// leave the block's siblings, and off those that are pending at the end of an
/// ancestor which goes on to the same successor.
void Replay::setAvoided(uint32_t block) {
  for (uint32_t s : flow.blocks[block].successors)
    for (uint32_t p : flow.blocks[s].predecessors) {
      if (++steps > MaxSteps)
        return;
      if (p == block)
        continue;
      if (!done[p]) {
        addPassingBy(block, p);
        continue;
      }
      for (unsigned r = 0; r != NumRuns; ++r) {
        runs[r].mayBeAvoided |= pendingAfter[p][r];
        if (ancestors[block].test(p))
          runs[r].avoided |= pendingAfter[p][r];
        else if (!is_contained(flow.blocks[block].predecessors, p))
          runs[r].avoided |= leaving[p][r];
      }
    }
}

uint8_t Replay::predictWaits(const Allocation &a, int j,
                             const Operands &ops) const {
  if (ops.isCollective)
    return a.used();
  uint8_t waits = 0;
  for (unsigned s = 0; s != NumScoreboards; ++s)
    if (!a.boards[s].isFree() &&
        (a.boards[s].nextWait == j ||
         (ops.needsUniform() && a.boards[s].hasUniform)))
      waits |= 1 << s;
  return waits;
}

/// Whether it matters if an event that leaves keeps off what passes by, and the
/// input doesn't tell that it does not.
bool Replay::mayAvoidPassingBy(const Event &e, unsigned given) const {
  if (e.consumer != Leaves || runs[Input].passingBy == runs[Output].passingBy)
    return false;
  unsigned plain[NumRuns], avoiding[NumRuns];
  for (unsigned r = 0; r != NumRuns; ++r) {
    Allocation a = runs[r];
    plain[r] = chooseFor(a, e).best;
    a.avoided |= a.passingBy;
    avoiding[r] = chooseFor(a, e).best;
  }
  const bool isTold = plain[Input] != avoiding[Input] && given == plain[Input];
  return plain[Output] != avoiding[Output] && !isTold;
}

/// Gives scoreboards to an event of instruction j of the block.
bool Replay::allocate(uint32_t j, bool isRead, bool isSame) {
  const uint32_t i = begin + j;
  const Operands &ops = kernel.operands[i];
  const unsigned given =
      isRead ? kernel.fields[i].read : kernel.fields[i].write;
  RunTimes completion;
  for (unsigned r = 0; r != NumRuns; ++r)
    completion[r] = times[r][j] + (isRead ? IssueTimes::readLatency(ops)
                                          : times[r].latency(ops));
  const Event e(ops, i, isRead, /*isOwn=*/true,
                isRead ? consumers.read[j] : consumers.result[j], completion);
  const bool isR1 = kernel.dropsFirstEvent && i == 0 && !isRead;
  const bool isNew = kernel.isSlowInOutput(i);
  unsigned chosen = given;
  if ((!isSame || isNew) && !isR1) {
    if (!isNew && !(chooseFor(runs[Input], e).plausible >> given & 1))
      return false;
    const Choice choice = chooseFor(runs[Output], e);
    if (!choice.isClear())
      return false;
    chosen = choice.best;
  }
  if (!isR1 && mayAvoidPassingBy(e, given))
    return false;
  events.push_back(e);
  if (!isNew)
    runs[Input].add(given, e, events.size() - 1);
  uint8_t &field = isRead ? results[i].read : results[i].write;
  if (isR1) {
    field = NoScoreboard;
    return true;
  }
  runs[Output].add(chosen, e, events.size() - 1);
  field = chosen;
  return true;
}

/// Only events that leave the block, at least one of this block, and all of
/// them complete.
bool Replay::isOverAtEnd(Run run, unsigned scoreboard, int time) const {
  const Board &board = runs[run].boards[scoreboard];
  if (board.isFree() || board.nextWait != Leaves || board.doneBefore > time)
    return false;
  bool hasOwn = false;
  for (uint32_t index : board.events) {
    const Event &e = events[index];
    if (e.isGlobalResult || e.completion[run] > time)
      return false;
    hasOwn |= e.isOwn;
  }
  return hasOwn;
}

/// What is learned of the one run holds for the other as well.
static void moveCompletion(Event &e, int inputCompletion) {
  e.completion[Output] += inputCompletion - e.completion[Input];
  e.completion[Input] = inputCompletion;
}

/// The input tells which events are complete when the block ends: `waits` is
/// what its last instruction waits for besides what it needs itself.
void Replay::learnAtEnd(int time, uint8_t waits, uint8_t ignored) {
  for (unsigned s = 0; s != NumScoreboards; ++s) {
    const Board &board = runs[Input].boards[s];
    if (ignored >> s & 1 || !isOverAtEnd(Input, s, INT_MAX))
      continue;
    if (waits >> s & 1) {
      for (uint32_t index : board.events)
        moveCompletion(events[index], std::min(events[index].completion[Input],
                                               time - EndTolerance));
      continue;
    }
    int last = INT_MIN;
    for (uint32_t index : board.events)
      if (events[index].isOwn)
        last = std::max(last, events[index].completion[Input]);
    for (uint32_t index : board.events)
      if (events[index].isOwn && events[index].completion[Input] == last)
        moveCompletion(events[index], std::max(last, time + EndTolerance + 1));
  }
}

/// Whether nothing that was on the scoreboards before makes a difference.
bool Replay::haveSameTimesAtEnd(uint32_t j) const {
  const int time = times[Input][j];
  if (times[Output][j] != time)
    return false;
  for (unsigned s = 0; s != NumScoreboards; ++s) {
    const int before[] = {runs[Input].boards[s].doneBefore,
                          runs[Output].boards[s].doneBefore};
    if (before[Input] != before[Output] &&
        std::max(before[Input], before[Output]) >= time - EndTolerance &&
        isOverAtEnd(Input, s, INT_MAX))
      return false;
  }
  return true;
}

/// What the last instruction of a block waits for besides. `first` is what it
/// waits for itself.
bool Replay::waitAtEnd(uint32_t j, const uint8_t first[NumRuns], bool isSame) {
  const uint32_t i = begin + j;
  const bool isFence = kernel.fields[i].waits == AllScoreboards;
  uint8_t ignored[NumRuns];
  for (unsigned r = 0; r != NumRuns; ++r) {
    const ScoreboardFields &own = r == Input ? kernel.fields[i] : results[i];
    ignored[r] = first[r] | 1 << own.write | 1 << own.read;
  }
  const uint8_t given =
      kernel.fields[i].waits & ~first[Input] & runs[Input].used();
  if (!isFence)
    learnAtEnd(times[Input][j], given, ignored[Input]);
  uint8_t waits[NumRuns] = {};
  bool isKnown = true;
  for (unsigned r = 0; r != NumRuns; ++r)
    for (unsigned s = 0; s != NumScoreboards; ++s) {
      if (ignored[r] >> s & 1)
        continue;
      const int time = times[r][j];
      if (isOverAtEnd(Run(r), s, time))
        waits[r] |= 1 << s;
      isKnown &= isOverAtEnd(Run(r), s, time - EndTolerance) ==
                 isOverAtEnd(Run(r), s, time + EndTolerance);
    }
  isSame &= runs[Input].sameAs(runs[Output]) && haveSameTimesAtEnd(j);
  if (!isSame && (!isKnown || (!isFence && waits[Input] != given)))
    return false;
  if (!isFence)
    waits[Input] = given;
  if (isSame)
    waits[Output] = waits[Input];
  for (unsigned r = 0; r != NumRuns; ++r)
    runs[r].release(waits[r]);
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
    const uint8_t actual = given.waits & relevant & ~consumers.loopWaits[j];
    if (isSame)
      waits[Output] = actual;
    else if (waits[Input] != actual)
      return false;
    waits[Input] = actual;
  }
  for (unsigned r = 0; r != NumRuns && !ops.opensCollective(); ++r)
    runs[r].release(waits[r]);
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

RunTimes Replay::completionBehind(const Event &e) const {
  RunTimes result;
  for (unsigned r = 0; r != NumRuns; ++r)
    result[r] = std::max(0, e.completion[r] - times[r].end());
  return result;
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
                          completionBehind(e)});
        }
        list[place[index]].scoreboard[r] = s;
        pendingAfter[block][r] |= 1 << s;
      }
  return list.size() <= MaxPending;
}

void Replay::enterBlock(uint32_t block) {
  events.clear();
  for (unsigned r = 0; r != NumRuns; ++r) {
    runs[r] = Allocation();
    runs[r].run = Run(r);
  }
  setAvoided(block);
  for (size_t n = 0; n != pending.size(); ++n) {
    const Pending &p = pending[n];
    const int consumer =
        consumers.pending[n] == Nobody ? Leaves : consumers.pending[n];
    events.push_back(Event(kernel.operands[p.instruction], p.instruction,
                           p.isRead, /*isOwn=*/false, consumer, p.completion));
    for (unsigned r = 0; r != NumRuns; ++r)
      if (p.scoreboard[r] != NoScoreboard)
        runs[r].add(p.scoreboard[r], events.back(), n);
  }
}

bool Replay::runBlock(uint32_t block) {
  const BasicBlock &bb = flow.blocks[block];
  begin = bb.begin;
  end = bb.end;
  endsInExit = bb.endsInExit;
  collectPending(block);
  if (pending.size() > MaxPending ||
      !finder.find(begin, end, isHeader[block], endsInExit, pending, consumers))
    return false;
  in[block] = pending;
  for (IssueTimes &t : times)
    t.estimate(begin, end, consumers);
  around.globalsLeave = false;
  for (uint32_t j = 0; j != end - begin; ++j)
    around.globalsLeave |= around.hasGlobals && consumers.result[j] == Leaves &&
                           isGlobalResult(kernel.operands[begin + j]);
  enterBlock(block);
  if (steps > MaxSteps)
    return false;
  for (uint32_t j = 0; j != end - begin; ++j)
    if (!runInstruction(j, begin + j + 1 == end && !endsInExit))
      return false;
  for (unsigned r = 0; r != NumRuns; ++r)
    leaving[block][r] = runs[r].leaving;
  done[block] = true;
  if (!handOn(block))
    return false;
  return !(bb.endsInTable || bb.endsInCall) || out[block].empty();
}

/// Whether all of `open` was pending there when the loop began.
bool Replay::wasPending(uint32_t header, unsigned s, Run run,
                        ArrayRef<const Pending *> open) const {
  return all_of(open, [&](const Pending *p) {
    return any_of(in[header], [&](const Pending &o) {
      return o.instruction == p->instruction && o.isRead == p->isRead &&
             o.scoreboard[run] == s;
    });
  });
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
      const bool depends =
          f.waits >> s & 1 || f.write == s ||
          (i + 1 == headerEnd && !wasPending(loop.header, s, run, open[s])) ||
          any_of(open[s], [&](const Pending *p) {
            return dependsOn(kernel.operands[i],
                             kernel.operands[p->instruction], p->isRead);
          });
      if (!depends && f.read != s)
        continue;
      if (!depends)
        waitsForItsRead[run].set(i);
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
  // Now and then a read joins others without a wait.
  if (waitsForItsRead[Output].test(waitsForItsRead[Input]))
    return false;
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
  for (size_t i = 0; i != kernel.fields.size(); ++i)
    around.hasGlobals |=
        isGlobalResult(kernel.operands[i]) && !kernel.operands[i].defs.empty();
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
  auto run = [&](const Doubt *doubt) {
    Replay replay(kernel, flow, doubt);
    return replay.run() ? std::optional(replay.takeFields()) : std::nullopt;
  };
  std::optional<std::vector<ScoreboardFields>> fields = run(nullptr);
  if (!fields)
    return std::nullopt;
  for (const Doubt &doubt : Doubts) {
    auto isMeant = [&](const Operands &ops) {
      return ops.resultClass == doubt.resultClass ||
             (isGlobalResult(ops) && doubt.resultClass == ResultClass::LDG);
    };
    if (none_of(kernel.operands, isMeant))
      continue;
    // One that does not explain the input is none.
    if (auto other = run(&doubt); other && *other != *fields)
      return std::nullopt;
  }
  return fields;
}

} // namespace lld::cuda
