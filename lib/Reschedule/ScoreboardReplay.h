//===- ScoreboardReplay.h - Replay of nvlink's allocator --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The replay of nvlink's allocator of scoreboards (see Scoreboards.h).
/// replay() (ScoreboardEvents.h) runs one for each function whose scoreboards
/// are chosen anew. It takes the blocks in the order of ControlFlow::order and
/// the instructions of each in turn: first the waits of an instruction free
/// scoreboards, then scoreboards are chosen for its events, i.e. for a result
/// or a read of sources that comes after a variable time
/// (ScoreboardReplay.cpp). ScoreboardBlocks.cpp handles the beginnings and ends
/// of blocks, ScoreboardLoops.cpp the waits that loops add.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_LIB_RESCHEDULE_SCOREBOARDREPLAY_H
#define LLD_CUDA_LIB_RESCHEDULE_SCOREBOARDREPLAY_H

#include "NextBlocks.h"
#include "ScoreboardAllocation.h"
#include "lld-cuda/Sass/ControlFlow.h"
#include "llvm/ADT/BitVector.h"

namespace lld::cuda::scoreboards {

/// Limits that keep the time linear. A kernel beyond them is not changed.
constexpr size_t MaxBlocks = 2048, MaxPending = 256, MaxSteps = 1 << 22;

/// A loop of the control flow graph; `latch` is the block that jumps back.
struct Loop {
  uint32_t header, latch; ///< Indices of blocks.
};

/// One replay. All arguments must outlive it. `first`, which may be null, is a
/// replay of the same kernel that has succeeded without `rough`.
class Replay {
public:
  Replay(const Kernel &kernel, const ControlFlow &flow, ConsumerFinder &finder,
         const RoughLatency *rough = nullptr, const Replay *first = nullptr)
      : kernel(kernel), flow(flow), finder(finder), first(first),
        next(kernel, flow),
        times{{{kernel, rough, Input}, {kernel, rough, Output}}},
        in(flow.blocks.size()), out(flow.blocks.size()),
        pendingAfter(flow.blocks.size()), done(flow.blocks.size()),
        isHeader(flow.blocks.size()), results(kernel.fields.size()),
        forward(kernel.fields.size()), sameSituation(kernel.fields.size()),
        waitsForItsRead{llvm::BitVector(kernel.fields.size()),
                        llvm::BitVector(kernel.fields.size())} {}

  /// Returns false if the rules do not explain the input.
  bool run();
  llvm::ArrayRef<ScoreboardFields> fields() const { return looped; }
  std::vector<ScoreboardFields> takeFields() { return std::move(looped); }

  Refusal refusal; ///< Why `run` returned false.

private:
  using Masks = std::array<uint8_t, NumRuns>;

  /// What a later replay, with a rough latency, needs to know of a block.
  struct BlockFacts {
    Consumers consumers;
    Masks avoided = {};
    bool hasRoughLatency = false; ///< Of an instruction of its own.
    /// IssueTimes::workDone() before and after it.
    std::array<size_t, NumRuns> workBefore = {}, workAfter = {};
  };

  void findLoops();
  bool endsCollective(uint32_t from, uint32_t to) const;
  void collectPending(uint32_t block);
  void setAvoided(uint32_t block);
  bool hasSamePending(uint32_t block, bool comparesTimes) const;
  bool isAsInFirst(uint32_t block) const;
  void copyFromFirst(uint32_t block);
  bool findConsumers(uint32_t block);
  void startAllocations(uint32_t block);
  void enterBlock();
  bool runInstructions();
  bool runBlock(uint32_t block);
  bool runInstruction(uint32_t j, bool isLastOfMany);
  uint8_t freedByCollective(Run run) const;
  uint8_t predictWaits(const Allocation &a, int j,
                       const sass::Operands &ops) const;
  bool isWaitedForAt(int nextWait, int j) const;
  RunTimes waitFor(uint32_t i, bool isRead, bool isOwn, int consumer) const;
  bool allocate(uint32_t j, bool isRead, bool isSame);
  void share(Run run, unsigned scoreboard);
  void learnAtEnd(int time, uint8_t waits, uint8_t ignored);
  bool waitAtEnd(uint32_t j, const uint8_t first[NumRuns], bool isSame);
  bool isOverAtEnd(Run run, unsigned scoreboard, int time) const;
  bool haveSameTimesAtEnd() const;
  RunTimes completionAfter(const Event &e) const;
  bool handOn(uint32_t block);
  bool isPendingAtJump(const BasicBlock &bb) const;
  bool waitInLoops();
  bool wasPending(uint32_t header, unsigned s, Run run,
                  llvm::ArrayRef<const Pending *> open) const;
  bool waitInLoop(const Loop &loop, Run run, size_t &budget);

  bool refuse(const char *cause, uint32_t instruction) {
    return refusal.set(cause, instruction);
  }
  unsigned chooseFor(const Allocation &a, const Event &e) const;
  unsigned chooseByTimes(const Event &e, unsigned given) const;
  bool isChosenAnew(const Event &e) const;
  unsigned chooseLikeInput(const Event &e, unsigned given) const;

  const Kernel &kernel;
  const ControlFlow &flow;
  ConsumerFinder &finder;
  const Replay *first;
  NextBlocks next;
  std::array<IssueTimes, NumRuns> times;

  // Indexed by block.
  std::vector<std::vector<Pending>> in, out; ///< What is pending at its ends.
  /// The scoreboards, as masks, on which something is pending after the block.
  std::vector<Masks> pendingAfter;
  std::vector<bool> done, isHeader;
  std::vector<BlockFacts> blockFacts; ///< Empty if no replay comes after it.
  std::vector<Loop> loops;
  size_t steps = 0;

  // Indexed by instruction.
  /// The output's fields; and those that the rules give the input.
  std::vector<ScoreboardFields> results, forward;
  /// The same with the waits that loops add. Those of the input are compared
  /// with its own in the end.
  std::vector<ScoreboardFields> looped, loopedForward;
  /// Whether both allocations were in the same state before the instruction.
  llvm::BitVector sameSituation;
  /// Whether the instruction waits, because of a loop, only for a read event of
  /// its own.
  llvm::BitVector waitsForItsRead[NumRuns];

  // The current block.
  uint32_t block = 0, begin = 0, end = 0;
  bool endsInExit = false, beginsLoop = false, entersLoop = false;
  Surroundings around;
  std::vector<Pending> pending;
  const Consumers *consumers = nullptr;
  Consumers ownConsumers;
  std::vector<Event> events;
  Allocation runs[NumRuns];
};

} // namespace lld::cuda::scoreboards

#endif
