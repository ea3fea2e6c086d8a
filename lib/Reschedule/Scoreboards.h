//===- Scoreboards.h - Allocation of scoreboards ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// nvlink's new allocation of scoreboards, one function for each kind of input
/// code. Reschedule.cpp and OlderCode.cpp call these functions for the
/// functions of a final link, before or after a function's edit (CodeEdit.h);
/// Fp64Schedule.cpp and AdditionSchedule.cpp use the checks among them.
/// The compiler lets every kernel of an object load the stack pointer R1 and
/// gives the load a scoreboard (ScoreboardFields.h). nvlink finds that a kernel
/// that calls nothing never uses R1, and allocates the scoreboards of the
/// kernel anew without this event (an event is a result, or a read of sources,
/// that a scoreboard signals). See docs/reference/scoreboards.md for the rules.
///
/// Most of what the allocator bases its choices on can be seen in its first
/// result, the input: which instructions have events and which ones wait for
/// them. So both allocations are replayed side by side, one with the load's
/// event and one without. Where both are in the same situation, the input tells
/// the choice. Where they aren't, the rules do, but only if they explain what
/// the input chose in its situation; otherwise the kernel isn't changed.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_LIB_RESCHEDULE_SCOREBOARDS_H
#define LLD_CUDA_LIB_RESCHEDULE_SCOREBOARDS_H

#include "lld-cuda/Sass/ScoreboardFields.h"

namespace lld::cuda {

struct JumpTable;
namespace sass {
class Operands;
} // namespace sass

/// Cycles that an instruction with an event stalls if the next one waits for
/// it.
constexpr unsigned EventStall = 2;

/// Returns whether an instruction, the first of a function, loads R1 with an
/// event. Always false for -G code, which waits at every instruction and isn't
/// changed.
bool beginsWithStackPointer(const sass::Instruction &inst);

/// Returns whether an instruction, the first of a function, is of unoptimized
/// code, in which each instruction waits for everything before it.
bool isSerial(const sass::Instruction &first);

/// The two allocators of nvlink and ptxas. Since 13.1 it is the second one,
/// which looks at what comes after a block (rule [scoreboards-beyond-blocks] of
/// docs/reference).
enum class ScoreboardAllocator : uint8_t { WithinBlocks, BeyondBlocks };

/// What came of an allocation.
enum class Rescheduling {
  NotNeeded, ///< nvlink keeps the scoreboards.
  Unknown,   ///< nvlink changes them, but to what isn't known.
  Done,
};

/// Why a kernel isn't changed: a text, which is a literal, and the index of the
/// instruction that is the cause.
struct Refusal {
  const char *cause = nullptr;
  uint32_t instruction = 0;

  /// Stores the cause unless there is one already. Returns false.
  bool set(const char *why, uint32_t at) {
    if (!cause) {
      cause = why;
      instruction = at;
    }
    return false;
  }
};

/// What the linker knows of a function besides its code. Indices are those of
/// instructions.
struct CodeFacts {
  /// Instructions that the input's scoreboards take into account, but that have
  /// been removed from the code.
  llvm::ArrayRef<uint32_t> removed;
  /// Targets of jumps through tables.
  llvm::ArrayRef<JumpTable> tables;
  /// EXITs that will get an error barrier before them, so that they issue
  /// later, when more events are complete. The load of R1 keeps its event in
  /// that case.
  llvm::ArrayRef<uint32_t> exits;
};

/// Returns whether nvlink allocates the scoreboards of a function anew. In most
/// cases the first instruction is enough to tell. `losesEvents`: an instruction
/// that is removed from the kernel sets a scoreboard.
bool needsScoreboards(llvm::ArrayRef<uint8_t> code, bool losesEvents = false);

/// Allocates the scoreboards in the code of a kernel for sm_<sm> anew. `code`
/// is changed only if the result is `Done`. If it isn't, `refusal`, unless
/// null, tells why. The other functions for allocation do the same.
Rescheduling allocateScoreboards(
    llvm::MutableArrayRef<uint8_t> code, unsigned sm,
    ScoreboardAllocator allocator = ScoreboardAllocator::WithinBlocks,
    Refusal *refusal = nullptr, const CodeFacts &facts = {});

/// Like allocateScoreboards(), for a kernel with EXITs that will get an error
/// barrier.
Rescheduling allocateAfterBarriers(
    llvm::MutableArrayRef<uint8_t> code, unsigned sm, const CodeFacts &facts,
    ScoreboardAllocator allocator = ScoreboardAllocator::WithinBlocks,
    Refusal *refusal = nullptr);

/// Like allocateScoreboards(), for any function of CUDA 12, whose compiler
/// chose by other rules if no scoreboard was free. `isFinal`: it is a link
/// without -r, in which a kernel drops its first event if it can.
Rescheduling allocateOldest(llvm::MutableArrayRef<uint8_t> code, unsigned sm,
                            ScoreboardAllocator allocator, bool isFinal);

/// In what way the compiler of older code differed from the link's release.
struct OlderCode {
  bool hasFirstAllocator = false; ///< It had ScoreboardAllocator::WithinBlocks.
  bool lacksFp64Events = false;   ///< FP64 arithmetic has only the events of
                                  ///< sm_100 [scoreboards-fp64-events].
  bool isFinal = false;           ///< A kernel drops its first event if it can.
  /// The caller sets the stalls that follow from the new scoreboards.
  bool isScheduledAnew = false;
};

/// Like allocateScoreboards(), for any function of an older compiler, with the
/// second allocator [scoreboards-older-code].
Rescheduling allocateOlder(llvm::MutableArrayRef<uint8_t> code, unsigned sm,
                           OlderCode older, Refusal *refusal = nullptr,
                           const CodeFacts &facts = {});

/// Moves waits from instructions before calls to the calls where that suffices,
/// as the second allocator does [scoreboards-waits-at-calls]. Returns whether
/// `code` was changed.
bool moveWaitsToCalls(llvm::MutableArrayRef<uint8_t> code);

/// Returns whether the scoreboards of `code` can be replaced by `fields`, one
/// for each instruction, with no instruction reading a result, or overwriting a
/// source, too early that it waits for now. Nothing may be pending at a jump
/// through a table that isn't one of `tables`. `operands` are those of `code`,
/// unless it is empty.
bool areScoreboardsSafe(llvm::ArrayRef<sass::Instruction> code,
                        llvm::ArrayRef<ScoreboardFields> fields,
                        llvm::ArrayRef<JumpTable> tables = {},
                        llvm::ArrayRef<sass::Operands> operands = {});

} // namespace lld::cuda

#endif
