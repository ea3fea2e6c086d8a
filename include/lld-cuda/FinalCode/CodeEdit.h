//===- CodeEdit.h - What the finalizer changes in a function ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// For sm_100 and later, nvlink makes the code anew from its Mercury form. What
/// comes out is the compiler's code but for a few things [mercury-code-edits]:
///
/// * A kernel that calls nothing loses what the compiler put there in case a
///   callee needs it. Before a fence: four loads of nothing, needed by
///   code with asynchronous copies (LDGSTS), and a MEMBAR.ALL.CTA, needed by
///   code with barrier objects (mbarrier). Before an EXIT compiled for
///   debugging: the MEMBAR of its error barrier, needed by code that writes to
///   surfaces.
///   With -g or -r all that stays.
/// * If any input was compiled for debugging, or with -g, all EXITs get an
///   error barrier: MEMBAR, ERRBAR, CGAERRBAR. The MEMBAR is left out where it
///   would be removed. Otherwise EXITs lose theirs, which -r -g has given them.
/// * Since 13.2.86 NOPs stand where threads meet again [code-nop-before-bsync],
///   [code-nop-after-break]. Code of an older ptxas gets them.
/// * sm_103 takes code for sm_100, but some of its instructions take longer
///   than the compiler counted on. There nvlink allocates scoreboards and lets
///   time pass (Fp64Schedule.h): always in code that isn't optimized. In other
///   code, unless that is asked for and known, each of these instructions is
///   waited for on the spot.
///
/// Here is what that means for the code and everything that holds offsets into
/// it. Nothing here knows about the link: bytes in, bytes out.
///
/// nvlink also chooses new scoreboards in kernels that call nothing, see
/// Rescheduler.h. The compiler's are right as well.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_FINALCODE_CODEEDIT_H
#define LLD_CUDA_FINALCODE_CODEEDIT_H

#include "lld-cuda/FinalCode/Fp64Schedule.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <vector>

namespace lld::cuda {

class Rescheduler;

/// The instructions that a function loses or gains.
class CodeEdit {
public:
  struct Change {
    uint32_t index;   ///< An instruction's, in the old code.
    uint8_t inserted; ///< How many new ones stand before it.
    bool removed;
    uint8_t nops;      ///< How many NOPs stand after it.
    uint8_t lastStall; ///< The last NOP's stall; 0: it waits for the result.
    int32_t shift;     ///< What to add to the index of all that follow it.
    bool isBarrier;    ///< What is inserted is an error barrier.
    bool isFence;      ///< A NOP stands after it, a fence or a BREAK.
    bool isSync;       ///< What is removed is a NOP after a WARPSYNC.
    bool isDelay;      ///< What is removed is a NOP before FP64 arithmetic.
    bool isSelfMove;   ///< What is removed moves a register to itself.
    /// What is removed is one with an instruction that stays: the NOP of a
    /// BSYNC or BREAK, the error barrier of an EXIT.
    bool isJoined;
  };

  bool isEmpty() const { return changes.empty() && newScheduling.empty(); }
  /// The schedule isn't the compiler's any more.
  bool hasDelays() const {
    return !newScheduling.empty() ||
           llvm::any_of(changes, [](const Change &c) { return c.nops; });
  }
  uint64_t oldSize() const { return oldBytes; }
  uint64_t newSize() const { return newBytes; }
  llvm::ArrayRef<Change> allChanges() const { return changes; }
  /// Old code without the final NOPs, in instructions.
  uint32_t usedInstructions() const { return used; }
  /// New scheduling fields (Instruction::scheduling()), by instruction; or
  /// none.
  llvm::ArrayRef<uint32_t> scheduling() const { return newScheduling; }

  /// Where the instruction at an offset stands in the new code; for a removed
  /// one, where the next one stands. The end stays the end.
  uint64_t newOffset(uint64_t oldOffset) const { return move(oldOffset, true); }
  /// Where a place is now at which execution arrives or a range begins: in
  /// front of what was inserted.
  uint64_t newStart(uint64_t oldOffset) const { return move(oldOffset, false); }

  /// Number of new instructions that `count` old ones became.
  uint32_t newCount(uint32_t firstOld, uint32_t count) const;
  /// What changes at the instruction, or null.
  const Change *changeAt(uint32_t index) const;

private:
  friend class EditPlanner;
  uint64_t move(uint64_t oldOffset, bool afterInserted) const;

  std::vector<Change> changes; ///< By index.
  std::vector<uint32_t> newScheduling;
  uint64_t oldBytes = 0, newBytes = 0;
  uint32_t used = 0;
};

/// What decides how a function is finalized.
struct FinalizerOptions {
  bool isKernel = false;
  bool keepsPlaceholders = false; ///< For a debugger or a later link.
  bool hasExitBarriers = false;   ///< EXITs get an error barrier.
  bool dropsExitBarriers = false; ///< Those of an earlier link go.
  bool isSlower = false;          ///< Compiled for sm_100, linked for sm_103.
  Fp64Rules fp64; ///< How what is slower is scheduled, but for the first of it.
  bool padsReconvergence = false; ///< NOPs stand where threads meet again.
  /// A NOP in front of a BSYNC in the input may be that one.
  bool mayBePadded = true;
  bool dropsPadding = false; ///< Those NOPs go.
  /// Instructions that jump tables lead to.
  std::vector<uint32_t> jumpTargets;
  bool clearsSerialCode = false; ///< Unoptimized code loses its scheduling.
  bool isOldest = false; ///< Mercury code of version 1.0, that of CUDA 12.
  /// Chooses schedules as nvlink does. Null: that isn't asked for.
  const Rescheduler *rescheduler = nullptr;
  /// FP64 instructions needn't be kept apart. Only with a rescheduler.
  bool dropsDelays = false;
  /// What waits for a fence of its own CTA goes, and the next instruction
  /// waits.
  bool dropsFenceWaits = false;
  /// Moves of a register to itself go where a pair is made.
  bool dropsSelfMoves = false;
};

/// Finds out what changes in `code`. `capmerc` is its .nv.capmerc.text section.
/// Errors: a size that is not that of whole instructions, a damaged capmerc
/// section, a branch out of the code that changes.
llvm::Expected<CodeEdit> planCodeEdit(llvm::ArrayRef<uint8_t> code,
                                      llvm::ArrayRef<uint8_t> capmerc,
                                      const FinalizerOptions &options);

/// Writes the new code, of edit.newSize() bytes. `code` is what the edit was
/// planned for; relocations may have patched it since.
void writeEditedCode(const CodeEdit &edit, llvm::ArrayRef<uint8_t> code,
                     uint8_t *out);

/// Rewrites the offsets in the payload of a record of .nv.info.<function>, by
/// NvInfo.def. What is cut off at its end stays as it is.
void moveInfoOffsets(const CodeEdit &edit, uint8_t code,
                     llvm::MutableArrayRef<uint8_t> payload);

/// The .nv.capmerc.text section that describes the new code. `code` is the old
/// code, `section` the old section, which relocations may have patched.
/// Fails as readCapmercText() does.
llvm::Expected<llvm::SmallVector<uint8_t, 0>>
editCapmerc(const CodeEdit &edit, llvm::ArrayRef<uint8_t> code,
            llvm::ArrayRef<uint8_t> section);

/// Rewrites words that hold offsets of the function's instructions: the jump
/// tables in its .nv.constant2. `offsets` says where the words stand: where the
/// relocations R_MERCURY_PROG_REL32 of .nv.merc.nv.constant.optimizer apply.
/// Those that don't fit into the data are passed over.
void moveJumpTable(const CodeEdit &edit, llvm::MutableArrayRef<uint8_t> data,
                   llvm::ArrayRef<uint64_t> offsets);

} // namespace lld::cuda

#endif
