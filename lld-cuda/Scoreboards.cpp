//===- Scoreboards.cpp - New scoreboards for kernels without calls --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Which kernels get new scoreboards, and what else follows from them.
///
//===----------------------------------------------------------------------===//

#include "Scoreboards.h"
#include "ControlFlow.h"
#include "ScoreboardEvents.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace lld::cuda::sass;
using namespace lld::cuda::scoreboards;

namespace lld::cuda {

ScoreboardFields readScoreboards(const Instruction &inst) {
  ScoreboardFields f;
  f.write = inst.high >> 46 & 7;
  f.read = inst.high >> 49 & 7;
  f.waits = inst.high >> 52 & AllScoreboards;
  return f;
}

void writeScoreboards(Instruction &inst, ScoreboardFields f) {
  constexpr uint64_t Mask = uint64_t(0xfff) << 46;
  inst.high = (inst.high & ~Mask) | uint64_t(f.write) << 46 |
              uint64_t(f.read) << 49 | uint64_t(f.waits) << 52;
}

bool beginsWithStackPointer(const Instruction &inst) {
  constexpr unsigned LDCConstant = 0xb82;
  const ScoreboardFields f = readScoreboards(inst);
  return inst.opcode() == LDCConstant && (inst.low >> 16 & 0xff) == 1 &&
         f.write != NoScoreboard && f.read == NoScoreboard;
}

Kernel::Kernel(ArrayRef<Instruction> code, unsigned sm) : sm(sm) {
  for (const Instruction &inst : code) {
    operands.push_back(decodeOperands(inst));
    fields.push_back(readScoreboards(inst));
    stalls.push_back(inst.stall());
    // There are six.
    isKnown &= operands.back().isKnown &&
               fields.back().write != NumScoreboards &&
               fields.back().read != NumScoreboards;
  }
}

bool Kernel::usesStackPointer() const {
  // The compiler never makes R1 part of a pair or vector.
  auto isR1 = [](RegisterRange r) { return r.first == 1; };
  return any_of(drop_begin(operands), [&](const Operands &ops) {
    return any_of(ops.uses, isR1) || any_of(ops.defs, isR1);
  });
}

/// Cycles that an instruction with an event stalls if the next one waits for
/// it.
constexpr unsigned EventStall = 2;

static bool isWaitedFor(ScoreboardFields f, uint8_t waits) {
  return (f.write != NoScoreboard && waits >> f.write & 1) ||
         (f.read != NoScoreboard && waits >> f.read & 1);
}

/// An event must have begun when the next instruction waits for it. Returns
/// false if stalls have to change for that: then others in the block do as well
/// now and then, and it is not known when. Only what the load of R1 stalls for
/// its own event has no other use.
static bool setScoreboards(MutableArrayRef<Instruction> code,
                           ArrayRef<ScoreboardFields> fields,
                           const ControlFlow &flow) {
  for (size_t i = 0; i != code.size(); ++i) {
    const ScoreboardFields given = readScoreboards(code[i]);
    const bool isLast = i + 1 == code.size();
    const bool wasNear = !isLast && !flow.isStart(i + 1) &&
                         isWaitedFor(given, readScoreboards(code[i + 1]).waits);
    const bool isNear = !isLast && isWaitedFor(fields[i], fields[i + 1].waits);
    const unsigned stall = code[i].stall();
    const bool stallsForEvent = wasNear && !isNear && stall == EventStall;
    if ((isNear && stall < EventStall) || (stallsForEvent && i))
      return false;
    if (stallsForEvent)
      code[i].setStall(EventStall - 1);
    writeScoreboards(code[i], fields[i]);
  }
  return true;
}

std::vector<Instruction> readInstructions(ArrayRef<uint8_t> code) {
  std::vector<Instruction> insts;
  for (size_t at = 0; at + InstructionSize <= code.size();
       at += InstructionSize)
    insts.push_back(Instruction::read(code.data() + at));
  return insts;
}

bool needsScoreboards(ArrayRef<uint8_t> code) {
  if (code.size() % InstructionSize || code.size() < 2 * InstructionSize ||
      !beginsWithStackPointer(Instruction::read(code.data())))
    return false;
  for (size_t at = 0; at != code.size(); at += InstructionSize)
    if (Instruction::read(code.data() + at).isCall())
      return false;
  return true;
}

Rescheduling allocateScoreboards(MutableArrayRef<uint8_t> code, unsigned sm) {
  if (!needsScoreboards(code))
    return Rescheduling::NotNeeded;
  std::vector<Instruction> insts = readInstructions(code);
  Kernel kernel(insts, sm);
  if (kernel.usesStackPointer())
    return Rescheduling::NotNeeded;
  kernel.dropsFirstEvent = true;
  std::optional<ControlFlow> flow = ControlFlow::build(insts);
  if (!kernel.isKnown || !flow)
    return Rescheduling::Unknown;
  std::optional<std::vector<ScoreboardFields>> fields = replay(kernel, *flow);
  if (!fields || !areScoreboardsSafe(insts, *fields) ||
      !setScoreboards(insts, *fields, *flow))
    return Rescheduling::Unknown;
  for (size_t i = 0; i != insts.size(); ++i)
    insts[i].write(code.data() + i * InstructionSize);
  return Rescheduling::Done;
}

} // namespace lld::cuda
