//===- ScoreboardBlocks.cpp - Scoreboards where blocks begin and end ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The part of the replay of nvlink's scoreboard allocator (ScoreboardReplay.h)
/// that handles the beginnings and ends of basic blocks. ScoreboardReplay.cpp
/// calls it for each block of a function that a link with --reschedule
/// schedules: for what is pending when the block begins, which scoreboards it
/// avoids because blocks beside it use them, and what its last instruction
/// waits for [scoreboards-block-end].
///
//===----------------------------------------------------------------------===//

#include "ScoreboardReplay.h"

using namespace llvm;
using namespace lld::cuda::sass;

namespace lld::cuda::scoreboards {

/// Whether threads meet again at block `to` after the collective part that
/// begins after block `from`; nothing that `from` has begun is pending there
/// any more.
bool Replay::endsCollective(uint32_t from, uint32_t to) const {
  return to != from + 1 &&
         kernel.operands[flow.blocks[from].end - 1].opensCollective();
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
    if (endsCollective(p, block))
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

/// Finds what an event that leaves avoids by rule 3 of [scoreboards-choice].
void Replay::setAvoided(uint32_t block) {
  for (uint32_t s : flow.blocks[block].successors)
    for (uint32_t p : flow.blocks[s].predecessors) {
      if (++steps > MaxSteps)
        return;
      if (p == block || !done[p] || endsCollective(p, s))
        continue;
      for (unsigned r = 0; r != NumRuns; ++r)
        runs[r].avoided |= pendingAfter[p][r];
    }
}

/// Only events that leave the block, all of them complete, and at least one of
/// this block. The second allocator waits where a loop begins, for any.
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
  return kernel.looksBeyond(run) ? entersLoop : hasOwn;
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
        moveCompletion(events[index],
                       std::min(events[index].completion[Input], time));
      continue;
    }
    // Something else may be late.
    if (board.doneBefore > time || any_of(board.events, [&](uint32_t index) {
          return !events[index].isOwn && events[index].completion[Input] > time;
        }))
      continue;
    int last = INT_MIN;
    for (uint32_t index : board.events)
      if (events[index].isOwn)
        last = std::max(last, events[index].completion[Input]);
    for (uint32_t index : board.events)
      if (events[index].isOwn && events[index].completion[Input] == last)
        moveCompletion(events[index], std::max(last, time + 1));
  }
}

/// Whether nothing that was on the scoreboards before makes a difference.
bool Replay::haveSameTimesAtEnd() const {
  const int time = times[Input].last();
  if (times[Output].last() != time)
    return false;
  for (unsigned s = 0; s != NumScoreboards; ++s) {
    if ((runs[Input].boards[s].doneBefore > time) !=
            (runs[Output].boards[s].doneBefore > time) &&
        isOverAtEnd(Input, s, INT_MAX))
      return false;
  }
  return true;
}

/// What the last instruction of a block waits for besides. `first` is what it
/// waits for itself.
bool Replay::waitAtEnd(uint32_t j, const uint8_t first[NumRuns], bool isSame) {
  const uint32_t i = begin + j;
  const bool isFence = kernel.waitsForFence(i);
  uint8_t ignored[NumRuns];
  for (unsigned r = 0; r != NumRuns; ++r) {
    const ScoreboardFields &own = r == Input ? kernel.fields[i] : results[i];
    ignored[r] = first[r] | 1 << own.write | 1 << own.read;
  }
  uint8_t given = kernel.fields[i].waits & ~first[Input] & runs[Input].used();
  // The header's last instruction may also wait for the end of the loop.
  for (unsigned s = 0; s != NumScoreboards && beginsLoop; ++s)
    if (!isOverAtEnd(Input, s, INT_MAX))
      given &= ~(1 << s);
  if (!isFence)
    learnAtEnd(times[Input].last(), given, ignored[Input]);
  uint8_t waits[NumRuns] = {};
  for (unsigned r = 0; r != NumRuns; ++r)
    for (unsigned s = 0; s != NumScoreboards; ++s)
      if (!(ignored[r] >> s & 1) && isOverAtEnd(Run(r), s, times[r].last()))
        waits[r] |= 1 << s;
  isSame &= !kernel.wasWithinBlocks && runs[Input].sameAs(runs[Output]) &&
            haveSameTimesAtEnd();
  if (!isSame && !isFence && waits[Input] != given)
    return refuse("unexplained end of block", i);
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

RunTimes Replay::completionAfter(const Event &e) const {
  RunTimes result;
  for (unsigned r = 0; r != NumRuns; ++r)
    result[r] =
        e.isGlobalResult ? 0 : std::max(0, e.completion[r] - times[r].end());
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
                          completionAfter(e)});
        }
        list[place[index]].scoreboard[r] = s;
        pendingAfter[block][r] |= 1 << s;
      }
  return list.size() <= MaxPending;
}

void Replay::startAllocations(uint32_t block) {
  events.clear();
  for (unsigned r = 0; r != NumRuns; ++r) {
    runs[r] = Allocation();
    runs[r].run = Run(r);
  }
  setAvoided(block);
}

/// Whether the block begins with what was pending there in the first replay.
bool Replay::hasSamePending(uint32_t block, bool comparesTimes) const {
  const std::vector<Pending> &before = first->in[block];
  return pending.size() == before.size() &&
         std::equal(pending.begin(), pending.end(), before.begin(),
                    [&](const Pending &a, const Pending &b) {
                      return a.instruction == b.instruction &&
                             a.isRead == b.isRead &&
                             a.scoreboard[Input] == b.scoreboard[Input] &&
                             a.scoreboard[Output] == b.scoreboard[Output] &&
                             (!comparesTimes || a.completion == b.completion);
                    });
}

/// Whether everything in the block must be as it was in the first replay: it
/// begins with the same, and no instruction has the rough latency. The last
/// condition is IssueTimes::delay()'s limit.
bool Replay::isAsInFirst(uint32_t block) const {
  const BlockFacts &facts = first->blockFacts[block];
  if (facts.hasRoughLatency || !hasSamePending(block, /*comparesTimes=*/true))
    return false;
  for (unsigned r = 0; r != NumRuns; ++r) {
    const size_t work = facts.workAfter[r] - facts.workBefore[r];
    if (runs[r].avoided != facts.avoided[r] ||
        facts.workAfter[r] > IssueTimes::MaxWork ||
        times[r].workDone() + work > IssueTimes::MaxWork)
      return false;
  }
  return true;
}

void Replay::copyFromFirst(uint32_t block) {
  const BlockFacts &facts = first->blockFacts[block];
  for (unsigned r = 0; r != NumRuns; ++r)
    times[r].skipWork(facts.workAfter[r] - facts.workBefore[r]);
  out[block] = first->out[block];
  pendingAfter[block] = first->pendingAfter[block];
  for (uint32_t i = begin; i != end; ++i) {
    results[i] = first->results[i];
    forward[i] = first->forward[i];
    if (first->sameSituation[i])
      sameSituation.set(i);
  }
}

/// Consumers don't depend on times.
bool Replay::findConsumers(uint32_t block) {
  if (first && hasSamePending(block, /*comparesTimes=*/false)) {
    consumers = &first->blockFacts[block].consumers;
    return true;
  }
  Consumers &own =
      blockFacts.empty() ? ownConsumers : blockFacts[block].consumers;
  consumers = &own;
  return finder.find(begin, end, isHeader[block], endsInExit, pending, own);
}

void Replay::enterBlock() {
  for (size_t n = 0; n != pending.size(); ++n) {
    const Pending &p = pending[n];
    const int consumer =
        consumers->pending[n] == Nobody ? Leaves : consumers->pending[n];
    events.push_back(
        Event(kernel.operands[p.instruction], p.instruction, p.isRead,
              /*isOwn=*/false,
              waitFor(p.instruction, p.isRead, /*isOwn=*/false, consumer),
              p.completion));
    events.back().isNeededNext =
        next.need(kernel.operands[p.instruction], p.isRead);
    for (unsigned r = 0; r != NumRuns; ++r)
      if (p.scoreboard[r] != NoScoreboard)
        runs[r].add(p.scoreboard[r], events.back(), n);
  }
}

} // namespace lld::cuda::scoreboards
