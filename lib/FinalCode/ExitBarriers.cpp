//===- ExitBarriers.cpp - Error barriers before EXITs ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Finds, writes and removes the error barriers that EXITs have in code for
/// debugging. CodeEdit.cpp calls these functions when a link plans and writes
/// the edit of a function: it adds the part of a barrier that an EXIT lacks if
/// the link is one for debugging, and removes whole barriers otherwise, because
/// the last link decides [mercury-code-edits].
///
//===----------------------------------------------------------------------===//

#include "ExitBarriers.h"
#include "VisitEntries.h"
#include "lld-cuda/Object/Mercury.h"
#include "lld-cuda/Sass/Operands.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include <algorithm>

using namespace llvm;
using namespace lld::cuda::sass;

namespace lld::cuda {

/// An error barrier before an EXIT, with the predicate of the EXIT to be
/// filled in.
static constexpr Instruction ExitBarrier[ExitBarrierSize] = {
    {0x0992, 0xfc00000005000},
    {0x09ab, 0xfc00000000000},
    {0x05ab, 0xfec0000000000}};

static Instruction at(ArrayRef<uint8_t> code, uint64_t index) {
  return Instruction::read(code.data() + index * InstructionSize);
}

/// Whether the instruction is that of a barrier, its `part`-th.
static bool isPart(const Instruction &inst, unsigned part) {
  return part ? inst.opcode() == ExitBarrier[part].opcode()
              : inst.isMembar() && inst.membarKind() == MembarBeforeExit;
}

/// How many instructions before the EXIT are the end of a barrier.
static unsigned countParts(ArrayRef<uint8_t> code, uint32_t exit) {
  unsigned parts = 0;
  while (parts != ExitBarrierSize && parts != exit &&
         isPart(at(code, exit - 1 - parts), ExitBarrierSize - 1 - parts))
    ++parts;
  return parts;
}

bool hasExitBarrier(ArrayRef<uint8_t> code, uint32_t exit) {
  return countParts(code, exit) == ExitBarrierSize;
}

Error findExitBarriers(ArrayRef<uint8_t> code, uint32_t used,
                       ArrayRef<uint8_t> capmerc,
                       std::vector<uint32_t> &barriers) {
  auto endsBarrier = [&](uint32_t i) {
    return at(code, i).isExit() && countParts(code, i) >= ExitBarrierSize - 1;
  };
  if (none_of(seq(0u, used), endsBarrier))
    return Error::success();
  return visitEntries(code, used, capmerc, [&](const CapmercEntry &entry) {
    const uint32_t exit = entry.instruction + entry.count - 1;
    if (!entry.isOf(CapmercExit, capmerc) || entry.count < ExitBarrierSize ||
        !endsBarrier(exit) || countParts(code, exit) < entry.count - 1)
      return;
    for (uint32_t i = entry.instruction; i != exit; ++i)
      barriers.push_back(i);
  });
}

void setStallOf(Instruction &inst, bool isFixed, unsigned stall) {
  constexpr unsigned LongestShort = 2, LongestShortVariable = 11;
  if (stall <= (isFixed ? LongestShort : LongestShortVariable))
    inst.forbidYield();
  else
    inst.letYield();
  inst.setStall(stall);
}

Instruction writeExitBarrier(Instruction exit, unsigned inserted,
                             uint64_t early, unsigned stall, uint8_t *&out) {
  constexpr unsigned Size = ExitBarrierSize, ExitStall = 5;
  // Code compiled without optimisation waits for everything all the time.
  const bool isUnoptimized = exit.stall() == MaxStall;
  const bool isUnscheduled = exit.isUnscheduled();
  for (unsigned i = Size - std::min(inserted, Size); i != Size; ++i) {
    Instruction inst = ExitBarrier[i];
    inst.setPredicate(exit.predicate());
    if (isUnscheduled) {
      inst.setScheduling(Instruction::Unscheduled);
    } else if (isUnoptimized && !inst.isMembar()) {
      inst.addWaits(exit.waitMask());
      if (i == Size - 1) {
        inst.setStall(MaxStall);
        inst.letYield();
      }
    } else if (!isUnoptimized && !inst.isMembar()) {
      inst.addWaits(early);
      exit.dropWaits(early);
      early = 0;
      if (i == Size - 1)
        setStallOf(inst, /*isFixed=*/false, stall);
    }
    inst.write(out);
    out += InstructionSize;
  }
  if (!isUnoptimized && !isUnscheduled) {
    exit.setStall(ExitStall);
    exit.forbidYield();
  }
  return exit;
}

} // namespace lld::cuda
