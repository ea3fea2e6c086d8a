//===- Scoreboards.h - New scoreboards for kernels --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The compiler lets every kernel of an object load the stack pointer R1 and
/// gives the load a scoreboard (ScoreboardFields.h). nvlink finds that a kernel
/// that calls nothing never uses R1, and allocates the scoreboards of the
/// kernel anew without this event. See docs/reference/scoreboards.md for the
/// rules.
///
/// Most of what the allocator bases its choices on can be seen in its first
/// result, the input: which instructions have events and who waits for them.
/// So both allocations are replayed side by side, one with the load's event and
/// one without. Where both stand in the same situation, the input tells the
/// choice. Where they don't, the rules do, and only if they explain what the
/// input chose in its situation; else the kernel stays as it is.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_LIB_RESCHEDULE_SCOREBOARDS_H
#define LLD_CUDA_LIB_RESCHEDULE_SCOREBOARDS_H

#include "lld-cuda/Sass/ScoreboardFields.h"

namespace lld::cuda {

struct JumpTable;

/// Cycles that an instruction with an event stalls if the next one waits for
/// it.
constexpr unsigned EventStall = 2;

/// Whether an instruction, the first one, loads R1, with an event. -G code
/// waits at every instruction, also there, and stays as it is.
bool beginsWithStackPointer(const sass::Instruction &inst);

/// Whether an instruction, the first one, is of unoptimized code: each one
/// waits for everything.
bool isSerial(const sass::Instruction &first);

/// The allocator is another one from nvlink and ptxas 13.1 on: it looks at what
/// comes after a block [scoreboards-beyond-blocks].
enum class ScoreboardAllocator : uint8_t { WithinBlocks, BeyondBlocks };

enum class Rescheduling {
  NotNeeded, ///< nvlink keeps the scoreboards.
  Unknown,   ///< It does not, but what it writes can't be told.
  Done,
};

/// Why a kernel stays as it is.
struct Refusal {
  const char *cause = nullptr;
  uint32_t instruction = 0;

  /// Keeps the first cause; returns false.
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
  /// Have been allocated for, but are removed from the code now.
  llvm::ArrayRef<uint32_t> removed;
  /// Where jumps through tables go.
  llvm::ArrayRef<JumpTable> tables;
  /// EXITs that will get an error barrier: they come later, when more is
  /// complete. The load of R1 keeps its event then.
  llvm::ArrayRef<uint32_t> exits;
};

/// Whether nvlink allocates the scoreboards of a kernel anew; `code` may belong
/// to any function. Looks at the first instruction first, which tells for most.
/// `losesEvents`: what is removed from the kernel has some.
bool needsScoreboards(llvm::ArrayRef<uint8_t> code, bool losesEvents = false);

/// Allocates the scoreboards in the code of a kernel for sm_<sm> anew. Nothing
/// is changed unless the result is `Done`.
Rescheduling allocateScoreboards(
    llvm::MutableArrayRef<uint8_t> code, unsigned sm,
    ScoreboardAllocator allocator = ScoreboardAllocator::WithinBlocks,
    Refusal *refusal = nullptr, const CodeFacts &facts = {});

/// Allocates scoreboards of a kernel with EXITs that will get an error barrier.
Rescheduling allocateAfterBarriers(
    llvm::MutableArrayRef<uint8_t> code, unsigned sm, const CodeFacts &facts,
    ScoreboardAllocator allocator = ScoreboardAllocator::WithinBlocks,
    Refusal *refusal = nullptr);

/// Allocates scoreboards of any function of CUDA 12, whose compiler chose by
/// other rules where no scoreboard was free. `isFinal`: without -r a kernel
/// drops its first event, if it can.
Rescheduling allocateOldest(llvm::MutableArrayRef<uint8_t> code, unsigned sm,
                            ScoreboardAllocator allocator, bool isFinal);

/// What an older compiler did in another way.
struct OlderCode {
  bool hasFirstAllocator = false; ///< ScoreboardAllocator::WithinBlocks.
  bool lacksFp64Events = false;   ///< Only sm_100's [scoreboards-fp64-events].
  bool isFinal = false; ///< A kernel drops its first event, if it can.
  /// What follows for stalls is left to a scheduler.
  bool isScheduledAnew = false;
};

/// Allocates scoreboards of any function of an older compiler, by the second
/// allocator [scoreboards-older-code].
Rescheduling allocateOlder(llvm::MutableArrayRef<uint8_t> code, unsigned sm,
                           OlderCode older, Refusal *refusal = nullptr,
                           const CodeFacts &facts = {});

/// Leaves to calls what the instructions before them need not wait for, as the
/// second allocator does. Returns whether something has changed
/// [scoreboards-waits-at-calls].
bool moveWaitsToCalls(llvm::MutableArrayRef<uint8_t> code);

/// Whether no instruction of `code` may run ahead of a result, or overwrite a
/// source, that it waited for with the scoreboards that stand in the code
/// now if they are replaced by `fields`, one for each instruction. Nothing may
/// be pending at a jump through a table that isn't one of `tables`.
bool areScoreboardsSafe(llvm::ArrayRef<sass::Instruction> code,
                        llvm::ArrayRef<ScoreboardFields> fields,
                        llvm::ArrayRef<JumpTable> tables = {});

} // namespace lld::cuda

#endif
