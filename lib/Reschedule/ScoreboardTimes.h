//===- ScoreboardTimes.h - When instructions issue --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The allocator's choices depend on when results are there. It estimates that
/// from the latencies of Operands.def, some of which are known only roughly
/// here, and from when instructions issue [scoreboards-times].
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_LIB_RESCHEDULE_SCOREBOARDTIMES_H
#define LLD_CUDA_LIB_RESCHEDULE_SCOREBOARDTIMES_H

#include "ScoreboardEvents.h"

namespace lld::cuda::scoreboards {

/// A latency that is known only roughly, and another value that it may have.
struct RoughLatency {
  sass::ResultClass resultClass;
  uint16_t latency;
};

/// What the allocator chooses must not depend on these.
constexpr RoughLatency RoughLatencies[] = {
    {sass::ResultClass::LDG, 200},
    {sass::ResultClass::LDG, 400},
};

class IssueTimes {
public:
  IssueTimes(const Kernel &kernel, const RoughLatency *rough, Run run)
      : kernel(kernel), rough(rough), run(run) {}

  /// Estimates the times of the instructions of a block that begins at 0.
  void estimate(uint32_t begin, uint32_t end, const Consumers &consumers);
  /// Instruction `index` waits until `time`, for others on its scoreboard.
  void delay(uint32_t index, int time);
  /// `index`: of an instruction; if the last one is an EXIT that gets a
  /// barrier, this is the barrier, and the EXIT is the next one.
  int operator[](uint32_t index) const { return times[index]; }
  /// When the last instruction issues.
  int last() const { return times[size + hasBarrier() - 1]; }
  int end() const { return endTime; }

  /// When the result is there, or the sources have been read.
  int latency(const sass::Operands &ops) const;
  static int readLatency(const sass::Operands &ops) {
    return ops.info().readLatency;
  }

private:
  void findProducers();
  void schedule(uint32_t index);
  int waitForProducer(uint32_t index, const std::vector<int> &t) const;
  int waitForUnit(uint32_t index, const std::vector<int> &t) const;
  void passBarrier();
  bool hasEvents(uint32_t index) const {
    return run == Output || !kernel.isSlowInOutput(begin + index);
  }
  bool hasBarrier() const {
    return run == Output && size && kernel.getsBarrier(begin + size - 1);
  }
  bool isForBarrier(uint32_t index) const {
    return !kernel.waitsTwice(begin + size - 1) ||
           kernel.isForBarrier(begin + size - 1, begin + index);
  }

  bool isGone(uint32_t index) const {
    return run == Output && kernel.removes(begin + index);
  }

  const Kernel &kernel;
  const RoughLatency *rough;
  Run run;
  uint32_t begin = 0, size = 0;
  size_t work = 0;
  std::vector<int> times, notBefore;
  std::vector<llvm::SmallVector<uint32_t, 2>> resultsFor, readsFor;
  std::vector<int> producers; ///< The last producer of fixed latency; -1: none.
  /// By instruction: the access to memory or BAR.SYNC before an access; -1:
  /// none.
  std::vector<int> accesses;
  std::vector<int> unitBusyUntil;
  std::vector<int> plain; ///< As if nobody waited for scoreboards.
  int endTime = 0;
};

} // namespace lld::cuda::scoreboards

#endif
