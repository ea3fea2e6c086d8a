//===- CodeEdit.cpp - Plans and writes a function's code edits ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Inserts and removes instructions in native code of sm_100 and later, as
/// nvlink's finalizer does [mercury-code-edits], at two times of a link.
/// EditPlanner finds out what a function loses and gains, before relocations
/// are processed (planCodeEdits() of the linker's Finalizer.cpp calls
/// planCodeEdit()). CodeWriter writes the new code after they have been applied
/// (finalizeFunction() calls writeEditedCode()).
///
/// An edit is a list of changes in the order of the instructions. Each change
/// holds the sum of all shifts so far, so that a binary search translates an
/// offset: if instruction 4 is removed and nothing else changes, offset 0x50
/// becomes 0x40. CodeWriter translates the targets of branches in the same way.
/// The new code ends with at least eight NOPs and has a multiple of eight
/// instructions.
///
//===----------------------------------------------------------------------===//

#include "lld-cuda/FinalCode/CodeEdit.h"
#include "Damaged.h"
#include "ExitBarriers.h"
#include "ExitStalls.h"
#include "OldestChanges.h"
#include "PredicateScoreboards.h"
#include "Reconvergence.h"
#include "RemovedEvents.h"
#include "SelfMoves.h"
#include "SerialCode.h"
#include "lld-cuda/FinalCode/Rescheduler.h"
#include "lld-cuda/Object/Mercury.h"
#include "lld-cuda/Sass/Operands.h"
#include "lld-cuda/Sass/ScoreboardFields.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"
#include <utility>

using namespace llvm;
using namespace lld::cuda::sass;

namespace lld::cuda {

static Instruction instructionAt(ArrayRef<uint8_t> code, uint32_t index) {
  return Instruction::read(code.data() + uint64_t(index) * InstructionSize);
}

uint64_t CodeEdit::move(uint64_t oldOffset, bool afterInserted) const {
  if (oldOffset >= oldBytes)
    return oldOffset == oldBytes ? newBytes : oldOffset;
  uint32_t index = oldOffset / InstructionSize;
  // The last change before the instruction.
  auto next = partition_point(
      changes, [&](const Change &change) { return change.index < index; });
  int64_t shift = next == changes.begin() ? 0 : std::prev(next)->shift;
  if (next != changes.end() && next->index == index && next->isSync)
    --index, oldOffset -= InstructionSize; // The instruction before it.
  if (afterInserted && next != changes.end() && next->index == index)
    shift += next->inserted;
  uint64_t moved = oldOffset + shift * int64_t(InstructionSize);
  return index >= used ? std::min(moved, newBytes) : moved;
}

const CodeEdit::Change *CodeEdit::changeAt(uint32_t index) const {
  auto it = partition_point(
      changes, [&](const Change &change) { return change.index < index; });
  return it != changes.end() && it->index == index ? &*it : nullptr;
}

uint32_t CodeEdit::newCount(uint32_t firstOld, uint32_t count) const {
  return (newStart(uint64_t(firstOld + count) * InstructionSize) -
          newStart(uint64_t(firstOld) * InstructionSize)) /
         InstructionSize;
}

/// Collects the changes of one function.
class EditPlanner {
public:
  EditPlanner(ArrayRef<uint8_t> code) : code(code) {
    edit.oldBytes = edit.newBytes = code.size();
  }

  Error plan(ArrayRef<uint8_t> capmerc, const FinalizerOptions &options);
  CodeEdit take() { return std::move(edit); }

private:
  uint32_t count() const { return code.size() / InstructionSize; }
  Instruction at(uint32_t i) const { return instructionAt(code, i); }
  Error findTrimmed(ArrayRef<uint8_t> capmerc);
  bool isRemoved(uint32_t i) const;
  void findFenceWaits();
  unsigned missingBarrier(uint32_t exit) const;
  void add(uint32_t index, unsigned inserted, bool removed, unsigned nops,
           unsigned lastStall = 0);
  void addNopAfter(uint32_t index);
  bool isSlowAnywhere() const;
  void findChanges(const FinalizerOptions &options, bool waits);
  bool schedule(const FinalizerOptions &options);
  void setSize();
  Error checkBranches() const;

  ArrayRef<uint8_t> code;
  CodeEdit edit;
  bool trimsLoads = false, trimsCTAFences = false, trimsExitFences = false;
  std::vector<uint32_t> fences; ///< That get a NOP.
  std::vector<uint32_t> syncs;  ///< NOPs after a WARPSYNC, which go.
  std::vector<uint32_t> delays; ///< NOPs before FP64 instructions, which go.
  std::vector<uint32_t> moves;  ///< Moves of a register to itself, which go.
  std::vector<uint32_t> waits;  ///< For a fence, which go.
  std::vector<uint32_t> joined; ///< With what stays (Change::isJoined).
  MissingNops missing;          ///< Where threads meet again.
};

void EditPlanner::add(uint32_t index, unsigned inserted, bool removed,
                      unsigned nops, unsigned lastStall) {
  int32_t shift = edit.changes.empty() ? 0 : edit.changes.back().shift;
  shift += int32_t(inserted) - int32_t(removed) + int32_t(nops);
  edit.changes.push_back({index, uint8_t(inserted), removed, uint8_t(nops),
                          uint8_t(lastStall), shift,
                          inserted && at(index).isExit(), false,
                          removed && llvm::binary_search(syncs, index),
                          removed && llvm::binary_search(delays, index),
                          removed && llvm::binary_search(moves, index),
                          removed && llvm::binary_search(joined, index)});
}

/// A NOP after a fence, which waits for everything, or after a BREAK.
void EditPlanner::addNopAfter(uint32_t index) {
  const int32_t shift = edit.changes.empty() ? 0 : edit.changes.back().shift;
  edit.changes.push_back({index, 0, false, 0, 0, shift + 1, false, true, false,
                          false, false, false});
}

/// Whether the code uses barrier objects. Its instructions don't always show
/// it: some operations on barrier objects are plain arithmetic. The records of
/// their Mercury form all are of one class (their second byte).
static bool usesBarrierObjects(const CapmercText &text,
                               ArrayRef<uint8_t> capmerc) {
  return any_of(text.entries, [&](const CapmercEntry &entry) {
    return entry.isOf(CapmercBarrierObject, capmerc);
  });
}

/// Finds out what of the placeholders this code needs. Most kernels have none,
/// and need no second look.
Error EditPlanner::findTrimmed(ArrayRef<uint8_t> capmerc) {
  bool hasAsyncCopies = false, hasPlaceholders = false, writesSurfaces = false;
  for (uint32_t i = 0; i < edit.used; ++i) {
    Instruction inst = at(i);
    if (inst.isCall())
      return Error::success();
    hasAsyncCopies |= inst.operation() == OpLDGSTS;
    hasPlaceholders |= inst.isFencePlaceholder() || inst.isMembar();
    writesSurfaces |= inst.writesSurface();
  }
  trimsExitFences = !writesSurfaces;
  if (!hasPlaceholders)
    return Error::success();
  Expected<CapmercText> text = readCapmercText(capmerc, code.size());
  if (!text)
    return text.takeError();
  trimsLoads = !hasAsyncCopies;
  trimsCTAFences = !usesBarrierObjects(*text, capmerc);
  return Error::success();
}

/// [scoreboards-older-fences]
void EditPlanner::findFenceWaits() {
  for (uint32_t i = 1; i < edit.used; ++i)
    if (countsFence(at(i - 1), at(i)))
      waits.push_back(i);
}

bool EditPlanner::isRemoved(uint32_t i) const {
  Instruction inst = at(i);
  if (llvm::binary_search(syncs, i) || llvm::binary_search(delays, i) ||
      llvm::binary_search(moves, i) || llvm::binary_search(waits, i) ||
      llvm::binary_search(joined, i))
    return true;
  if (inst.isFencePlaceholder())
    return trimsLoads;
  if (!inst.isMembar())
    return false;
  switch (inst.membarKind()) {
  case MembarBeforeExit:
    return trimsExitFences;
  case MembarAllCTA:
    return trimsCTAFences && i + 1 < edit.used && at(i + 1).isMembar();
  default:
    return false;
  }
}

/// How much of an error barrier the EXIT lacks.
unsigned EditPlanner::missingBarrier(uint32_t exit) const {
  if (hasExitBarrier(code, exit))
    return 0;
  // A fence that ends right there does for the MEMBAR.
  return trimsExitFences || (exit && at(exit - 1).isMembar())
             ? ExitBarrierSize - 1
             : ExitBarrierSize;
}

void EditPlanner::setSize() {
  edit.newBytes = edit.oldBytes;
  if (edit.changes.empty())
    return;
  // At least eight NOPs, and whole groups of eight instructions.
  constexpr uint64_t MinNops = 8, Group = 8;
  uint64_t newUsed = edit.used + int64_t(edit.changes.back().shift);
  edit.newBytes = alignTo(newUsed + MinNops, Group) * InstructionSize;
}

/// The index that a displacement leads to, or nullopt outside the code.
static std::optional<uint32_t> getTarget(uint32_t index, int64_t displacement,
                                         uint32_t count) {
  constexpr int64_t Size = InstructionSize;
  const int64_t target = int64_t(index) + 1 + displacement / Size;
  if (displacement % Size || target < 0 || target > count)
    return std::nullopt;
  return target;
}

Error EditPlanner::checkBranches() const {
  for (uint32_t i = 0; i < edit.used; ++i)
    if (std::optional<int64_t> displacement = at(i).displacement())
      if (!getTarget(i, *displacement, count()))
        return damaged("branch at offset {0:x} leaves the code",
                       i * InstructionSize);
  return Error::success();
}

/// Code without any scheduling needs none for what takes longer, either.
bool EditPlanner::isSlowAnywhere() const {
  if (edit.used && at(0).isUnscheduled())
    return false;
  for (uint32_t i = 0; i != edit.used; ++i)
    if (at(i).isSlowerOnSM103() || at(i).usesFP64Unit())
      return true;
  return false;
}

/// Finds the changes that concern one instruction each. With `waits`, code that
/// is slower on sm_103 waits right after the slow instruction.
void EditPlanner::findChanges(const FinalizerOptions &options, bool waits) {
  edit.changes.clear();
  for (uint32_t i = 0; i < edit.used; ++i) {
    bool removed = isRemoved(i);
    unsigned inserted =
        options.hasExitBarriers && at(i).isExit() ? missingBarrier(i) : 0;
    if (llvm::binary_search(missing.before, i))
      inserted = 1;
    bool waitsHere = waits && at(i).isSlowerOnSM103() &&
                     !(options.fp64.hadEvents && at(i).isFP64Arithmetic());
    if (removed || inserted || waitsHere)
      add(i, inserted, removed, waitsHere);
    else if (llvm::binary_search(fences, i) ||
             llvm::binary_search(missing.after, i))
      addNopAfter(i);
  }
}

/// Schedules the code of sm_100 for sm_103 as the changes leave it, but for
/// what they insert. Returns false if it isn't known what nvlink does, or
/// unasked.
bool EditPlanner::schedule(const FinalizerOptions &options) {
  setSize();
  std::vector<uint8_t> rest(edit.newBytes);
  std::vector<uint32_t> removed;
  for (const CodeEdit::Change &c : edit.changes)
    if (c.removed && c.index + 1 < edit.used)
      removed.push_back(c.index);
  writeEditedCode(edit, dropRemovedEvents(code, removed), rest.data());
  std::optional<Fp64Schedule> schedule = scheduleSerialCode(rest);
  if (!schedule && options.rescheduler) {
    Fp64Rules rules = options.fp64;
    rules.mayDropStackPointer = options.isKernel && !options.keepsPlaceholders;
    schedule = options.rescheduler->scheduleFp64(rest, rules);
  }
  if (!schedule)
    return false;
  const std::vector<CodeEdit::Change> others = std::move(edit.changes);
  edit.changes.clear();
  uint32_t left = 0;
  auto other = others.begin();
  for (uint32_t i = 0; i != edit.used; ++i) {
    const bool changes = other != others.end() && other->index == i;
    const unsigned inserted = changes ? other->inserted : 0;
    const bool removed = changes && other->removed;
    other += changes;
    left += inserted;
    const uint32_t from = removed ? left : left++;
    const Delay delay = removed ? Delay{} : schedule->delays[from];
    edit.newScheduling.push_back(removed ? at(i).scheduling()
                                         : schedule->code[from].scheduling());
    if (inserted || removed || delay.nops)
      add(i, inserted, removed, delay.nops, delay.lastStall);
  }
  return true;
}

Error EditPlanner::plan(ArrayRef<uint8_t> capmerc,
                        const FinalizerOptions &options) {
  if (code.size() % InstructionSize || code.size() / InstructionSize > INT_MAX)
    return damaged("size {0:x} is not that of a number of instructions",
                   code.size());
  edit.used = count();
  while (edit.used && at(edit.used - 1).isNop())
    --edit.used;
  if (options.isKernel && !options.keepsPlaceholders)
    if (Error e = findTrimmed(capmerc))
      return e;
  const bool isSlower = options.isSlower && isSlowAnywhere();
  if (options.isOldest)
    if (Error e = findOldestChanges(code, edit.used, capmerc, fences, syncs))
      return e;
  if (options.padsReconvergence)
    if (Error e = findMissingNops(code, edit.used, capmerc, options, missing))
      return e;
  if (options.dropsPadding)
    if (Error e = findJoinedNops(code, edit.used, capmerc, joined))
      return e;
  if (options.dropsExitBarriers)
    if (Error e = findExitBarriers(code, edit.used, capmerc, joined))
      return e;
  llvm::sort(joined);
  if (options.dropsDelays)
    delays = options.rescheduler->findFp64Delays(
        readInstructions(code.take_front(edit.used * InstructionSize)));
  if (options.dropsFenceWaits)
    findFenceWaits();
  if (options.dropsSelfMoves)
    if (Error e = findSelfMoves(code, edit.used, capmerc, moves))
      return e;
  if (trimsLoads || trimsCTAFences || trimsExitFences || !syncs.empty() ||
      !fences.empty() || !delays.empty() || !moves.empty() || !joined.empty() ||
      !waits.empty() || options.hasExitBarriers || missing.any() || isSlower)
    findChanges(options, /*waits=*/false);
  std::vector<Instruction> serial;
  if (options.clearsSerialCode && edit.used && at(0).stall() == MaxStall)
    serial = readInstructions(code.take_front(edit.used * InstructionSize));
  const bool isCleared = isSerialCode(serial);
  if (edit.changes.empty() && !isSlower && !isCleared)
    return Error::success();
  if (Error e = checkBranches())
    return e;
  if (isCleared)
    edit.newScheduling = clearScheduling(serial);
  else if (isSlower && !schedule(options))
    findChanges(options, /*waits=*/true);
  setSize();
  return Error::success();
}

Expected<CodeEdit> planCodeEdit(ArrayRef<uint8_t> code,
                                ArrayRef<uint8_t> capmerc,
                                const FinalizerOptions &options) {
  EditPlanner planner(code);
  if (Error e = planner.plan(capmerc, options))
    return e;
  return planner.take();
}

static void writeDelay(const CodeEdit::Change &change, uint8_t *&out) {
  for (unsigned i = 1; i <= change.nops; ++i) {
    Instruction nop = Nop;
    nop.setStall(i == change.nops ? change.lastStall : MaxStall);
    nop.write(out);
    out += InstructionSize;
  }
}

/// Writes an instruction and after it a NOP that waits for its result. No
/// scoreboard is ever too busy: it counts what is to come.
static void writeWithWait(Instruction inst, uint8_t *&out) {
  constexpr unsigned StallBeforeWait = 2, AnyScoreboard = 5;
  if (inst.writeScoreboard() == NoScoreboard)
    inst.setWriteScoreboard(AnyScoreboard);
  if (inst.stall() < StallBeforeWait)
    inst.setStall(StallBeforeWait);
  inst.clearReuse();
  inst.write(out);
  Instruction wait = Nop;
  wait.setStall(1);
  wait.addWaitFor(inst.writeScoreboard());
  wait.write(out + InstructionSize);
  out += 2 * InstructionSize;
}

namespace {

/// Writes the new code, instruction by instruction.
class CodeWriter {
public:
  CodeWriter(const CodeEdit &edit, ArrayRef<uint8_t> code, uint8_t *out)
      : edit(edit), code(code), begin(out), out(out),
        hasBarriers(
            any_of(edit.allChanges(),
                   [](const CodeEdit::Change &c) { return c.isBarrier; })),
        hadBarriers(any_of(edit.allChanges(), [&](const CodeEdit::Change &c) {
          return c.isJoined && !instructionAt(code, c.index).isNop();
        })) {}
  void write();

private:
  /// The instruction as it came in, with the scheduling that the edit gives it.
  Instruction given(uint32_t i) const {
    Instruction inst = instructionAt(code, i);
    if (!edit.scheduling().empty())
      inst.setScheduling(edit.scheduling()[i]);
    return inst;
  }
  uint64_t earlyWaits(uint32_t exit) const;
  ExitStalls divideStall(uint32_t exit) const;
  void shortenStall(Instruction &inst, uint32_t exit) const;
  void prolongStall(Instruction &inst, uint32_t barrier) const;
  void write(uint32_t i, const CodeEdit::Change *change);

  const CodeEdit &edit;
  ArrayRef<uint8_t> code;
  const uint8_t *begin;
  uint8_t *out;
  const bool hasBarriers, hadBarriers;
  std::optional<PredicateScoreboards> predicates; ///< With barriers only.
  /// Waits of a removed instruction that are left to the next one, such as
  /// those of a barrier, which are left to its EXIT.
  uint64_t waitsOfRemoved = 0;
};

} // namespace

/// Returns what the barrier before an EXIT waits for in the EXIT's place: what
/// their common guard needs; after a fence everything.
uint64_t CodeWriter::earlyWaits(uint32_t exit) const {
  const Instruction inst = given(exit);
  if (exit && given(exit - 1).isMembar())
    return inst.waitMask();
  return inst.waitMask() & predicates->waitsFor(exit);
}

static bool setsScoreboardOf(const Instruction &inst, uint64_t waits) {
  constexpr unsigned WaitBit = 52;
  const uint64_t mask = waits >> WaitBit;
  const ScoreboardFields f = readScoreboards(inst);
  return (f.write != NoScoreboard && mask >> f.write & 1) ||
         (f.read != NoScoreboard && mask >> f.read & 1);
}

/// An instruction that sets a scoreboard stalls for two cycles if the next one
/// waits for that scoreboard.
constexpr unsigned StallBeforeWait = 2;

ExitStalls CodeWriter::divideStall(uint32_t exit) const {
  // Code compiled without optimisation stalls for everything all the time.
  if (!exit || given(exit).stall() == MaxStall)
    return {MaxStall, ShortestBarrierStall};
  const bool isNear = setsScoreboardOf(given(exit - 1), earlyWaits(exit));
  return divideExitStall([this](uint32_t i) { return given(i); }, exit,
                         isNear ? StallBeforeWait : 1);
}

/// If a barrier comes in between, what sets a scoreboard for the EXIT stalls
/// for one cycle, unless the barrier waits for it.
void CodeWriter::shortenStall(Instruction &inst, uint32_t exit) const {
  if (inst.stall() == StallBeforeWait &&
      setsScoreboardOf(inst, given(exit).waitMask()) &&
      !setsScoreboardOf(inst, earlyWaits(exit)))
    inst.setStall(1);
  else if (const unsigned stall = divideStall(exit).before;
           stall < inst.stall())
    setStallOf(inst, decodeOperands(inst).resultClass == ResultClass::Fixed,
               stall);
}

/// Lengthens the stall of an instruction whose following error barrier is
/// removed: the instruction stalls for the EXIT again.
void CodeWriter::prolongStall(Instruction &inst, uint32_t barrier) const {
  if (inst.isUnscheduled())
    return;
  uint32_t exit = barrier;
  uint64_t waits = 0;
  for (; !given(exit).isExit(); ++exit)
    waits |= given(exit).waitMask();
  waits |= given(exit).waitMask();
  // The stall that the instruction would have without the barrier.
  const unsigned stall = joinExitStall(
      [&](uint32_t i) { return given(i == barrier ? exit : i); }, barrier,
      setsScoreboardOf(inst, waits) ? StallBeforeWait : 0);
  if (stall > inst.stall())
    setStallOf(inst, decodeOperands(inst).resultClass == ResultClass::Fixed,
               stall);
}

void CodeWriter::write(uint32_t i, const CodeEdit::Change *change) {
  Instruction inst = given(i);
  const bool getsNop = change && change->inserted && !change->isBarrier;
  Instruction nop = Nop;
  const uint64_t carried = std::exchange(waitsOfRemoved, 0);
  (getsNop ? nop : inst).addWaits(carried);
  if (change && change->isBarrier) {
    inst = writeExitBarrier(inst, change->inserted, earlyWaits(i),
                            divideStall(i).barrier, out);
  } else if (getsNop) {
    if (inst.stall() == MaxStall) { // Unoptimized.
      nop.setStall(MaxStall);
      nop.addWaits(inst.waitMask());
    } else if (!inst.isUnscheduled()) {
      nop.setStall(1);
      nop.forbidYield();
    }
    nop.write(out);
    out += InstructionSize;
  }
  const bool waits = change && change->nops && !change->lastStall;
  if (waits)
    writeWithWait(inst, out);
  if (waits || (change && change->removed)) {
    // The next instruction must wait for what was carried here, unless a NOP or
    // this instruction waits for it.
    Instruction left = {0, waits || getsNop ? 0 : carried};
    if (change && change->isJoined && !inst.isNop())
      left.addWaits(inst.waitMask());
    else if (change && inst.operation() == OpDEPBAR)
      left.addWaitFor(readScoreboards(given(i - 1)).read);
    waitsOfRemoved = left.waitMask();
    return;
  }
  const uint32_t count = code.size() / InstructionSize;
  if (std::optional<int64_t> displacement = inst.displacement())
    if (std::optional<uint32_t> target = getTarget(i, *displacement, count)) {
      uint64_t next = out - begin + InstructionSize;
      inst.setDisplacement(edit.newStart(uint64_t(*target) * InstructionSize) -
                           next);
    }
  const CodeEdit::Change *next =
      hasBarriers || hadBarriers ? edit.changeAt(i + 1) : nullptr;
  if (next && next->isBarrier)
    shortenStall(inst, i + 1);
  else if (next && next->isJoined && !given(i + 1).isNop())
    prolongStall(inst, i + 1);
  inst.write(out);
  out += InstructionSize;
  if (change && change->isFence) {
    Instruction nop = Nop;
    nop.setStall(1);
    nop.forbidYield();
    for (unsigned s = 0; s != NumScoreboards && inst.isMembar(); ++s)
      nop.addWaitFor(s);
    nop.write(out);
    out += InstructionSize;
  }
  if (change)
    writeDelay(*change, out);
}

void CodeWriter::write() {
  if (hasBarriers) {
    std::vector<Instruction> all;
    for (uint32_t i = 0; i != edit.usedInstructions(); ++i)
      all.push_back(given(i));
    predicates.emplace(all);
  }
  const CodeEdit::Change *change = edit.allChanges().begin();
  const CodeEdit::Change *lastChange = edit.allChanges().end();
  for (uint32_t i = 0; i < edit.usedInstructions(); ++i) {
    const bool changes = change != lastChange && change->index == i;
    write(i, changes ? change : nullptr);
    change += changes;
  }
  for (const uint8_t *end = begin + edit.newSize(); out != end;
       out += InstructionSize)
    Nop.write(out);
}

void writeEditedCode(const CodeEdit &edit, ArrayRef<uint8_t> code,
                     uint8_t *out) {
  assert(code.size() == edit.oldSize());
  CodeWriter(edit, code, out).write();
}

} // namespace lld::cuda
