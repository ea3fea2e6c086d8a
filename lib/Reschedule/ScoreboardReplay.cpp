//===- ScoreboardReplay.cpp - Replays nvlink's scoreboard allocator -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Replays nvlink's allocation of scoreboards for one function, twice side by
/// side: as the compiler did it, and as nvlink would. In a link with
/// --reschedule, Fp64Schedule.cpp calls replay() when a function's edit is
/// planned, and Scoreboards.cpp when the function is finalized. This source
/// goes through the instructions of a block: each waits, which frees
/// scoreboards, and then gets scoreboards for its own events (its result, or
/// the read of its sources, if these come after a variable time). If the rules
/// don't lead to what the compiler chose, the replay gives up (refuse()) and
/// the function stays as it is.
///
//===----------------------------------------------------------------------===//

#include "ScoreboardReplay.h"

using namespace llvm;
using namespace lld::cuda::sass;

namespace lld::cuda::scoreboards {

/// An EXIT that waits twice takes two numbers in the output.
bool Replay::isWaitedForAt(int nextWait, int j) const {
  const int size = end - begin;
  return nextWait == j || (j + 1 == size && nextWait == size);
}

/// Where an event that `consumer` depends on is waited for.
RunTimes Replay::waitFor(uint32_t i, bool isRead, bool isOwn,
                         int consumer) const {
  RunTimes result = {consumer, consumer};
  const int last = end - begin - 1;
  if (consumer == last && kernel.waitsTwice(end - 1) &&
      (isRead || !kernel.isForBarrier(end - 1, i)))
    result[Output] = last + 1;
  if (isRead && isOwn && kernel.wasUnordered)
    result[Output] = consumers->readInOutput[i - begin];
  return result;
}

uint8_t Replay::predictWaits(const Allocation &a, int j,
                             const Operands &ops) const {
  if (ops.isCollective)
    return a.used();
  uint8_t waits = 0;
  for (unsigned s = 0; s != NumScoreboards; ++s)
    if (!a.boards[s].isFree() &&
        (isWaitedForAt(a.boards[s].nextWait, j) ||
         (kernel.needsUniform(ops) && a.boards[s].hasUniform)))
      waits |= 1 << s;
  return waits;
}

/// The next one that waits for the scoreboard waits for all that is on it.
void Replay::share(Run run, unsigned scoreboard) {
  const Board &board = runs[run].boards[scoreboard];
  if (board.nextWait == Leaves || board.events.size() < 2)
    return;
  int done = 0;
  for (uint32_t index : board.events)
    if (events[index].isOwn)
      done = std::max(done, events[index].completion[run]);
  times[run].delay(board.nextWait, done);
}

unsigned Replay::chooseFor(const Allocation &a, const Event &e) const {
  Surroundings rules = around;
  rules.looksBeyondBlocks = kernel.looksBeyond(a.run);
  return choose(a, e, times[a.run], rules);
}

/// Not all choices of the second allocator for events that leave the block are
/// explained. What is unknown holds for both allocations: where the rules don't
/// explain the input's choice, the output gets the same one, be it the lowest
/// free scoreboard or the one that the same events are on.
unsigned Replay::chooseLikeInput(const Event &e, unsigned given) const {
  if (!kernel.looksBeyond(Input) || !e.leaves())
    return NoScoreboard;
  const Board &board = runs[Input].boards[given];
  if (board.isFree())
    return chooseFree(runs[Input], e, around) == given
               ? chooseFree(runs[Output], e, around)
               : NoScoreboard;
  unsigned chosen = NoScoreboard;
  for (unsigned s = 0; s != NumScoreboards; ++s)
    if (const Board &other = runs[Output].boards[s];
        !other.isFree() && other.hash == board.hash)
      chosen = s;
  return chosen;
}

/// Whether the two allocators' rules for an event differ.
bool Replay::isChosenAnew(const Event &e) const {
  return e.leaves() &&
         (e.isRead || (!e.isGlobalResult &&
                       chooseFree(runs[Input], e, around) == NoScoreboard));
}

/// What is on the scoreboards may be the same in both runs and be complete at
/// different times, which decides where none is free.
unsigned Replay::chooseByTimes(const Event &e, unsigned given) const {
  if (chooseFree(runs[Input], e, around) != NoScoreboard)
    return given;
  return chooseFor(runs[Input], e) == given ? chooseFor(runs[Output], e)
                                            : given;
}

/// Gives scoreboards to an event of instruction j of the block.
bool Replay::allocate(uint32_t j, bool isRead, bool isSame) {
  const uint32_t i = begin + j;
  const Operands &ops = kernel.operands[i];
  const unsigned given =
      isRead ? kernel.fields[i].read : kernel.fields[i].write;
  // Nobody waits for what DEPBAR counts.
  if (ops.resultClass == ResultClass::CommandFlush) {
    results[i].read = given;
    return true;
  }
  RunTimes completion;
  for (unsigned r = 0; r != NumRuns; ++r)
    completion[r] = times[r][j] + (isRead ? IssueTimes::readLatency(ops)
                                          : times[r].latency(ops));
  Event e(ops, i, isRead, /*isOwn=*/true,
          waitFor(i, isRead, /*isOwn=*/true,
                  isRead ? consumers->read[j] : consumers->result[j]),
          completion);
  e.isNeededNext = next.need(ops, isRead);
  const bool isDropped =
      kernel.dropsEvent(i, isRead) ||
      (kernel.wasUnordered &&
       (isRead ? consumers->dropsRead[j] : consumers->dropsResult[j]));
  const bool isNew =
      kernel.isSlowInOutput(i) ||
      (isRead ? kernel.getsFenceEvent(i) : bool(consumers->isNewResult[j]));
  // Where none is free that compiler chose by other rules.
  const bool isOther = kernel.isOldest && runs[Input].used() == AllScoreboards;
  isSame &= e.consumer[Input] == e.consumer[Output] && !isOther &&
            !(kernel.wasWithinBlocks && isChosenAnew(e));
  unsigned chosen = given;
  if ((!isSame || isNew) && !isDropped) {
    if (isNew || isOther || chooseFor(runs[Input], e) == given)
      chosen = chooseFor(runs[Output], e);
    else if (chosen = chooseLikeInput(e, given); chosen == NoScoreboard)
      return refuse(isRead ? "unexplained read" : "unexplained result", i);
  } else if (!isDropped) {
    chosen = chooseByTimes(e, given);
  }
  if (chosen == NoScoreboard)
    return refuse("no scoreboard", i);
  events.push_back(e);
  if (!isNew) {
    runs[Input].add(given, e, events.size() - 1);
    share(Input, given);
  }
  uint8_t &field = isRead ? results[i].read : results[i].write;
  if (isDropped) {
    field = NoScoreboard;
    return true;
  }
  runs[Output].add(chosen, e, events.size() - 1);
  share(Output, chosen);
  field = chosen;
  return true;
}

/// The begin of a collective part waits for all, and frees nothing. To the
/// second allocator it is something that needs uniform results, too.
uint8_t Replay::freedByCollective(Run run) const {
  uint8_t freed = 0;
  for (unsigned s = 0; s != NumScoreboards && kernel.looksBeyond(run); ++s)
    freed |= runs[run].boards[s].hasUniform << s;
  return freed;
}

/// Waits first, then gives the instruction's events scoreboards, in the order
/// of their consumers [scoreboards-choice].
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
  const bool isFence = kernel.waitsForFence(i);
  if (!isFence) {
    // What the last instruction waits for besides is decided later
    // (waitAtEnd()).
    const uint8_t relevant = isLastOfMany ? waits[Input] : used;
    const uint8_t actual = given.waits & relevant & ~consumers->loopWaits[j];
    if (isSame)
      waits[Output] = actual;
    else if (waits[Input] != actual)
      return refuse("unexplained wait", i);
    waits[Input] = actual;
  }
  if (kernel.removes(i) && given.waits)
    return refuse("removed wait", i);
  for (unsigned r = 0; r != NumRuns; ++r)
    runs[r].release(ops.opensCollective() ? freedByCollective(Run(r))
                                          : waits[r]);
  forward[i].waits = isFence ? AllScoreboards : waits[Input];
  results[i].waits = isFence ? AllScoreboards : waits[Output];

  const int result = consumers->result[j], read = consumers->read[j];
  // Nobody needs a result that is only overwritten.
  const bool readFirst = read != Nobody && result != Nobody &&
                         (read <= result || consumers->isUnused[j]);
  for (bool isRead : {readFirst, !readFirst})
    if ((isRead ? read : result) != Nobody &&
        !allocate(j, isRead, isSame && runs[Input].sameAs(runs[Output])))
      return false;
  forward[i].write = given.write;
  forward[i].read = given.read;
  return !isLastOfMany || waitAtEnd(j, waits, isSame);
}

/// Whether the result is of a load or atomic operation: a global result, but
/// not that of a texture, which has a scoreboard of its own. Only these decide
/// who may have the scoreboard of global results [scoreboards-choice].
static bool isLoaded(const Operands &ops) {
  return isGlobalResult(ops) && ops.resultClass != ResultClass::TEX;
}

bool Replay::runBlock(uint32_t number) {
  block = number;
  const BasicBlock &bb = flow.blocks[block];
  begin = bb.begin;
  end = bb.end;
  endsInExit = bb.endsInExit;
  beginsLoop = isHeader[block] && !bb.continues;
  entersLoop = any_of(bb.successors, [&](uint32_t s) {
    return isHeader[s] && flow.position[s] > flow.position[block];
  });
  collectPending(block);
  if (pending.size() > MaxPending)
    return refuse("size", begin);
  in[block] = pending;
  startAllocations(block);
  done[block] = true;
  if (first && steps <= MaxSteps && isAsInFirst(block)) {
    copyFromFirst(block);
    return true;
  }
  if (!findConsumers(block))
    return refuse("several readings", begin);
  if (!blockFacts.empty())
    for (unsigned r = 0; r != NumRuns; ++r) {
      blockFacts[block].avoided[r] = runs[r].avoided;
      blockFacts[block].workBefore[r] = times[r].workDone();
    }
  if (!runInstructions())
    return false;
  if (!blockFacts.empty())
    for (unsigned r = 0; r != NumRuns; ++r)
      blockFacts[block].workAfter[r] = times[r].workDone();
  return !(bb.endsInTable || bb.endsInCall) || !isPendingAtJump(bb) ||
         refuse("pending at a jump through a table", end - 1);
}

/// Runs the instructions of the current block.
bool Replay::runInstructions() {
  times[Input].estimate(begin, end, *consumers);
  if (kernel.isSameInOutput())
    times[Output].takeFrom(times[Input]);
  else
    times[Output].estimate(begin, end, *consumers);
  around.globalsLeave = false;
  for (uint32_t j = 0; j != end - begin; ++j) {
    const Operands &ops = kernel.operands[begin + j];
    if (!isLoaded(ops))
      continue;
    around.globalsLeave |= around.hasGlobals && consumers->result[j] == Leaves;
    if (!blockFacts.empty())
      blockFacts[block].hasRoughLatency = true;
  }
  for (const Pending &p : pending)
    around.globalsLeave |= around.hasGlobals && !p.isRead &&
                           isLoaded(kernel.operands[p.instruction]);
  next.enter(block);
  enterBlock();
  if (steps > MaxSteps)
    return refuse("size", begin);
  for (uint32_t j = 0; j != end - begin; ++j)
    if (!runInstruction(j, begin + j + 1 == end && !endsInExit))
      return false;
  return handOn(block) || refuse("size", begin);
}

/// Whether something is pending that may not be at the end of a block that
/// jumps through a table, or calls.
bool Replay::isPendingAtJump(const BasicBlock &bb) const {
  return any_of(out[block], [&](const Pending &p) {
    if (bb.endsInCall)
      return true;
    if (bb.hasKnownTargets)
      // What the first allocator makes of it for the second isn't known.
      return kernel.wasWithinBlocks && p.scoreboard[Input] != NoScoreboard &&
             p.scoreboard[Output] != NoScoreboard;
    // The event that only the input has, that of R1's load, does no harm.
    return !kernel.looksBeyondBlocks || p.scoreboard[Output] != NoScoreboard;
  });
}

bool Replay::run() {
  if (flow.blocks.size() > MaxBlocks)
    return refuse("size", 0);
  around.looksBeyondBlocks = kernel.looksBeyondBlocks;
  around.globalScoreboard = kernel.globalScoreboard();
  for (size_t i = 0; i != kernel.fields.size(); ++i) {
    const Operands &ops = kernel.operands[i];
    around.hasGlobals |= isLoaded(ops) && !ops.defs.empty();
    around.countsFirst |= ops.resultClass == ResultClass::CommandFlush;
  }
  if (!first && any_of(kernel.operands, isLoaded))
    blockFacts.resize(flow.blocks.size());
  findLoops();
  if (loops.size() * flow.blocks.size() > (1 << 20))
    return refuse("size", 0);
  for (uint32_t b : flow.order)
    if (!runBlock(b))
      return false;
  return waitInLoops();
}

std::optional<std::vector<ScoreboardFields>>
replay(const Kernel &kernel, const ControlFlow &flow, Refusal &refusal) {
  ConsumerFinder finder(kernel);
  Replay first(kernel, flow, finder);
  if (!first.run()) {
    refusal = first.refusal;
    return std::nullopt;
  }
  // What these latencies are only makes a difference to loads.
  if (none_of(kernel.operands, isLoaded))
    return first.takeFields();
  for (const RoughLatency &rough : RoughLatencies) {
    Replay other(kernel, flow, finder, &rough, &first);
    // One that does not explain the input is none.
    if (other.run() && other.fields() != first.fields()) {
      refusal.set("rough latency", 0);
      return std::nullopt;
    }
  }
  return first.takeFields();
}

} // namespace lld::cuda::scoreboards
