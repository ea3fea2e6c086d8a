//===- Scoreboards.cpp - Which functions get new scoreboards --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Allocates the scoreboards of a function anew, as nvlink does, one function
/// for each kind of input code. Reschedule.cpp and OlderCode.cpp call these
/// when a link with --reschedule finalizes a function. Each sets up a Kernel,
/// in which events (results and reads of sources that scoreboards signal) are
/// dropped or added: a kernel that calls nothing never uses the stack pointer,
/// so that the load of R1 needs no scoreboard. replay() then chooses, and
/// areScoreboardsSafe() checks the choice. If a step fails, the code stays as
/// it was. Stalls follow at last: an instruction whose event the next one waits
/// for stalls for at least two cycles.
///
//===----------------------------------------------------------------------===//

#include "Scoreboards.h"
#include "ScoreboardEvents.h"
#include "lld-cuda/FinalCode/Rescheduler.h"
#include "lld-cuda/Sass/ControlFlow.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace lld::cuda::sass;
using namespace lld::cuda::scoreboards;

namespace lld::cuda {

bool beginsWithStackPointer(const Instruction &inst) {
  constexpr unsigned LDCConstant = 0xb82;
  const ScoreboardFields f = readScoreboards(inst);
  return inst.opcode() == LDCConstant && (inst.low >> 16 & 0xff) == 1 &&
         f.write != NoScoreboard && f.read == NoScoreboard;
}

Kernel::Kernel(ArrayRef<Instruction> code, unsigned sm) : sm(sm) {
  operands.reserve(code.size());
  fields.reserve(code.size());
  stalls.reserve(code.size());
  for (const Instruction &inst : code) {
    operands.push_back(decodeOperands(inst));
    fields.push_back(readScoreboards(inst));
    stalls.push_back(inst.stall());
    hasTextures |= operands.back().resultClass == ResultClass::TEX;
    // There are six scoreboards; the number 6 in a field isn't known.
    if (isKnown &&
        !(operands.back().isKnown && fields.back().write != NumScoreboards &&
          fields.back().read != NumScoreboards)) {
      isKnown = false;
      firstUnknown = fields.size() - 1;
    }
  }
}

bool Kernel::usesStackPointer() const {
  // The compiler never makes R1 part of a pair or vector.
  auto isR1 = [](RegisterRange r) { return r.first == 1; };
  return any_of(drop_begin(operands), [&](const Operands &ops) {
    return any_of(ops.uses, isR1) || any_of(ops.defs, isR1);
  });
}

static bool isWaitedFor(ScoreboardFields f, uint8_t waits) {
  return (f.write != NoScoreboard && waits >> f.write & 1) ||
         (f.read != NoScoreboard && waits >> f.read & 1);
}

/// Distances are kept over this many instructions, and cycles.
constexpr size_t MaxReach = 24;
constexpr unsigned MaxDistance = 13;

/// The last instruction of fixed latency before `at` whose result it
/// uses, if that is near enough for a stall to come from it.
static std::optional<size_t> findProducer(ArrayRef<Instruction> code,
                                          const Kernel &kernel,
                                          const ControlFlow &flow, size_t at) {
  unsigned distance = 0;
  for (size_t p = at; p && !flow.isStart(p) && at - p < MaxReach;) {
    distance += code[--p].stall();
    if (distance > MaxDistance)
      break;
    if ((kernel.operands[p].resultClass == ResultClass::Fixed ||
         kernel.isSlowInOutput(p)) &&
        overlap(kernel.operands[p].defs, kernel.operands[at].uses))
      return p;
  }
  return std::nullopt;
}

static bool sharesUnit(ResultClass c) {
  switch (c) {
  case ResultClass::LDG:
  case ResultClass::ATOMG:
  case ResultClass::STG:
  case ResultClass::RED:
  case ResultClass::LDS:
  case ResultClass::ATOMS:
  case ResultClass::STS:
  case ResultClass::SHFL:
    return true;
  default:
    return false;
  }
}

/// Whether instruction `at` comes as late as its unit allows, which an
/// instruction after `after` has kept busy.
static bool waitsForUnit(ArrayRef<Instruction> code, const Kernel &kernel,
                         size_t after, size_t at) {
  constexpr unsigned UnitTime = 4;
  if (code[at - 1].operation() == OpIMADHigh && code[at].operation() == OpIMAD)
    return code[at - 1].stall() == UnitTime;
  if (!sharesUnit(kernel.operands[at].resultClass))
    return false;
  unsigned distance = 0;
  for (size_t p = at - 1; p > after; --p) {
    distance += code[p].stall();
    if (sharesUnit(kernel.operands[p].resultClass))
      return distance == UnitTime;
  }
  return false;
}

/// Instruction `at` stalls for a cycle more (or less) than before. The first
/// stall after it that keeps the distance from a result before it becomes
/// shorter by that. Returns false if it is not known which one.
static bool moveStall(MutableArrayRef<Instruction> code, const Kernel &kernel,
                      const ControlFlow &flow, size_t at, bool isMore) {
  constexpr unsigned UnitStall = 2;
  for (size_t j = at + 1; j + 1 < code.size() && j < at + MaxReach; ++j) {
    if (flow.isStart(j) || flow.isStart(j + 1))
      return true;
    const unsigned stall = code[j].stall();
    if (isMore && stall <= 1)
      continue;
    std::optional<size_t> producer = findProducer(code, kernel, flow, j + 1);
    if (!producer && isMore && stall > UnitStall &&
        !waitsForUnit(code, kernel, at, j + 1))
      return false;
    if (!producer || *producer > at)
      continue;
    if (!isMore)
      return false;
    code[j].setStall(stall - 1);
    return true;
  }
  return true;
}

/// An event must have begun when the next instruction waits for it. Returns
/// false if other stalls have to change for that in a way that is not known.
/// Only what the load of R1 stalls for its own event has no other use.
static bool setScoreboards(MutableArrayRef<Instruction> code,
                           ArrayRef<ScoreboardFields> fields,
                           const Kernel &kernel, const ControlFlow &flow) {
  for (size_t i = 0; i != code.size(); ++i) {
    const ScoreboardFields &given = kernel.fields[i];
    const bool isLast = i + 1 == code.size();
    const bool wasNear = !isLast && !flow.isStart(i + 1) &&
                         !kernel.getsBarrier(i + 1) &&
                         isWaitedFor(given, kernel.fields[i + 1].waits);
    const bool isNear = !isLast && !kernel.getsBarrier(i + 1) &&
                        isWaitedFor(fields[i], fields[i + 1].waits);
    const unsigned stall = code[i].stall();
    const bool stallsForEvent = wasNear && !isNear && stall == EventStall;
    writeScoreboards(code[i], fields[i]);
    if (isNear && stall < EventStall) {
      code[i].setStall(EventStall);
      if (!moveStall(code, kernel, flow, i, /*isMore=*/true))
        return false;
    }
    if (stallsForEvent) {
      code[i].setStall(EventStall - 1);
      if (i && !moveStall(code, kernel, flow, i, /*isMore=*/false))
        return false;
    }
  }
  return true;
}

bool needsScoreboards(ArrayRef<uint8_t> code, bool losesEvents) {
  if (code.size() % InstructionSize || code.size() < 2 * InstructionSize ||
      (!losesEvents && !beginsWithStackPointer(Instruction::read(code.data()))))
    return false;
  for (size_t at = 0; at != code.size(); at += InstructionSize)
    if (Instruction::read(code.data() + at).isCall())
      return false;
  return true;
}

/// Does what setScoreboards() does, in the code without the instructions that
/// are removed from it.
static bool setWhereKept(MutableArrayRef<Instruction> code,
                         ArrayRef<ScoreboardFields> fields,
                         const Kernel &kernel) {
  std::vector<Instruction> kept;
  std::vector<ScoreboardFields> keptFields;
  for (size_t i = 0; i != code.size(); ++i)
    if (!kernel.removes(i)) {
      kept.push_back(code[i]);
      keptFields.push_back(fields[i]);
    }
  // Displacements count what is removed, so blocks are told by the old code.
  std::optional<ControlFlow> flow = ControlFlow::build(code);
  if (!flow)
    return false;
  uint32_t removed = 0, i = 0;
  for (BasicBlock &block : flow->blocks) {
    const uint32_t before = removed;
    for (; i != block.end; ++i)
      removed += kernel.removes(i);
    block.begin -= before;
    block.end -= removed;
  }
  if (!setScoreboards(kept, keptFields, Kernel(kept, kernel.sm), *flow))
    return false;
  auto next = kept.begin();
  for (size_t i = 0; i != code.size(); ++i)
    if (!kernel.removes(i))
      code[i] = *next++;
  return true;
}

/// Whether the same is on a scoreboard as before, but for what is dropped.
static bool keepsScoreboard(const Kernel &kernel,
                            ArrayRef<ScoreboardFields> fields, unsigned s) {
  for (size_t i = kernel.dropsFirstEvent; i < fields.size(); ++i)
    if ((kernel.fields[i].write == s) != (fields[i].write == s) ||
        (kernel.fields[i].read == s) != (fields[i].read == s))
      return false;
  return true;
}

/// DEPBAR names a scoreboard, whose events it counts: 0, that of textures, or
/// that of the next instruction's result. What is on it isn't for the rules to
/// choose, but that the load of R1 may leave it.
static bool keepsCountedScoreboards(ArrayRef<Instruction> insts,
                                    const Kernel &kernel,
                                    ArrayRef<ScoreboardFields> fields) {
  constexpr unsigned NameBit = 44, LessOrEqualBit = 47, Textures = 5;
  bool countsFirst = any_of(kernel.operands, [](const Operands &ops) {
    return ops.resultClass == ResultClass::LDGDEPBAR;
  });
  bool countsTextures = false;
  for (size_t i = 0; i + 1 < insts.size(); ++i) {
    if (insts[i].operation() != OpDEPBAR ||
        (i && countsFence(insts[i - 1], insts[i])))
      continue;
    // One without LE waits for all, which the allocator may know of or not.
    if (!(insts[i].low >> LessOrEqualBit & 1))
      return false;
    const unsigned counted = insts[i].low >> NameBit & 7;
    countsFirst |= !counted;
    if (kernel.hasTextures && counted == Textures)
      countsTextures = true;
    else if (counted && (kernel.fields[i + 1].write != counted ||
                         fields[i + 1].write != counted))
      return false;
  }
  return (!countsFirst || keepsScoreboard(kernel, fields, 0)) &&
         (!countsTextures || keepsScoreboard(kernel, fields, Textures));
}

static bool allocate(MutableArrayRef<Instruction> insts, const Kernel &kernel,
                     bool keepsStalls, Refusal &refusal) {
  constexpr unsigned FirstWithParts = 120; // [scoreboards-parts]
  if (!kernel.isKnown)
    return refusal.set("unknown instruction", kernel.firstUnknown);
  std::optional<ControlFlow> flow = ControlFlow::build(insts, kernel.tables);
  if (!flow)
    return refusal.set("jump out of the kernel", 0);
  if (kernel.looksBeyondBlocks)
    flow->addTableTargets();
  else if (kernel.sm >= FirstWithParts)
    flow->splitAtBarriers(insts);
  std::optional<std::vector<ScoreboardFields>> fields =
      replay(kernel, *flow, refusal);
  if (!fields)
    return false;
  if (!keepsCountedScoreboards(insts, kernel, *fields))
    return refusal.set("counted scoreboard", 0);
  std::vector<uint32_t> counting;
  for (uint32_t i = 1; i < insts.size(); ++i) {
    if (!countsFence(insts[i - 1], insts[i]))
      continue;
    if ((*fields)[i - 1].read == NoScoreboard)
      return refusal.set("fence without event", i - 1);
    counting.push_back(i);
  }
  if (!areScoreboardsSafe(insts, *fields, kernel.tables, kernel.operands))
    return refusal.set("not shown to be safe", 0);
  for (uint32_t i : counting)
    setCounted(insts[i], (*fields)[i - 1].read);
  if (keepsStalls) {
    for (size_t i = 0; i != insts.size(); ++i)
      writeScoreboards(insts[i], (*fields)[i]);
    return true;
  }
  const bool isSet = kernel.isRemoved.empty()
                         ? setScoreboards(insts, *fields, kernel, *flow)
                         : setWhereKept(insts, *fields, kernel);
  return isSet || refusal.set("stalls change", 0);
}

/// Allocates, and writes the instructions if that is done.
static Rescheduling rewrite(MutableArrayRef<uint8_t> code,
                            std::vector<Instruction> &insts,
                            const Kernel &kernel, Refusal *refusal,
                            bool keepsStalls = false) {
  Refusal ignored;
  if (!allocate(insts, kernel, keepsStalls, refusal ? *refusal : ignored))
    return Rescheduling::Unknown;
  for (size_t i = 0; i != insts.size(); ++i)
    insts[i].write(code.data() + i * InstructionSize);
  return Rescheduling::Done;
}

static void remove(Kernel &kernel, ArrayRef<uint32_t> removed) {
  if (!removed.empty())
    kernel.isRemoved.assign(kernel.fields.size(), false);
  for (uint32_t i : removed)
    kernel.isRemoved[i] = true;
}

static void addBarriers(ArrayRef<Instruction> insts, Kernel &kernel,
                        ArrayRef<uint32_t> exits) {
  if (exits.empty())
    return;
  kernel.getsBarriers.assign(insts.size(), false);
  kernel.barrierGuards.assign(insts.size(), 0);
  for (uint32_t i : exits) {
    constexpr unsigned Always = 7;
    kernel.getsBarriers[i] = true;
    // After a fence the barrier waits for everything.
    if ((insts[i].condition() & Always) != Always &&
        !(i && insts[i - 1].isMembar()))
      kernel.barrierGuards[i] =
          FirstPredicate + (insts[i].predicate() & Always);
  }
}

Rescheduling allocateScoreboards(MutableArrayRef<uint8_t> code, unsigned sm,
                                 ScoreboardAllocator allocator,
                                 Refusal *refusal, const CodeFacts &facts) {
  if (!needsScoreboards(code, !facts.removed.empty()))
    return Rescheduling::NotNeeded;
  std::vector<Instruction> insts = readInstructions(code);
  Kernel kernel(insts, sm);
  kernel.dropsFirstEvent =
      beginsWithStackPointer(insts[0]) && !kernel.usesStackPointer();
  const bool losesEvents = any_of(facts.removed, [&](uint32_t i) {
    return kernel.fields[i].write != NoScoreboard ||
           kernel.fields[i].read != NoScoreboard;
  });
  if (!kernel.dropsFirstEvent && !losesEvents && facts.exits.empty())
    return Rescheduling::NotNeeded;
  kernel.tables = facts.tables;
  kernel.looksBeyondBlocks = allocator == ScoreboardAllocator::BeyondBlocks;
  remove(kernel, facts.removed);
  addBarriers(insts, kernel, facts.exits);
  return rewrite(code, insts, kernel, refusal);
}

Rescheduling allocateAfterBarriers(MutableArrayRef<uint8_t> code, unsigned sm,
                                   const CodeFacts &facts,
                                   ScoreboardAllocator allocator,
                                   Refusal *refusal) {
  if (code.size() < 2 * InstructionSize ||
      !beginsWithStackPointer(Instruction::read(code.data())))
    return Rescheduling::NotNeeded;
  std::vector<Instruction> insts = readInstructions(code);
  Kernel kernel(insts, sm);
  kernel.tables = facts.tables;
  kernel.looksBeyondBlocks = allocator == ScoreboardAllocator::BeyondBlocks;
  addBarriers(insts, kernel, facts.exits);
  return rewrite(code, insts, kernel, refusal);
}

namespace scoreboards {

/// The first MEMBAR of each pair, but where it goes
/// [scoreboards-older-fences].
std::vector<bool> findFenceEvents(ArrayRef<Instruction> insts,
                                  const Kernel &kernel) {
  std::vector<bool> gets;
  for (size_t i = 0; i + 1 < insts.size(); ++i) {
    if (!insts[i].isMembar() || insts[i].membarKind() != MembarAllCTA ||
        !insts[i + 1].isMembar() || kernel.removes(i) ||
        kernel.fields[i].read != NoScoreboard)
      continue;
    gets.resize(insts.size());
    gets[i] = true;
  }
  return gets;
}

} // namespace scoreboards

/// Gives the fences that get an event the stall that compilers with the second
/// allocator give them, and lets no other warp issue after them.
static void addFenceEvents(MutableArrayRef<Instruction> insts, Kernel &kernel) {
  kernel.getsFenceEvents = findFenceEvents(insts, kernel);
  for (size_t i = 0; i != kernel.getsFenceEvents.size(); ++i)
    if (kernel.getsFenceEvents[i]) {
      insts[i].setStall(FenceStall);
      insts[i].forbidYield();
    }
}

Rescheduling allocateOlder(MutableArrayRef<uint8_t> code, unsigned sm,
                           OlderCode older, Refusal *refusal,
                           const CodeFacts &facts) {
  if (code.size() < 2 * InstructionSize)
    return Rescheduling::NotNeeded;
  std::vector<Instruction> insts = readInstructions(code);
  if (isSerial(insts.front()))
    return Rescheduling::NotNeeded;
  Kernel kernel(insts, sm);
  kernel.tables = facts.tables;
  kernel.looksBeyondBlocks = true;
  kernel.wasWithinBlocks = older.hasFirstAllocator;
  kernel.dropsFirstEvent =
      older.isFinal && needsScoreboards(code) && !kernel.usesStackPointer();
  auto isFP64 = [](const Operands &ops) {
    return ops.info().events == EventKind::FP64;
  };
  if (older.lacksFp64Events && any_of(kernel.operands, isFP64))
    for (const Operands &ops : kernel.operands)
      kernel.becomesSlow.push_back(isFP64(ops));
  else if (!older.hasFirstAllocator)
    return Rescheduling::NotNeeded;
  remove(kernel, facts.removed);
  addBarriers(insts, kernel, facts.exits);
  if (older.hasFirstAllocator && sm < FirstWithFenceEvents)
    addFenceEvents(insts, kernel);
  return rewrite(code, insts, kernel, refusal, older.isScheduledAnew);
}

Rescheduling allocateOldest(MutableArrayRef<uint8_t> code, unsigned sm,
                            ScoreboardAllocator allocator, bool isFinal) {
  if (code.size() < 2 * InstructionSize)
    return Rescheduling::NotNeeded;
  std::vector<Instruction> insts = readInstructions(code);
  Kernel kernel(insts, sm);
  kernel.isOldest = true;
  kernel.looksBeyondBlocks = allocator == ScoreboardAllocator::BeyondBlocks;
  kernel.dropsFirstEvent =
      isFinal && needsScoreboards(code) && !kernel.usesStackPointer();
  return rewrite(code, insts, kernel, /*refusal=*/nullptr);
}

} // namespace lld::cuda
