//===- ScoreboardAllocation.cpp - The choice of a scoreboard --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// There are six scoreboards and often more pending events, so some events
/// share one, and a wait for one event is then a wait for all of them. choose()
/// decides as nvlink does. For an event that its own block waits for, it takes
/// a scoreboard that will be waited for at the same time anyway, else a free
/// one, else the one whose sharing costs the fewest cycles. The result of a
/// texture access always gets scoreboard 5. ScoreboardReplay.cpp calls it for
/// each event of a block. The numbers in comments are those of the rules in
/// [scoreboards-choice] (docs/reference/scoreboards.md).
///
//===----------------------------------------------------------------------===//

#include "ScoreboardAllocation.h"
#include "llvm/ADT/Hashing.h"

using namespace llvm;
using namespace lld::cuda::sass;

namespace lld::cuda::scoreboards {

/// Results of global memory accesses: from 2 on, or the last if they leave the
/// block. Those of textures.
constexpr uint8_t GlobalScoreboards = 0x3c;
constexpr unsigned TextureScoreboard = 5;

bool isGlobalResult(const Operands &ops) {
  return ops.resultClass == ResultClass::LDG ||
         ops.resultClass == ResultClass::ATOMG ||
         ops.resultClass == ResultClass::TEX;
}

Event::Event(const Operands &ops, uint32_t instruction, bool isRead, bool isOwn,
             RunTimes consumer, RunTimes completion)
    : instruction(instruction), isRead(isRead), isOwn(isOwn),
      isGlobalResult(!isRead && scoreboards::isGlobalResult(ops)),
      isTexture(!isRead && ops.resultClass == ResultClass::TEX),
      isUniformResult(!isRead && ops.writesUniform()), consumer(consumer),
      completion(completion) {}

uint8_t Allocation::used() const {
  uint8_t mask = 0;
  for (unsigned s = 0; s != NumScoreboards; ++s)
    if (!boards[s].isFree())
      mask |= 1 << s;
  return mask;
}

bool Allocation::sameAs(const Allocation &o) const {
  for (unsigned s = 0; s != NumScoreboards; ++s)
    if (boards[s].hash != o.boards[s].hash)
      return false;
  return avoided == o.avoided;
}

void Allocation::add(unsigned scoreboard, const Event &e, uint32_t index) {
  Board &board = boards[scoreboard];
  board.events.push_back(index);
  board.nextWait = std::min(board.nextWait, e.consumer[run]);
  if (e.isOwn || !e.isGlobalResult)
    board.nextJoined = std::min(board.nextJoined, e.consumer[run]);
  board.done = std::max(board.done, e.completion[run]);
  board.hasOnlyLeavingReads &= e.isRead && e.leaves();
  board.hasOwn |= e.isOwn;
  board.hasGlobal |= e.isGlobalResult;
  board.hasTexture |= e.isTexture;
  board.hasUniform |= e.isUniformResult;
  board.hasNeededNext |= e.isNeededNext;
  board.hash += hash_combine(e.instruction, e.isRead) | 1;
}

void Allocation::release(uint8_t waits) {
  for (unsigned s = 0; s != NumScoreboards; ++s)
    if (waits >> s & 1) {
      const int before = std::max(boards[s].doneBefore, boards[s].done);
      boards[s] = Board();
      boards[s].doneBefore = before;
    }
}

/// Waited for in a block that follows at once, as far as the second allocator
/// knows: when this block is over.
constexpr int AtEnd = Leaves - 1;

static int getNextWait(const Board &b, Surroundings around) {
  return b.nextWait == Leaves && around.looksBeyondBlocks && b.hasNeededNext
             ? AtEnd
             : b.nextWait;
}

static int getConsumer(const Event &e, Run run, Surroundings around) {
  return e.leaves() && around.looksBeyondBlocks && e.isNeededNext
             ? AtEnd
             : e.consumer[run];
}

/// Returns the cost of sharing a scoreboard: the cycles by which an event is
/// waited for longer than needed.
static int getCost(const Board &b, int consumer, int completion,
                   const IssueTimes &times, Surroundings around) {
  auto timeOf = [&](int index) {
    return index == AtEnd ? times.end() : times[index];
  };
  const int nextWait = getNextWait(b, around);
  if (consumer == Leaves && nextWait == Leaves)
    return INT_MIN;
  if (nextWait >= consumer)
    return b.done - std::max(timeOf(consumer), completion);
  return completion - std::max(timeOf(nextWait), b.done);
}

/// Rule 4. A result that leaves, and isn't of global memory, may share any busy
/// scoreboard without global results, whether it is a candidate or not.
static unsigned chooseCheapest(const Allocation &a, const Event &e,
                               uint8_t candidates, const IssueTimes &times,
                               Surroundings around) {
  const int consumer = getConsumer(e, a.run, around);
  int costs[NumScoreboards];
  int limit = INT_MAX;
  for (unsigned s = 0; s != NumScoreboards; ++s) {
    const bool isCandidate = candidates >> s & 1 ||
                             (e.leaves() && !e.isRead && !e.isGlobalResult &&
                              !a.boards[s].isFree() && !a.boards[s].hasGlobal);
    costs[s] = isCandidate ? getCost(a.boards[s], consumer, e.completion[a.run],
                                     times, around)
                           : INT_MAX;
    limit = std::min(limit, costs[s]);
  }
  // If nobody is known to wait, a cost below 0 is no gain: the first one that
  // costs nothing will do.
  if (consumer == Leaves)
    limit = std::max(limit, 0);
  for (unsigned s = 0; s != NumScoreboards; ++s)
    if (costs[s] != INT_MAX && costs[s] <= limit)
      return s;
  return NoScoreboard;
}

/// Returns the scoreboards that rule 3, and mostly rule 4, choose from.
static uint8_t getCandidates(const Event &e, Surroundings around) {
  if (e.isTexture)
    return 1 << TextureScoreboard;
  const uint8_t last = 1 << around.globalScoreboard;
  uint8_t candidates = e.isGlobalResult ? GlobalScoreboards : AllScoreboards;
  candidates &= last * 2 - 1;
  if (e.leaves() ? around.hasGlobals && !e.isGlobalResult : around.globalsLeave)
    candidates &= ~last;
  if (around.countsFirst)
    candidates &= ~1;
  return candidates;
}

unsigned chooseFree(const Allocation &a, const Event &e, Surroundings around) {
  const uint8_t free = getCandidates(e, around) & ~a.used();
  const uint8_t rest = free & ~a.avoided;
  return free ? llvm::countr_zero(rest ? rest : free) : NoScoreboard;
}

unsigned choose(const Allocation &a, const Event &e, const IssueTimes &times,
                Surroundings around) {
  const uint8_t candidates = getCandidates(e, around);
  if (e.leaves()) {
    if (e.isTexture)
      return TextureScoreboard;
    if (e.isGlobalResult && around.hasGlobals)
      return around.globalScoreboard;
    // Rule 2.
    if (e.isRead)
      for (unsigned s = around.countsFirst; s != NumScoreboards; ++s)
        if (const Board &b = a.boards[s]; !b.isFree() &&
                                          b.hasOnlyLeavingReads && b.hasOwn &&
                                          getNextWait(b, around) == Leaves)
          return s;
    if (unsigned s = chooseFree(a, e, around); s != NoScoreboard)
      return s;
  } else {
    // Rule 1: one that will be waited for then anyway.
    for (unsigned s = 0; s != NumScoreboards; ++s)
      if (const Board &b = a.boards[s];
          !b.isFree() && b.nextWait == e.consumer[a.run] &&
          b.nextJoined == b.nextWait && b.hasTexture == e.isTexture)
        return s;
  }
  if (const uint8_t free = candidates & ~a.used())
    return llvm::countr_zero(free); // Rule 3 for events that don't leave.
  return chooseCheapest(a, e, candidates, times, around);
}

} // namespace lld::cuda::scoreboards
