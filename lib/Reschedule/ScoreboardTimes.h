//===- ScoreboardTimes.h - Estimates of issue times -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Estimates of when the instructions of a basic block issue and when their
/// results are there, on which the choices of nvlink's allocator of scoreboards
/// depend. ScoreboardReplay.h makes an estimate for each of the two allocations
/// that it replays and updates it block by block; choose() of
/// ScoreboardAllocation.h reads it. The latencies come from Operands.def, where
/// some are only roughly known (rule [scoreboards-times] of docs/reference).
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_LIB_RESCHEDULE_SCOREBOARDTIMES_H
#define LLD_CUDA_LIB_RESCHEDULE_SCOREBOARDTIMES_H

#include "ScoreboardEvents.h"

namespace lld::cuda::scoreboards {

/// A latency that is only roughly known, and another value that it may have.
struct RoughLatency {
  sass::ResultClass resultClass;
  uint16_t latency;
};

/// Values that are tried in turn: what the allocator chooses must not depend on
/// them.
constexpr RoughLatency RoughLatencies[] = {
    {sass::ResultClass::LDG, 200},
    {sass::ResultClass::LDG, 400},
};

/// The issue times of a block's instructions in cycles, in one of the two
/// allocations. `kernel` and `rough`, which may be null, must outlive it.
class IssueTimes {
public:
  IssueTimes(const Kernel &kernel, const RoughLatency *rough, Run run)
      : kernel(kernel), rough(rough), run(run) {}
  IssueTimes(const IssueTimes &) = delete; // It points into itself.
  IssueTimes &operator=(const IssueTimes &) = delete;

  /// Estimates the times of the instructions from `begin` to `end`, a block
  /// that begins at time 0.
  void estimate(uint32_t begin, uint32_t end, const Consumers &consumers);
  /// Takes the estimates of the other allocation, whose block must be the same
  /// (Kernel::isSameInOutput()), and which must outlive these.
  void takeFrom(const IssueTimes &other);
  /// Records that instruction `index` waits until `time`, for other events on
  /// its scoreboard.
  void delay(uint32_t index, int time);
  /// Returns when instruction `index` of the block issues. If the block's last
  /// instruction is an EXIT that gets an error barrier, its index stands for
  /// the barrier, and the next index for the EXIT.
  int operator[](uint32_t index) const { return times[index]; }
  /// Returns when the last instruction issues.
  int last() const { return times[size + hasBarrier() - 1]; }
  int end() const { return endTime; }

  /// Delays are left out when the times of so many instructions have been set.
  static constexpr size_t MaxWork = 1 << 20;
  size_t workDone() const { return work; }
  /// Counts the work for a block whose times needn't be set.
  void skipWork(size_t skipped) { work += skipped; }

  /// Returns after how many cycles an instruction's result is there or, for
  /// readLatency(), its sources have been read.
  int latency(const sass::Operands &ops) const;
  static int readLatency(const sass::Operands &ops) {
    return ops.info().readLatency;
  }

private:
  /// A list of instructions for each instruction, each of which is in one list
  /// at most.
  struct IndexLists {
    std::vector<int> first, next; ///< -1 ends a list.

    void clear(uint32_t size) {
      first.assign(size, -1);
      next.resize(size);
    }
    void add(uint32_t list, uint32_t index) {
      next[index] = first[list];
      first[list] = index;
    }
  };

  /// What the times of a block follow from.
  struct BlockFlow {
    /// The instructions for whose results, or reads, each instruction waits, as
    /// lists.
    IndexLists resultsFor, readsFor;
    /// Indexed by instruction: the last producer of fixed latency; -1 for none.
    std::vector<int> producers;
    /// Indexed by instruction: the access to memory or BAR.SYNC before an
    /// access; -1 for none.
    std::vector<int> accesses;
    std::vector<int> plain; ///< The times if nothing waited for scoreboards.
  };

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
  BlockFlow own;
  const BlockFlow *block = &own;
  std::vector<int> unitBusyUntil;
  int endTime = 0;
};

} // namespace lld::cuda::scoreboards

#endif
