//===- ScoreboardAllocation.h - The choice of a scoreboard ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What is pending on the six scoreboards somewhere in a block, and which of
/// them the allocator chooses for the next event. Scoreboards.cpp goes through
/// the blocks of a function with it when its scoreboards are chosen anew.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_LIB_RESCHEDULE_SCOREBOARDALLOCATION_H
#define LLD_CUDA_LIB_RESCHEDULE_SCOREBOARDALLOCATION_H

#include "ScoreboardTimes.h"

namespace lld::cuda::scoreboards {

struct Event {
  uint32_t instruction;
  bool isRead;
  bool isOwn; ///< It begins in this block.
  bool isGlobalResult;
  bool isTexture;
  bool isUniformResult;
  /// The second allocator knows that a block that follows at once depends on
  /// it, see NextBlocks.
  bool isNeededNext = false;
  RunTimes consumer;
  RunTimes completion;

  Event(const sass::Operands &ops, uint32_t instruction, bool isRead,
        bool isOwn, RunTimes consumer, RunTimes completion);
  /// Nobody in the block depends on it.
  bool leaves() const { return consumer[Input] == Leaves; }
};

/// Whether the result comes from global memory.
bool isGlobalResult(const sass::Operands &ops);

/// What is pending on a scoreboard.
struct Board {
  llvm::SmallVector<uint32_t, 4> events; ///< Indices.
  int nextWait = Leaves;
  /// The next wait, without those for results of global accesses in other
  /// blocks.
  int nextJoined = Leaves;
  int done = INT_MIN; ///< When the last event is complete.
  /// When the last event is complete that somebody has waited for. A wait for
  /// what came from another block does not let the estimated time pass.
  int doneBefore = INT_MIN;
  bool hasOnlyLeavingReads = true;
  bool hasOwn = false;
  bool hasGlobal = false;
  bool hasTexture = false;
  bool hasUniform = false;
  bool hasNeededNext = false;
  uint64_t hash = 0; ///< The set of events, hashed.

  bool isFree() const { return events.empty(); }
};

/// The state of one allocation within a block.
struct Allocation {
  Run run = Input;
  Board boards[NumScoreboards];
  uint8_t avoided = 0; ///< Not for events that leave the block.

  uint8_t used() const;
  bool sameAs(const Allocation &o) const;
  void add(unsigned scoreboard, const Event &event, uint32_t index);
  void release(uint8_t waits);
};

/// What the choice depends on besides.
struct Surroundings {
  bool hasGlobals = false;       ///< Results of global accesses, anywhere.
  unsigned globalScoreboard = 5; ///< Kernel::globalScoreboard().
  /// Such a result leaves the block, or is pending when it begins.
  bool globalsLeave = false;
  bool countsFirst = false; ///< DEPBAR counts what is on scoreboard 0.
  /// The second allocator's rules, see ScoreboardAllocator.
  bool looksBeyondBlocks = false;
};

/// The rules of docs/reference/scoreboards.md, "The choice".
unsigned choose(const Allocation &a, const Event &e, const IssueTimes &times,
                Surroundings around);

/// The lowest free scoreboard for an event that leaves, if any is free.
unsigned chooseFree(const Allocation &a, const Event &e, Surroundings around);

} // namespace lld::cuda::scoreboards

#endif
