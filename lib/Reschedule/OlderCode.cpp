//===- OlderCode.cpp - Renews code of older CUDA 13 compilers -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Turns a function of an older CUDA 13 compiler into what the compiler of
/// nvlink's own release would make. FunctionSchedule (Reschedule.cpp) calls
/// renewOlderCode() when a link with --reschedule finalizes a function, before
/// its edit is carried out. CodeRenewal then works in this order: sums of two
/// numbers with new scoreboards, or else new scoreboards alone, and at last
/// shorter stalls around the NOPs and moves that the edit will remove.
/// Scoreboards come first, since they decide what an instruction waits for. If
/// the sums can't be scheduled, the code is restored to what it was, and gets
/// new scoreboards alone.
///
//===----------------------------------------------------------------------===//

#include "OlderCode.h"
#include "AdditionSchedule.h"
#include "EditedCode.h"
#include "Fp64Delays.h"
#include "Scoreboards.h"

using namespace llvm;

namespace lld::cuda {

namespace {
/// Renews the code of one function.
class CodeRenewal {
public:
  CodeRenewal(const FunctionToSchedule &f, const OlderCode &what,
              std::vector<uint32_t> delays, std::vector<uint32_t> selfMoves,
              RenewedCode &code)
      : f(f), what(what), delays(std::move(delays)),
        selfMoves(std::move(selfMoves)),
        removed(findRemovedCode(f.code.edit, code.native, f.looksBeyondBlocks)
                    .indices),
        exits(findExitsWithBarriers(f.code.edit)), code(code) {}
  void run();

private:
  /// sm_120 and sm_121 have the instruction for sums of two numbers, which
  /// ptxas 13.0 doesn't use [code-additions].
  bool hasNewAdditions() const {
    return (f.sm == 120 || f.sm == 121) && f.hasTwoOperandAdditions;
  }
  void renewScoreboards();
  bool renewAdditions();
  void closeGaps();

  const FunctionToSchedule &f;
  OlderCode what;
  // Indices of instructions that the edit will remove: NOPs between FP64
  // instructions, moves of a register to itself, all (findRemovedCode()).
  std::vector<uint32_t> delays, selfMoves, removed;
  std::vector<uint32_t> exits; ///< That will get a barrier.
  RenewedCode &code;
};
} // namespace

/// Gives the code the newer compiler's scoreboards.
void CodeRenewal::renewScoreboards() {
  const bool isReplayed = !(f.code.edit && f.code.edit->hasDelays());
  code.isAllocated =
      isReplayed &&
      allocateOlder(code.native, f.sm, what, /*refusal=*/nullptr,
                    {removed, f.tables, exits}) == Rescheduling::Done;
  code.isChanged = code.isAllocated ||
                   (what.hasFirstAllocator && moveWaitsToCalls(code.native));
}

/// Gives it the newer compiler's scoreboards, and schedules it anew with the
/// instruction for sums of two numbers. Returns false if nothing has changed.
bool CodeRenewal::renewAdditions() {
  const std::vector<uint8_t> old(code.native.begin(), code.native.end());
  const std::vector<sass::Instruction> insts = readInstructions(old);
  if (insts.empty())
    return false;
  Expected<SmallVector<uint8_t, 0>> mercury =
      addAdditionRecords(old, f.code.mercury);
  if (!mercury) {
    consumeError(mercury.takeError());
    return false;
  }
  what.isScheduledAnew = true;
  renewScoreboards();
  what.isScheduledAnew = false;
  std::vector<ScoreboardFields> fields;
  for (const sass::Instruction &inst : readInstructions(code.native))
    fields.push_back(readScoreboards(inst));
  std::optional<std::vector<sass::Instruction>> renewed =
      scheduleAdditions(insts, fields);
  if (!renewed) {
    llvm::copy(old, code.native.begin());
    return false;
  }
  for (size_t i = 0; i != renewed->size(); ++i)
    (*renewed)[i].write(code.native.data() + i * sass::InstructionSize);
  code.mercury = std::move(*mercury);
  code.isChanged = true;
  return true;
}

/// What stands around delays and moves that the edit will remove comes sooner.
/// What a move waits for, the next instruction does; the replay has seen to
/// that.
void CodeRenewal::closeGaps() {
  std::vector<uint32_t> gaps = delays;
  append_range(gaps, selfMoves);
  if (gaps.empty())
    return;
  llvm::sort(gaps);
  std::vector<sass::Instruction> insts = readInstructions(code.native);
  if (!code.isAllocated)
    for (uint32_t i : selfMoves)
      insts[i + 1].addWaits(insts[i].waitMask());
  closeFp64Delays(insts, gaps, f.sm);
  for (size_t i = 0; i != insts.size(); ++i)
    insts[i].write(code.native.data() + i * sass::InstructionSize);
  code.isChanged = true;
}

void CodeRenewal::run() {
  if (!what.hasFirstAllocator || !hasNewAdditions() || !renewAdditions())
    renewScoreboards();
  closeGaps();
}

void renewOlderCode(const FunctionToSchedule &f, RenewedCode &code) {
  if (!f.looksBeyondBlocks || f.code.isOldest)
    return;
  OlderCode what;
  what.hasFirstAllocator = f.toolkit < FirstBeyondBlocks;
  what.lacksFp64Events =
      f.sm == 100 && f.hasFp64Events && f.toolkit < FirstWithFp64Events;
  what.isFinal = f.isFinal && !f.isDebugLink;
  std::vector<uint32_t> delays =
      findChanges(f.code.edit, &CodeEdit::Change::isDelay);
  std::vector<uint32_t> selfMoves =
      findChanges(f.code.edit, &CodeEdit::Change::isSelfMove);
  if (what.hasFirstAllocator || what.lacksFp64Events || !delays.empty() ||
      !selfMoves.empty())
    CodeRenewal(f, what, std::move(delays), std::move(selfMoves), code).run();
}

} // namespace lld::cuda
