//===- CodeEdit.h - The edit of a function's native code --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The plan of the changes that a link makes to a function's native code for
/// sm_100 and later (CodeEdit), and the functions that apply it to the code and
/// to all that holds offsets into the code. The linker's Finalizer.cpp plans
/// the edits of all functions in parallel after symbols are resolved and memory
/// is laid out, before debug tables are rebuilt and relocations are processed,
/// which need to know where each instruction will be. It carries the edits out
/// after that, at the end of the link. Nothing here knows about the link: bytes
/// in, bytes out.
///
/// From sm_100 on, a cubin holds its code twice: as native code, and in
/// NVIDIA's "Mercury" form, from which nvlink makes the native code anew
/// (docs/reference/mercury.md). The result is the compiler's code except for
/// these changes (rule [mercury-code-edits] of docs/reference):
///
/// * A kernel without calls loses placeholders: instructions that the compiler
///   added in case a callee needs them. They are four loads before a fence,
///   whose results nobody uses (kept if the kernel has asynchronous copies,
///   LDGSTS); a MEMBAR.ALL.CTA before a fence (kept if it has barrier objects,
///   mbarrier); and the MEMBAR in the error barrier of an EXIT compiled for
///   debugging (kept if it writes to surfaces). With -g or -r all are kept.
/// * If any input was compiled for debugging, or with -g, all EXITs get an
///   error barrier: MEMBAR, ERRBAR, CGAERRBAR. The MEMBAR is omitted where the
///   rule above would remove it. Otherwise the error barriers that an earlier
///   link with -r -g added to EXITs are removed.
/// * Since 13.2.86 there are NOPs where threads reconverge
///   [code-nop-before-bsync], [code-nop-after-break]. Code of an older ptxas
///   gets them.
/// * sm_103 can run code for sm_100, but some of its instructions take longer
///   than the compiler assumed. For these nvlink allocates scoreboards and
///   inserts delays (Fp64Schedule.h). Unoptimized code is always scheduled so.
///   Optimized code is scheduled so only if a Rescheduler is given and knows
///   what nvlink does; otherwise each of these instructions is followed by a
///   wait for its result.
///
/// nvlink also chooses new scoreboards in kernels without calls, see
/// Rescheduler.h. The compiler's scoreboards are right as well.
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

/// The instructions that are removed from a function or inserted into it. Made
/// by planCodeEdit().
class CodeEdit {
public:
  struct Change {
    uint32_t index;   ///< Index of an instruction of the old code.
    uint8_t inserted; ///< How many new instructions come before it.
    bool removed;
    uint8_t nops; ///< How many NOPs come after it.
    /// How many cycles the last NOP stalls; if 0, it waits for the result.
    uint8_t lastStall;
    int32_t shift;   ///< Added to the indices of all instructions after it.
    bool isBarrier;  ///< An error barrier is inserted.
    bool isFence;    ///< It is a fence or a BREAK, and gets a NOP after it.
    bool isSync;     ///< A NOP after a WARPSYNC is removed.
    bool isDelay;    ///< A NOP before FP64 arithmetic is removed.
    bool isSelfMove; ///< A move of a register to itself is removed.
    /// The removed instruction is an attachment of one that stays: the NOP at a
    /// BSYNC or BREAK, or part of the error barrier before an EXIT.
    bool isJoined;
  };

  bool isEmpty() const { return changes.empty() && newScheduling.empty(); }
  /// Returns whether the edit changes the compiler's schedule.
  bool hasDelays() const {
    return !newScheduling.empty() ||
           llvm::any_of(changes, [](const Change &c) { return c.nops; });
  }
  uint64_t oldSize() const { return oldBytes; }
  uint64_t newSize() const { return newBytes; }
  llvm::ArrayRef<Change> allChanges() const { return changes; }
  /// Returns the number of old instructions without the NOPs at the end.
  uint32_t usedInstructions() const { return used; }
  /// Returns the new scheduling fields (Instruction::scheduling()), indexed by
  /// old instruction; empty if they stay.
  llvm::ArrayRef<uint32_t> scheduling() const { return newScheduling; }

  /// Returns the offset in the new code of the instruction at `oldOffset`, or
  /// of the next one if it was removed. The end of the old code gives the end
  /// of the new code. Offsets are in bytes.
  uint64_t newOffset(uint64_t oldOffset) const { return move(oldOffset, true); }
  /// Returns the new offset of a branch target or of the start of a range:
  /// before the instructions that were inserted there.
  uint64_t newStart(uint64_t oldOffset) const { return move(oldOffset, false); }

  /// Returns the number of new instructions that replace `count` old ones from
  /// `firstOld` on.
  uint32_t newCount(uint32_t firstOld, uint32_t count) const;
  /// Returns the change at the instruction, or null.
  const Change *changeAt(uint32_t index) const;

private:
  friend class EditPlanner;
  uint64_t move(uint64_t oldOffset, bool afterInserted) const;

  std::vector<Change> changes; ///< Sorted by index.
  std::vector<uint32_t> newScheduling;
  uint64_t oldBytes = 0, newBytes = 0;
  uint32_t used = 0;
};

/// The facts about a function and a link that decide which changes are made.
struct FinalizerOptions {
  bool isKernel = false;
  /// Placeholders (see above) are kept, for a debugger or a later link.
  bool keepsPlaceholders = false;
  bool hasExitBarriers = false; ///< EXITs get an error barrier.
  /// Error barriers that an earlier link added are removed.
  bool dropsExitBarriers = false;
  bool isSlower = false; ///< Compiled for sm_100, linked for sm_103.
  Fp64Rules fp64;        ///< How slower code is scheduled; planCodeEdit() sets
                         ///< mayDropStackPointer.
  bool padsReconvergence = false; ///< NOPs are added where threads reconverge.
  /// A NOP before a BSYNC of the input may be such a NOP already.
  bool mayBePadded = true;
  bool dropsPadding = false; ///< Such NOPs are removed.
  /// Indices of the instructions to which jump tables lead.
  std::vector<uint32_t> jumpTargets;
  bool clearsSerialCode = false; ///< Unoptimized code loses its scheduling.
  bool isOldest = false; ///< The Mercury code has version 1.0, that of CUDA 12.
  /// Chooses schedules as nvlink does; null if that isn't requested.
  const Rescheduler *rescheduler = nullptr;
  /// NOPs that keep FP64 instructions apart are removed. Requires a
  /// rescheduler.
  bool dropsDelays = false;
  /// An instruction that waits for a fence of its own CTA is removed, and the
  /// next instruction waits.
  bool dropsFenceWaits = false;
  /// Moves of a register to itself are removed where a register pair is made.
  bool dropsSelfMoves = false;
};

/// Plans what changes in `code`, whose .nv.capmerc.text section is `capmerc`.
/// Fails if the size of the code isn't a multiple of an instruction's, the
/// capmerc section is damaged, or code that changes branches out of the
/// function. Called by several threads, one function each.
llvm::Expected<CodeEdit> planCodeEdit(llvm::ArrayRef<uint8_t> code,
                                      llvm::ArrayRef<uint8_t> capmerc,
                                      const FinalizerOptions &options);

/// Writes the new code, of edit.newSize() bytes. `code` is the code for which
/// the edit was planned; relocations may have patched it since.
void writeEditedCode(const CodeEdit &edit, llvm::ArrayRef<uint8_t> code,
                     uint8_t *out);

/// Rewrites the code offsets in the payload of a record of .nv.info.<function>,
/// as NvInfo.def says where they are. A truncated entry at the end stays
/// unchanged.
void moveInfoOffsets(const CodeEdit &edit, uint8_t code,
                     llvm::MutableArrayRef<uint8_t> payload);

/// Returns the .nv.capmerc.text section that describes the new code. `code` is
/// the old code, `section` the old section, which relocations may have patched.
/// Fails as readCapmercText() does.
llvm::Expected<llvm::SmallVector<uint8_t, 0>>
editCapmerc(const CodeEdit &edit, llvm::ArrayRef<uint8_t> code,
            llvm::ArrayRef<uint8_t> section);

/// Rewrites words that hold offsets of the function's instructions: the jump
/// tables in its .nv.constant2. `offsets` are the positions of the words: the
/// offsets of the R_MERCURY_PROG_REL32 relocations of
/// .nv.merc.nv.constant.optimizer. Words that aren't inside the data are
/// skipped.
void moveJumpTable(const CodeEdit &edit, llvm::MutableArrayRef<uint8_t> data,
                   llvm::ArrayRef<uint64_t> offsets);

} // namespace lld::cuda

#endif
