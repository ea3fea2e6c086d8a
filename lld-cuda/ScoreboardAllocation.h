//===- ScoreboardAllocation.h - The choice of a scoreboard ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What is pending on the six scoreboards somewhere in a block, and which of
/// them the allocator chooses for the next event.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_SCOREBOARDALLOCATION_H
#define LLD_CUDA_SCOREBOARDALLOCATION_H

#include "ScoreboardTimes.h"

namespace lld::cuda::scoreboards {

struct Event {
  uint32_t instruction;
  bool isRead;
  bool isOwn; ///< Of this block.
  bool isGlobalResult;
  bool isTexture;
  bool isUniformResult;
  int consumer;
  RunTimes completion;

  Event(const sass::Operands &ops, uint32_t instruction, bool isRead,
        bool isOwn, int consumer, RunTimes completion);
};

/// Whether the result comes from global memory.
bool isGlobalResult(const sass::Operands &ops);

/// What is pending on a scoreboard.
struct Board {
  llvm::SmallVector<uint32_t, 4> events; ///< Indices.
  int nextWait = Leaves;
  int done = INT_MIN; ///< When the last event is complete.
  /// The same for events that somebody has waited for. A wait for what came
  /// from another block does not let the estimated time pass.
  int doneBefore = INT_MIN;
  bool hasOnlyLeavingReads = true;
  bool hasOwn = false;
  bool hasOnlyCarriedGlobal = true; ///< Results of global accesses only.
  bool hasGlobal = false;
  bool hasCarriedGlobal = false;
  bool hasUniform = false;
  uint64_t hash = 0; ///< Of the set of events.

  bool isFree() const { return events.empty(); }
};

/// The state of one allocation within a block.
struct Allocation {
  Run run = Input;
  Board boards[NumScoreboards];
  uint8_t avoided = 0;      ///< Not for events that leave the block.
  uint8_t mayBeAvoided = 0; ///< What may be avoided as well.
  uint8_t passingBy = 0;    ///< Pending beside the block, may be avoided, too.
  uint8_t leaving = 0;      ///< Taken by own events that leave the block.

  uint8_t used() const;
  bool sameAs(const Allocation &o) const;
  void add(unsigned scoreboard, const Event &event, uint32_t index);
  void release(uint8_t waits);
};

/// A scoreboard, and those that may be meant as well, since times are only
/// estimated.
struct Choice {
  unsigned best;
  uint8_t plausible;

  bool isClear() const { return !(plausible & (plausible - 1)); }
};

/// What the choice depends on besides.
struct Surroundings {
  bool hasGlobals = false;   ///< Results of global accesses, anywhere.
  bool globalsLeave = false; ///< Such a result leaves the block.
};

/// The rules of docs/scoreboards.md, "The choice".
Choice choose(const Allocation &a, const Event &e, const IssueTimes &times,
              Surroundings around);

} // namespace lld::cuda::scoreboards

#endif
