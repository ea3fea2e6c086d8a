//===- ScoreboardAllocation.cpp - The choice of a scoreboard --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScoreboardAllocation.h"
#include "llvm/ADT/Hashing.h"

using namespace llvm;
using namespace lld::cuda::sass;

namespace lld::cuda::scoreboards {

/// Results of global memory accesses: 2 to 5, or 5 if they leave the block.
constexpr unsigned LastScoreboard = 5;
constexpr uint8_t GlobalScoreboards = 0x3c;

/// Estimated times are off by this at most.
constexpr int TimeTolerance = 1;

bool isGlobalResult(const Operands &ops) {
  return ops.resultClass == ResultClass::LDG ||
         ops.resultClass == ResultClass::ATOMG ||
         ops.resultClass == ResultClass::TEX;
}

Event::Event(const Operands &ops, uint32_t instruction, bool isRead, bool isOwn,
             int consumer, RunTimes completion)
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
  return avoided == o.avoided && mayBeAvoided == o.mayBeAvoided;
}

void Allocation::add(unsigned scoreboard, const Event &e, uint32_t index) {
  Board &board = boards[scoreboard];
  board.events.push_back(index);
  board.nextWait = std::min(board.nextWait, e.consumer);
  board.done = std::max(board.done, e.completion[run]);
  board.hasOnlyLeavingReads &= e.isRead && e.consumer == Leaves;
  board.hasOwn |= e.isOwn;
  board.hasOnlyCarriedGlobal &= !e.isOwn && e.isGlobalResult;
  board.hasGlobal |= e.isGlobalResult;
  board.hasCarriedGlobal |= e.isGlobalResult && !e.isOwn;
  board.hasUniform |= e.isUniformResult;
  board.hash += hash_combine(e.instruction, e.isRead) | 1;
  if (e.isOwn && e.consumer == Leaves)
    leaving |= 1 << scoreboard;
}

void Allocation::release(uint8_t waits) {
  for (unsigned s = 0; s != NumScoreboards; ++s)
    if (waits >> s & 1) {
      const int before = std::max(boards[s].doneBefore, boards[s].done);
      boards[s] = Board();
      boards[s].doneBefore = before;
    }
}

/// What it costs to share a scoreboard: the cycles by which one is waited for
/// longer than needed.
static int getCost(const Board &b, const Event &e, int completion,
                   const IssueTimes &times) {
  if (e.consumer == Leaves && b.nextWait == Leaves)
    return INT_MIN;
  if (b.nextWait >= e.consumer)
    return b.done - std::max(times[e.consumer], completion);
  return completion - std::max(times[b.nextWait], b.done);
}

/// For an event that leaves. Which scoreboards it avoids is not known for sure.
static Choice chooseFree(const Allocation &a, uint8_t free) {
  auto lowest = [&](uint8_t avoided) {
    const uint8_t rest = free & ~avoided;
    return llvm::countr_zero(rest ? rest : free);
  };
  const unsigned best = lowest(a.avoided);
  // Which of those that it avoids it takes after all is not known.
  if (!(free & ~a.avoided))
    return {best, free};
  return {best, uint8_t(1 << best | 1 << lowest(a.avoided | a.mayBeAvoided))};
}

static Choice chooseCheapest(const Allocation &a, const Event &e,
                             uint8_t candidates, const IssueTimes &times) {
  const bool leaves = e.consumer == Leaves;
  int costs[NumScoreboards];
  int limit = INT_MAX;
  for (unsigned s = 0; s != NumScoreboards; ++s) {
    const bool isCandidate =
        candidates >> s & 1 || (leaves && !e.isRead && !a.boards[s].isFree() &&
                                !a.boards[s].hasGlobal);
    costs[s] = isCandidate
                   ? getCost(a.boards[s], e, e.completion[a.run], times)
                   : INT_MAX;
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
    // How late a result from another block is, is a guess.
    if (choice.best == s && a.boards[s].hasCarriedGlobal)
      choice.plausible = AllScoreboards;
    if (leaves && costs[s] <= -TimeTolerance)
      break;
  }
  return choice;
}

static Choice exactly(unsigned scoreboard) {
  return {scoreboard, uint8_t(1 << scoreboard)};
}

Choice choose(const Allocation &a, const Event &e, const IssueTimes &times,
              Surroundings around) {
  const bool leaves = e.consumer == Leaves;
  uint8_t candidates = e.isTexture        ? 1 << LastScoreboard
                       : e.isGlobalResult ? GlobalScoreboards
                                          : AllScoreboards;
  if (leaves) {
    if (e.isGlobalResult && around.hasGlobals)
      return exactly(LastScoreboard);
    if (e.isRead)
      for (unsigned s = 0; s != NumScoreboards; ++s)
        if (!a.boards[s].isFree() && a.boards[s].hasOnlyLeavingReads &&
            a.boards[s].hasOwn)
          return exactly(s);
    if (around.hasGlobals)
      candidates &= ~(1 << LastScoreboard);
    if (const uint8_t free = candidates & ~a.used())
      return chooseFree(a, free);
  } else {
    // One that will be waited for then anyway.
    for (unsigned s = 0; s != NumScoreboards; ++s)
      if (const Board &b = a.boards[s];
          !b.isFree() && b.nextWait == e.consumer && !b.hasOnlyCarriedGlobal)
        return exactly(s);
    if (around.globalsLeave)
      candidates &= ~(1 << LastScoreboard);
  }
  if (const uint8_t free = candidates & ~a.used()) {
    Choice choice = exactly(llvm::countr_zero(free));
    // Now and then it joins something that leaves instead of taking the last.
    if (e.isGlobalResult && choice.best == LastScoreboard)
      for (unsigned s = 0; s != LastScoreboard; ++s)
        if (candidates >> s & 1 && a.boards[s].nextWait == Leaves)
          choice.plausible |= 1 << s;
    return choice;
  }
  return chooseCheapest(a, e, candidates, times);
}

} // namespace lld::cuda::scoreboards
