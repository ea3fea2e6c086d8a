//===- ScoreboardTimes.cpp - When instructions issue ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The rules of docs/scoreboards.md, "Time". A stall covers the time until the
/// results of earlier instructions are there. Where an instruction in between
/// has waited for a scoreboard, part of that time has passed by then, and the
/// stall tells too much.
///
//===----------------------------------------------------------------------===//

#include "ScoreboardTimes.h"

using namespace llvm;
using namespace lld::cuda::sass;

namespace lld::cuda::scoreboards {

int IssueTimes::latency(const Operands &ops) const {
  const ResultClass c = ops.resultClass == ResultClass::ATOMG ? ResultClass::LDG
                                                              : ops.resultClass;
  return doubt && doubt->resultClass == c ? doubt->latency : ops.info().latency;
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
  return c == ResultClass::Fixed || c == ResultClass::Other;
}

/// Cycles that an instruction stalls if `next` doesn't depend on it: its unit
/// is busy.
static int getOwnStall(ResultClass c, ResultClass next) {
  constexpr int Short = 1, Constants = 8, Memory = 4;
  if (isShort(c) || isShort(next))
    return Short;
  return c == ResultClass::LDC ? Constants : Memory;
}

/// When instruction `index` may issue, but for scoreboards.
int IssueTimes::waitForProducer(uint32_t index) const {
  if (!index)
    return 0;
  const Operands &ops = kernel.operands[begin + index];
  int producer = -1;
  for (RegisterRange r : ops.uses)
    for (unsigned k = r.first; k < r.first + r.count && k < NumRegisters; ++k)
      producer = std::max(producer, lastWriter[k]);
  const int stall = plain[index] - plain[index - 1];
  if (producer < 0)
    return times[index - 1] + stall;
  const ResultClass before = kernel.operands[begin + index - 1].resultClass;
  return std::max(times[index - 1] +
                      std::min(stall, getOwnStall(before, ops.resultClass)),
                  times[producer] + plain[index] - plain[producer]);
}

void IssueTimes::noteResults(uint32_t index) {
  const Operands &ops = kernel.operands[begin + index];
  for (RegisterRange r : ops.defs)
    for (unsigned k = r.first; k < r.first + r.count && k < NumRegisters; ++k)
      lastWriter[k] = ops.resultClass == ResultClass::Fixed ? int(index) : -1;
}

void IssueTimes::estimate(uint32_t first, uint32_t last,
                          const Consumers &consumers) {
  begin = first;
  const size_t size = last - first;
  SmallVector<SmallVector<uint32_t, 2>, 32> resultsFor(size), readsFor(size);
  plain.assign(size + 1, 0);
  for (uint32_t j = 0; j != size; ++j) {
    if (hasEvents(j) && consumers.result[j] >= 0 &&
        consumers.result[j] < int(size))
      resultsFor[consumers.result[j]].push_back(j);
    if (hasEvents(j) && consumers.read[j] >= 0 &&
        consumers.read[j] < int(size))
      readsFor[consumers.read[j]].push_back(j);
    plain[j + 1] =
        plain[j] + getIssueTime(kernel.operands[begin + j].resultClass,
                                kernel.stalls[begin + j]);
  }
  times.assign(size, 0);
  std::fill(std::begin(lastWriter), std::end(lastWriter), -1);
  int unitBusyUntil = 0;
  for (uint32_t j = 0; j != size; ++j) {
    const Operands &ops = kernel.operands[begin + j];
    int time = waitForProducer(j);
    if (run == Output && kernel.isForSlowUnit(begin + j)) {
      time = std::max(time, unitBusyUntil);
      unitBusyUntil = time + SlowUnitTime;
    }
    for (uint32_t i : resultsFor[j])
      if (const Operands &from = kernel.operands[begin + i];
          dependsOn(ops, from, false))
        time = std::max(time, times[i] + latency(from));
    for (uint32_t i : readsFor[j])
      if (const Operands &from = kernel.operands[begin + i];
          dependsOn(ops, from, true))
        time = std::max(time, times[i] + readLatency(from));
    times[j] = time;
    noteResults(j);
  }
  endTime = size ? times[size - 1] + plain[size] - plain[size - 1] : 0;
}

} // namespace lld::cuda::scoreboards
