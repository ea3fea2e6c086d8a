//===- ScoreboardFields.cpp - What instructions wait for ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
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

std::vector<Instruction> readInstructions(ArrayRef<uint8_t> code) {
  std::vector<Instruction> insts;
  for (size_t at = 0; at + InstructionSize <= code.size();
       at += InstructionSize)
    insts.push_back(Instruction::read(code.data() + at));
  return insts;
}

} // namespace lld::cuda
