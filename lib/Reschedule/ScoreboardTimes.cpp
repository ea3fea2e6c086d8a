//===- ScoreboardTimes.cpp - When instructions issue ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Estimates when the instructions of a basic block issue and when their
/// results are there. The replay of nvlink's scoreboard allocator
/// (ScoreboardReplay.cpp) makes such an estimate for each block of a function
/// that a link with --reschedule schedules, and choose() decides by it which
/// events (results and reads of sources that come after a variable time) may
/// share a scoreboard [scoreboards-times]. A stall covers the time until the
/// results of earlier instructions are there. If an instruction in between has
/// waited for a scoreboard, part of that time has already passed, and the stall
/// alone would give too late a time.
///
//===----------------------------------------------------------------------===//

#include "ScoreboardTimes.h"

using namespace llvm;
using namespace lld::cuda::sass;

namespace lld::cuda::scoreboards {

int IssueTimes::latency(const Operands &ops) const {
  const ResultClass c = ops.resultClass == ResultClass::ATOMG ? ResultClass::LDG
                                                              : ops.resultClass;
  return rough && rough->resultClass == c ? rough->latency : ops.info().latency;
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

static bool isShort(ResultClass c) {
  switch (c) {
  case ResultClass::Fixed:
  case ResultClass::Other:
  case ResultClass::SYNCS:
  case ResultClass::PHASECHK:
  case ResultClass::AsyncUniform:
  case ResultClass::TensorUniform:
  case ResultClass::CommandFlush:
  case ResultClass::AsyncFence:
  case ResultClass::LDTM:
  case ResultClass::STTM:
    return true;
  default:
    return false;
  }
}

/// Cycles that an instruction stalls if `next` doesn't depend on it: its unit
/// is busy.
static int getOwnStall(ResultClass c, ResultClass next) {
  constexpr int Short = 1, Constants = 8, Memory = 4;
  if (isShort(c) || isShort(next))
    return Short;
  return c == ResultClass::LDC ? Constants : Memory;
}

/// When instruction `index` may issue, but for scoreboards, if those before it
/// do at `t`.
int IssueTimes::waitForProducer(uint32_t index,
                                const std::vector<int> &t) const {
  // A predicate for EXIT; no other result of fixed latency takes as long.
  constexpr int MaxLatency = 14, MaxFP64Latency = 12;
  if (!index)
    return 0;
  const int producer = block->producers[index];
  const int stall = block->plain[index] - block->plain[index - 1];
  if (producer < 0)
    return t[index - 1] + stall;
  const ResultClass own = kernel.operands[begin + index].resultClass;
  const ResultClass before = kernel.operands[begin + index - 1].resultClass;
  const int latency =
      kernel.operands[begin + producer].resultClass == ResultClass::Fixed
          ? MaxLatency
          : MaxFP64Latency;
  return std::max(
      t[index - 1] + std::min(stall, getOwnStall(before, own)),
      t[producer] +
          std::min(block->plain[index] - block->plain[producer], latency));
}

/// When the unit of an access to memory may take it: some time after the last
/// access or the last BAR.SYNC, whatever stands in between.
int IssueTimes::waitForUnit(uint32_t index, const std::vector<int> &t) const {
  constexpr int AfterBarrier = 6;
  const int last = block->accesses[index];
  if (last < 0)
    return 0;
  const Operands &before = kernel.operands[begin + last];
  const ResultClass own = kernel.operands[begin + index].resultClass;
  const int distance = before.operation == OpBAR
                           ? AfterBarrier
                           : getOwnStall(before.resultClass, own);
  return t[last] + std::min(block->plain[index] - block->plain[last], distance);
}

/// When an EXIT issues that gets an error barrier: after the barrier's own
/// time, or all of its stalls where nobody before it in the block has waited,
/// and when that is there which the barrier doesn't wait for.
void IssueTimes::passBarrier() {
  constexpr int OwnTime = 2, AllStalls = 8;
  int time = std::max({times[size - 1] + OwnTime,
                       waitForProducer(size - 1, block->plain) + AllStalls,
                       waitForUnit(size - 1, block->plain) + AllStalls,
                       notBefore[size]});
  for (int i = block->resultsFor.first[size - 1]; i >= 0;
       i = block->resultsFor.next[i])
    if (!isForBarrier(i))
      time = std::max(time, times[i] + latency(kernel.operands[begin + i]));
  times[size] = time;
}

void IssueTimes::findProducers() {
  int lastWriter[NumRegisters];
  std::fill(std::begin(lastWriter), std::end(lastWriter), -1);
  own.producers.assign(size, -1);
  own.accesses.assign(size, -1);
  int lastAccess = -1;
  for (uint32_t j = 0; j != size; ++j) {
    const Operands &ops = kernel.operands[begin + j];
    const bool isFixed = ops.resultClass == ResultClass::Fixed ||
                         (ops.info().events == EventKind::FP64 &&
                          !kernel.hasResultEvent(begin + j));
    // An error barrier is one after BAR.SYNC, see passBarrier().
    const bool isAccess =
        (!isShort(ops.resultClass) && !isGone(j)) ||
        (j + 1 == size && hasBarrier() && lastAccess >= 0 &&
         kernel.operands[begin + lastAccess].operation == OpBAR);
    if (isAccess)
      own.accesses[j] = lastAccess;
    if (isAccess || ops.operation == OpBAR)
      lastAccess = j;
    forEachRegister(ops.uses, [&](unsigned k) {
      own.producers[j] = std::max(own.producers[j], lastWriter[k]);
    });
    forEachRegister(ops.defs,
                    [&](unsigned k) { lastWriter[k] = isFixed ? int(j) : -1; });
  }
}

/// Sets the times from instruction `index` on.
void IssueTimes::schedule(uint32_t index) {
  for (uint32_t j = index; j < size; ++j, ++work) {
    const Operands &ops = kernel.operands[begin + j];
    const bool isBarrier = j + 1 == size && hasBarrier();
    int time = std::max({waitForProducer(j, times),
                         isBarrier ? 0 : waitForUnit(j, times), notBefore[j]});
    if (run == Output && kernel.isForSlowUnit(begin + j)) {
      time = std::max(time, unitBusyUntil[j]);
      unitBusyUntil[j + 1] = time + SlowUnitTime;
    } else {
      unitBusyUntil[j + 1] = unitBusyUntil[j];
    }
    for (int i = block->resultsFor.first[j]; i >= 0;
         i = block->resultsFor.next[i]) {
      if (isBarrier && !isForBarrier(i))
        continue;
      if (const Operands &from = kernel.operands[begin + i];
          from.isAsynchronous() || dependsOn(ops, from, false))
        time = std::max(time, times[i] + latency(from));
    }
    for (int i = block->readsFor.first[j]; i >= 0; i = block->readsFor.next[i])
      if (const Operands &from = kernel.operands[begin + i];
          dependsOn(ops, from, true))
        time = std::max(time, times[i] + readLatency(from));
    times[j] = time;
  }
  if (hasBarrier())
    passBarrier();
  endTime = size ? last() + block->plain[size] - block->plain[size - 1] : 0;
}

void IssueTimes::estimate(uint32_t first, uint32_t last,
                          const Consumers &consumers) {
  begin = first;
  size = last - first;
  block = &own;
  own.resultsFor.clear(size);
  own.readsFor.clear(size);
  own.plain.assign(size + 1, 0);
  for (uint32_t j = 0; j != size; ++j) {
    if (hasEvents(j) && (run == Output || !consumers.isNewResult[j]) &&
        consumers.result[j] >= 0 && consumers.result[j] < int(size))
      own.resultsFor.add(consumers.result[j], j);
    const int reader = run == Output && kernel.wasUnordered
                           ? consumers.readInOutput[j]
                           : consumers.read[j];
    if (hasEvents(j) && reader >= 0 && reader < int(size))
      own.readsFor.add(reader, j);
    own.plain[j + 1] = own.plain[j];
    const bool isNewFence = run == Output && kernel.getsFenceEvent(begin + j);
    if (!isGone(j))
      own.plain[j + 1] +=
          getIssueTime(kernel.operands[begin + j].resultClass,
                       isNewFence ? FenceStall : kernel.stalls[begin + j]);
  }
  times.assign(size + 1, 0);
  notBefore.assign(size + 1, 0);
  unitBusyUntil.assign(size + 1, 0);
  findProducers();
  schedule(0);
}

void IssueTimes::takeFrom(const IssueTimes &other) {
  begin = other.begin;
  size = other.size;
  block = other.block;
  times = other.times;
  notBefore = other.notBefore;
  unitBusyUntil = other.unitBusyUntil;
  endTime = other.endTime;
  work += size;
}

void IssueTimes::delay(uint32_t index, int time) {
  // In very long blocks the delay is left out, since updating all times would
  // take too long.
  if (times[index] >= time || work > MaxWork)
    return;
  notBefore[index] = time;
  schedule(index);
}

} // namespace lld::cuda::scoreboards
