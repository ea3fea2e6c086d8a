//===- ScoreboardEvents.h - Dependences in a basic block --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Dependences within a basic block: the events of its instructions (an event
/// is a result, or a read of sources, that comes after a variable time) and the
/// first instruction that depends on each. Which instructions have events can
/// be seen in the input; which ones depend on them is found by their registers,
/// and corrected by what the input waits for (rule [scoreboards-dependences] of
/// docs/reference).
/// Scoreboards.cpp and Fp64Schedule.cpp make a Kernel of each function whose
/// scoreboards are chosen anew, in links with --reschedule, and call replay(),
/// which finds the dependences of each block in turn.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_LIB_RESCHEDULE_SCOREBOARDEVENTS_H
#define LLD_CUDA_LIB_RESCHEDULE_SCOREBOARDEVENTS_H

#include "Scoreboards.h"
#include "lld-cuda/Sass/Operands.h"
#include <array>
#include <climits>
#include <optional>
#include <vector>

namespace lld::cuda {
class ControlFlow;
struct JumpTable;
} // namespace lld::cuda

namespace lld::cuda::scoreboards {

/// A consumer is the index of an instruction in the block, or one of these.
constexpr int Nobody = -1;
constexpr int Leaves = INT_MAX; ///< No instruction of this block consumes it.

/// The two allocations that are replayed side by side.
enum Run : unsigned { Input, Output, NumRuns };

/// Cycles that the first MEMBAR of a pair stalls if it has a read event.
constexpr unsigned FenceStall = 6;

/// Before this architecture, FP64 operations take a fixed time.
constexpr unsigned FirstWithSlowFP64 = 103;

/// Cycles between two instructions for the FP64 unit of sm_103.
constexpr unsigned SlowUnitTime = 64;

using RunTimes = std::array<int, NumRuns>;

/// An event that is pending where a block begins.
struct Pending {
  uint32_t instruction;
  bool isRead;
  uint8_t scoreboard[NumRuns]; ///< NoScoreboard if not pending in that run.
  RunTimes completion;         ///< In cycles from the begin of the block.
};

/// The decoded instructions of a function, with what is to be done with them.
/// Members that are "indexed by instruction" are empty if no instruction has
/// the property.
struct Kernel {
  Kernel(llvm::ArrayRef<sass::Instruction> code, unsigned sm);

  std::vector<sass::Operands> operands;
  std::vector<ScoreboardFields> fields;
  std::vector<uint8_t> stalls;
  unsigned sm;
  bool isKnown = true; ///< Whether all instructions are known.
  /// Whether some result is of a texture [scoreboards-textures].
  bool hasTextures = false;
  uint32_t firstUnknown = 0;
  /// Whether the first instruction loads R1, and has an event in the input
  /// only.
  bool dropsFirstEvent = false;
  /// Whether the input's compiler is one of CUDA 12, whose allocator chose by
  /// other rules if no scoreboard was free.
  bool isOldest = false;
  /// Whether the second allocator's rules apply, see ScoreboardAllocator.
  bool looksBeyondBlocks = false;
  /// Whether the input's compiler had the first allocator nevertheless.
  bool wasWithinBlocks = false;
  /// Indexed by instruction: whether it takes a variable time in the output
  /// only, so that it has events that the input doesn't show.
  std::vector<bool> becomesSlow;
  /// Whether FP64 arithmetic has events in the input, too, but those of sm_100,
  /// where it completes in any order, while the output is for sm_103.
  bool wasUnordered = false;
  /// Indexed by instruction: whether it is the first MEMBAR of a pair, with a
  /// read event in the output only, for which the second one waits
  /// [scoreboards-older-fences].
  std::vector<bool> getsFenceEvents;
  /// Indexed by instruction: whether an error barrier is inserted before it, in
  /// the output only.
  std::vector<bool> getsBarriers;
  /// Indexed by instruction, for EXITs with a guard and a second condition that
  /// get an error barrier: the predicate that guards the EXIT and the barrier.
  /// 0 for other instructions.
  std::vector<uint16_t> barrierGuards;
  /// Indexed by instruction: whether a unit executes it that is slow in the
  /// output only.
  std::vector<bool> usesSlowUnit;
  /// Indexed by instruction: whether it is in the input only.
  std::vector<bool> isRemoved;
  /// The targets of jumps through tables, as far as known. Owned by the caller.
  llvm::ArrayRef<JumpTable> tables;

  bool looksBeyond(Run run) const {
    return looksBeyondBlocks && !(wasWithinBlocks && run == Input);
  }
  /// Returns whether an instruction after the first one, which loads R1, uses
  /// it.
  bool usesStackPointer() const;
  bool hasResultEvent(uint32_t i) const;
  bool hasReadEvent(uint32_t i) const;
  bool isSlowInOutput(uint32_t i) const {
    return !becomesSlow.empty() && becomesSlow[i];
  }
  bool hasUnorderedFP64() const {
    return sm < FirstWithSlowFP64 || wasUnordered;
  }
  bool getsFenceEvent(uint32_t i) const {
    return !getsFenceEvents.empty() && getsFenceEvents[i];
  }
  bool getsBarrier(uint32_t i) const {
    return !getsBarriers.empty() && getsBarriers[i];
  }
  /// Returns whether an EXIT's waits are divided: its barrier waits for its
  /// guard, the EXIT after it for the rest.
  bool waitsTwice(uint32_t exit) const {
    return !barrierGuards.empty() && barrierGuards[exit];
  }
  /// Returns whether the barrier before the EXIT waits for a result of `from`.
  bool isForBarrier(uint32_t exit, uint32_t from) const {
    return operands[from].writes(barrierGuards[exit]);
  }
  bool isForSlowUnit(uint32_t i) const {
    return !usesSlowUnit.empty() && usesSlowUnit[i];
  }
  /// Returns whether an instruction needs its operands uniform. The second
  /// allocator counts jumps through tables and WARPSYNCs without a target, too.
  bool needsUniform(const sass::Operands &ops) const {
    return ops.needsUniform() ||
           (looksBeyondBlocks &&
            (ops.operation == sass::OpBRX ||
             (ops.operation == sass::OpWARPSYNC && !ops.isCollective)));
  }
  /// Returns whether an instruction, the CCTL after a fence, waits for all
  /// scoreboards. That wait is added after the allocation.
  bool waitsForFence(uint32_t i) const {
    return fields[i].waits == AllScoreboards && !operands[i].isCollective &&
           operands[i].resultClass != sass::ResultClass::Fixed;
  }
  /// Returns the scoreboard of results of global memory accesses that leave
  /// their block.
  unsigned globalScoreboard() const { return hasTextures ? 4 : 5; }
  /// Returns whether all instructions are the same in the output, with the same
  /// events, but for the scoreboards and the load of R1.
  bool isSameInOutput() const {
    return becomesSlow.empty() && getsFenceEvents.empty() &&
           getsBarriers.empty() && usesSlowUnit.empty() && isRemoved.empty() &&
           !wasUnordered;
  }
  bool removes(uint32_t i) const { return !isRemoved.empty() && isRemoved[i]; }
  /// Returns whether an event of the input isn't one in the output.
  bool dropsEvent(uint32_t i, bool isRead) const {
    return (dropsFirstEvent && i == 0 && !isRead) || removes(i);
  }
  bool usesScoreboard(uint32_t i, unsigned scoreboard) const {
    return fields[i].write == scoreboard || fields[i].read == scoreboard;
  }
};

/// The first instruction that depends on each event of a block. `pending` is
/// indexed like the block's pending events; the other members are indexed by
/// instruction of the block.
struct Consumers {
  llvm::SmallVector<int, 16> pending;
  llvm::SmallVector<int, 32> result, read;
  /// Whether the result needs an event in the output only.
  std::vector<bool> isNewResult;
  /// Set if FP64 arithmetic was unordered: whether the event is in the input
  /// only, since that of a later instruction implies it in the output.
  std::vector<bool> dropsResult, dropsRead;
  /// Consumers of `read` in the output; empty if they are those of the input.
  llvm::SmallVector<int, 32> readInOutput;
  /// Whether the result is overwritten in the block and never read.
  std::vector<bool> isUnused;
  /// Masks of scoreboards that a loop's header waits for because of its loop.
  llvm::SmallVector<uint8_t, 32> loopWaits;
};

/// A list of nodes for each register, for the few registers that have any.
class RegisterLists {
public:
  using NodeList = llvm::SmallVector<int, 2>;

  llvm::ArrayRef<int> operator[](unsigned reg) const {
    return slots[reg] ? llvm::ArrayRef<int>(lists[slots[reg] - 1])
                      : llvm::ArrayRef<int>();
  }
  NodeList &listOf(unsigned reg) {
    if (!slots[reg]) {
      lists.emplace_back();
      registers.push_back(reg);
      slots[reg] = lists.size();
    }
    return lists[slots[reg] - 1];
  }
  /// Empties the list of one register.
  void clear(unsigned reg) {
    if (slots[reg])
      lists[slots[reg] - 1].clear();
  }
  /// Empties all lists.
  void clear() {
    for (uint16_t reg : registers)
      slots[reg] = 0;
    registers.clear();
    lists.clear();
  }

private:
  /// By register: 1 + the index of its list, or 0.
  uint16_t slots[sass::NumRegisters] = {};
  llvm::SmallVector<NodeList, 0> lists;
  llvm::SmallVector<uint16_t, 0> registers; ///< That have a list.
};

/// Finds the consumers of a block's events. One object serves all blocks of a
/// kernel, which must outlive it; it keeps its tables' memory.
class ConsumerFinder {
public:
  explicit ConsumerFinder(const Kernel &kernel) : kernel(kernel) {}

  /// Finds the consumers of the events of the instructions from `begin` to
  /// `end` and of `pending`. Returns false if the block is too large, or if the
  /// input can be explained in several ways. `isHeader`: it is a loop's header.
  /// `endsInExit`: no result is needed after the block.
  bool find(uint32_t begin, uint32_t end, bool isHeader, bool endsInExit,
            llvm::ArrayRef<Pending> pending, Consumers &out);

private:
  bool isPending(int n) const { return n < int(pending.size()); }
  uint32_t instructionAt(int n) const {
    return isPending(n) ? pending[n].instruction
                        : begin + uint32_t(n - int(pending.size()));
  }
  const sass::Operands &operandsAt(int n) const {
    return kernel.operands[instructionAt(n)];
  }
  sass::ResultClass classAt(int n) const { return operandsAt(n).resultClass; }
  unsigned resultPipeAt(int n) const {
    const sass::ResultPipe pipe = operandsAt(n).info().resultPipe;
    return pipe == sass::ResultPipe::FP64 && kernel.hasUnorderedFP64()
               ? unsigned(sass::ResultPipe::None)
               : unsigned(pipe);
  }
  unsigned readPipeAt(int n) const {
    const sass::ReadPipe pipe = operandsAt(n).info().readPipe;
    return pipe == sass::ReadPipe::FP64 && kernel.hasUnorderedFP64()
               ? unsigned(sass::ReadPipe::None)
               : unsigned(pipe);
  }
  int &resultConsumer(int n) {
    return isPending(n) ? out->pending[n] : out->result[n - pending.size()];
  }
  int &readConsumer(int n) {
    return isPending(n) ? out->pending[n] : out->read[n - pending.size()];
  }
  void consume(int &consumer, int node) {
    if (consumer == Nobody)
      consumer = node - int(pending.size());
  }
  void addWriter(unsigned reg, int node, bool replaces);
  void addReaders(int node);
  void addCandidate(int node, bool isUse);
  void visit(int node);
  void useReadResults(int node);
  void endReads(int node);
  void endResults(int node);
  void waitAtBarrier();
  void correctByInput();
  void correctAt(uint32_t index, unsigned scoreboard, bool waitsForAll);
  void completeNewEvent(uint32_t index);
  void putFP64InOrder();
  bool needsNewEvent(int from, int node) const;
  void clear();

  struct Entry {
    int node;
    bool isRead;
  };
  /// Returns whether an entry is the load of R1, which is the stack pointer.
  bool isStackPointer(Entry e) const {
    return instructionAt(e.node) == 0 && !e.isRead;
  }
  bool isLoopWait(uint32_t index, unsigned scoreboard,
                  llvm::ArrayRef<Entry> entries) const;
  bool isUnclearAtHeader(uint32_t index, unsigned scoreboard,
                         llvm::ArrayRef<Entry> entries) const;
  int findDependent(uint32_t index, Entry e) const;
  bool isForFence(uint32_t index) const;
  int findFence(uint32_t index);
  const Kernel &kernel;
  uint32_t begin = 0, end = 0;
  bool isHeader = false, endsInExit = false;
  llvm::ArrayRef<Pending> pending;
  Consumers *out = nullptr;
  RegisterLists writers, readers;
  llvm::SmallVector<int, 2> withReadResult;
  /// Indexed by node: whether its result is read, and whether a wait for a
  /// later node covers it.
  std::vector<bool> resultIsRead, isCovered;
  int lastResult[sass::NumResultPipes], lastRead[sass::NumReadPipes];
  llvm::SmallVector<std::pair<int, bool>, 8> candidates;
  llvm::SmallVector<Entry, 8> onScoreboard[6];
  int nextFence = Nobody; ///< The fence found last.
  bool isUnclear = false;
};

/// Returns which instructions get events for a fence: the value of
/// Kernel::getsFenceEvents.
std::vector<bool> findFenceEvents(llvm::ArrayRef<sass::Instruction> insts,
                                  const Kernel &kernel);

/// Allocates the scoreboards of a kernel as nvlink does. Returns nullopt, with
/// the reason in `refusal`, if the rules don't explain the allocation of the
/// input. ScoreboardReplay.cpp.
std::optional<std::vector<ScoreboardFields>>
replay(const Kernel &kernel, const ControlFlow &flow, Refusal &refusal);

/// Returns whether `inst` depends on the result of `source` or, with `isRead`,
/// on `source` having read its sources.
bool dependsOn(const sass::Operands &inst, const sass::Operands &source,
               bool isRead);

} // namespace lld::cuda::scoreboards

#endif
