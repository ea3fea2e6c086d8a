//===- ScoreboardAllocation.h - Choice of a scoreboard ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The state of the six scoreboards within a basic block, and the function that
/// chooses one for the next event. An event is the moment when an instruction
/// of variable latency has its result, or has read its sources.
/// ScoreboardReplay.cpp goes through the blocks of a function with this state
/// when the scoreboards of the function are chosen anew.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_LIB_RESCHEDULE_SCOREBOARDALLOCATION_H
#define LLD_CUDA_LIB_RESCHEDULE_SCOREBOARDALLOCATION_H

#include "ScoreboardTimes.h"

namespace lld::cuda::scoreboards {

/// An event that is pending or begins in the current block.
struct Event {
  uint32_t instruction;
  bool isRead; ///< Whether sources were read, rather than a result is there.
  bool isOwn;  ///< Whether it begins in this block.
  bool isGlobalResult;
  bool isTexture;
  bool isUniformResult;
  /// Whether the second allocator knows that a directly following block depends
  /// on it, see NextBlocks.
  bool isNeededNext = false;
  RunTimes consumer;   ///< The first instruction that depends on it.
  RunTimes completion; ///< When it is complete, in cycles from the block's
                       ///< begin.

  Event(const sass::Operands &ops, uint32_t instruction, bool isRead,
        bool isOwn, RunTimes consumer, RunTimes completion);
  /// Returns whether no instruction of the block depends on it.
  bool leaves() const { return consumer[Input] == Leaves; }
};

/// Returns whether an instruction's result comes from global memory.
bool isGlobalResult(const sass::Operands &ops);

/// The events that are pending on one scoreboard.
struct Board {
  llvm::SmallVector<uint32_t, 4> events; ///< Indices of events.
  int nextWait = Leaves; ///< The next instruction that waits for it.
  /// Like `nextWait`, without waits for results of global accesses in other
  /// blocks.
  int nextJoined = Leaves;
  int done = INT_MIN; ///< When the last event is complete.
  /// When the last of those events is complete that an instruction has waited
  /// for. A wait for an event of another block doesn't let the estimated time
  /// pass.
  int doneBefore = INT_MIN;
  bool hasOnlyLeavingReads = true;
  bool hasOwn = false;
  bool hasGlobal = false;
  bool hasTexture = false;
  bool hasUniform = false;
  bool hasNeededNext = false;
  uint64_t hash = 0; ///< A hash of the set of events.

  bool isFree() const { return events.empty(); }
};

/// The state of one of the two allocations (Run) within a block.
struct Allocation {
  Run run = Input;
  Board boards[NumScoreboards];
  uint8_t avoided = 0; ///< Mask of scoreboards that an event which leaves the
                       ///< block gets only if no other is free.

  uint8_t used() const;
  bool sameAs(const Allocation &o) const;
  void add(unsigned scoreboard, const Event &event, uint32_t index);
  void release(uint8_t waits);
};

/// Facts about the kernel and the block that the choice depends on, besides the
/// scoreboards and the event.
struct Surroundings {
  bool hasGlobals = false;       ///< Whether the kernel has results of global
                                 ///< accesses.
  unsigned globalScoreboard = 5; ///< Kernel::globalScoreboard().
  /// Whether such a result leaves the block, or is pending when it begins.
  bool globalsLeave = false;
  bool countsFirst = false; ///< Whether a DEPBAR counts what is on scoreboard
                            ///< 0.
  /// Whether the second allocator's rules apply, see ScoreboardAllocator.
  bool looksBeyondBlocks = false;
};

/// Returns the scoreboard for the event `e` [scoreboards-choice]. NoScoreboard:
/// none is free, and it must not share any.
unsigned choose(const Allocation &a, const Event &e, const IssueTimes &times,
                Surroundings around);

/// Returns the scoreboard for an event that leaves the block by rule 3 of
/// [scoreboards-choice]: the lowest free one that isn't `avoided`, else the
/// lowest free one; NoScoreboard if none is free.
unsigned chooseFree(const Allocation &a, const Event &e, Surroundings around);

} // namespace lld::cuda::scoreboards

#endif
