//===- Reschedule.cpp - Schedules a function as nvlink does ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Decides which of nvlink's schedules a function of sm_100 or later gets, with
/// --reschedule or --nvlink-compat. The linker's Finalizer.cpp gets the one
/// Rescheduler from getRescheduler() and calls its finalize() for each function
/// at the end of a link, in place of finalizeFunction(), which it calls in turn
/// to carry out the function's edit. Scoreboards depend on what the compiler's
/// code was. So they are allocated before the edit if it removes instructions
/// that the allocator takes into account, or puts barriers before EXITs, and
/// otherwise after the edit.
///
//===----------------------------------------------------------------------===//

#include "lld-cuda/Reschedule/Reschedule.h"
#include "EditedCode.h"
#include "Fp64Delays.h"
#include "Fp64Schedule.h"
#include "OlderCode.h"
#include "Scoreboards.h"

using namespace llvm;

namespace lld::cuda {

namespace {

class FunctionSchedule {
public:
  explicit FunctionSchedule(const FunctionToSchedule &f)
      : f(f), edit(f.code.edit), native(f.code.native.vec()),
        allocator(f.looksBeyondBlocks ? ScoreboardAllocator::BeyondBlocks
                                      : ScoreboardAllocator::WithinBlocks) {}
  Error finalize(AllocateBytes allocate, FinalCode &out);

private:
  bool hasDelays() const { return edit && edit->hasDelays(); }
  /// Kernels get new scoreboards in a last link.
  bool isLastKernel() const { return f.isFinal && f.isKernel && !hasDelays(); }
  bool allocateForBarriers();
  bool allocateBeforeEdit();
  bool allocateAfterEdit(MutableArrayRef<uint8_t> edited) const;

  const FunctionToSchedule &f;
  const CodeEdit *edit;
  std::vector<uint8_t> native; ///< Before the edit.
  const ScoreboardAllocator allocator;
  bool neededBefore = false; ///< What the edit needs is allocated before it.
};

/// Whether the edit removes instructions.
bool removesCode(const CodeEdit *edit) {
  return edit && any_of(edit->allChanges(), [](const CodeEdit::Change &c) {
           return c.removed != 0;
         });
}

} // namespace

/// nvlink allocates the scoreboards of kernels that get error barriers anew,
/// with -g all, without it those that allocateBeforeEdit() leaves alone.
bool FunctionSchedule::allocateForBarriers() {
  if (!isLastKernel() || (!f.isDebugLink && needsScoreboards(native)))
    return false;
  const std::vector<uint32_t> exits = findExitsWithBarriers(edit);
  return !exits.empty() &&
         allocateAfterBarriers(native, f.sm, {{}, f.tables, exits},
                               allocator) == Rescheduling::Done;
}

/// nvlink allocates the scoreboards of kernels that call nothing anew. With -g
/// it does something else, see allocateForBarriers().
bool FunctionSchedule::allocateBeforeEdit() {
  if (!isLastKernel() || f.isDebugLink)
    return false;
  const RemovedCode gone = findRemovedCode(edit, native, f.looksBeyondBlocks);
  std::vector<uint32_t> exits;
  if (!removesCode(edit))
    exits = findExitsWithBarriers(edit);
  neededBefore = !gone.indices.empty() || !exits.empty();
  return neededBefore && needsScoreboards(native, gone.hasEvents) &&
         allocateScoreboards(native, f.sm, allocator, /*refusal=*/nullptr,
                             {gone.indices, f.tables, exits}) ==
             Rescheduling::Done;
}

bool FunctionSchedule::allocateAfterEdit(
    MutableArrayRef<uint8_t> edited) const {
  if (!isLastKernel() || f.isDebugLink || neededBefore ||
      !needsScoreboards(edited))
    return false;
  const std::vector<JumpTable> tables = moveJumpTables(edit, f.tables);
  return allocateScoreboards(edited, f.sm, allocator, /*refusal=*/nullptr,
                             {{}, tables, {}}) == Rescheduling::Done;
}

Error FunctionSchedule::finalize(AllocateBytes allocate, FinalCode &out) {
  RenewedCode renewed = {native};
  renewOlderCode(f, renewed);
  bool isChanged = renewed.isChanged;
  if (!renewed.isAllocated)
    isChanged |= allocateForBarriers();
  isChanged |= allocateBeforeEdit();

  FunctionCode code = f.code;
  code.native = native;
  if (!renewed.mercury.empty())
    code.mercury = renewed.mercury;
  if (Error e = finalizeFunction(code, allocate, out))
    return e;

  MutableArrayRef<uint8_t> last = out.native;
  if (last.empty())
    last = native;
  if (f.code.isOldest && !f.isDebugLink)
    allocateOldest(last, f.sm, allocator, f.isFinal);
  isChanged |= allocateAfterEdit(last);
  if (out.native.empty() && isChanged)
    out.native = copyBytes(native, allocate);
  if (out.mercury.empty() && !renewed.mercury.empty())
    out.mercury = copyBytes(renewed.mercury, allocate);
  return Error::success();
}

namespace {

class NvlinksSchedules final : public Rescheduler {
public:
  std::optional<Fp64Schedule>
  scheduleFp64(ArrayRef<uint8_t> code, const Fp64Rules &rules) const override {
    return scheduleFp64Code(code, rules);
  }
  std::vector<uint32_t>
  findFp64Delays(ArrayRef<sass::Instruction> code) const override {
    return cuda::findFp64Delays(code);
  }
  Error finalize(const FunctionToSchedule &f, AllocateBytes allocate,
                 FinalCode &out) const override {
    return FunctionSchedule(f).finalize(allocate, out);
  }
};

} // namespace

const Rescheduler *getRescheduler() {
  static constexpr NvlinksSchedules schedules;
  return &schedules;
}

} // namespace lld::cuda
