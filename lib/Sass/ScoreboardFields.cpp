//===- ScoreboardFields.cpp - Reads and writes scoreboard fields ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Reads and writes the fields of an instruction that tell what it waits for.
/// Passes that change waits or allocate scoreboards (lib/FinalCode,
/// lib/Reschedule) call these functions when the linker finalizes a function of
/// sm_100 or later. An instruction word has 128 bits. Bits 110 to 112 name its
/// write scoreboard, bits 113 to 115 its read scoreboard (7 means none), and
/// bits 116 to 121 are a mask of those that it waits for. writeScoreboards()
/// leaves the rest of the scheduling word as it is, such as the stall beside
/// them.
///
//===----------------------------------------------------------------------===//

#include "lld-cuda/Sass/ScoreboardFields.h"

using namespace llvm;
using namespace lld::cuda::sass;

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

/// Where a DEPBAR has the scoreboard.
constexpr unsigned CountedBit = 44;

bool countsFence(const Instruction &membar, const Instruction &inst) {
  constexpr unsigned Always = 7, OperandsBit = 16;
  constexpr uint64_t LessOrEqualZero = 0x8000'0000'0000;
  const uint64_t scoreboard = readScoreboards(membar).read;
  return membar.isMembar() && scoreboard != NoScoreboard &&
         inst.operation() == OpDEPBAR && inst.predicate() == Always &&
         inst.low >> OperandsBit ==
             (LessOrEqualZero | scoreboard << CountedBit) >> OperandsBit;
}

void setCounted(Instruction &depbar, unsigned scoreboard) {
  constexpr uint64_t Mask = uint64_t(7) << CountedBit;
  depbar.low = (depbar.low & ~Mask) | uint64_t(scoreboard) << CountedBit;
}

std::vector<Instruction> readInstructions(ArrayRef<uint8_t> code) {
  std::vector<Instruction> insts;
  insts.reserve(code.size() / InstructionSize);
  for (size_t at = 0; at + InstructionSize <= code.size();
       at += InstructionSize)
    insts.push_back(Instruction::read(code.data() + at));
  return insts;
}

} // namespace lld::cuda
