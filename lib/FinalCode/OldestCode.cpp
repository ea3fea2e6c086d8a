//===- OldestCode.cpp - Code of CUDA 12 as CUDA 13 writes it --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// finalizeFunction() calls renewOldestCode() after a function's edit. It makes
/// four changes, none of which moves an instruction of the program: another
/// form of one shift, another order of the NOPs that let time pass, fewer waits
/// after a fence, and other places where a warp lets others come first. The
/// last two need the basic blocks; where those can't be found, as with a branch
/// that leaves the code, they are left out. The places to yield come last,
/// because they depend on the stalls of all instructions before.
///
//===----------------------------------------------------------------------===//

#include "lld-cuda/FinalCode/OldestCode.h"
#include "lld-cuda/Sass/ControlFlow.h"
#include "lld-cuda/Sass/Operands.h"
#include "lld-cuda/Sass/ScoreboardFields.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace lld::cuda::sass;

namespace lld::cuda {

/// The upper half of a register that packs two numbers, in the arguments of a
/// collective barrier: `SHF.R.U32.HI R13, RZ, 0x10, R13` becomes
/// `SHF.R.U32 R13, R13, 0x10, RZ`.
static void renewShift(MutableArrayRef<Instruction> code, size_t i) {
  constexpr uint64_t FirstSource = 0xff000000, Result = 0xff0000,
                     OldLow = 0x10ff007819, ThirdSource = 0xff,
                     OldHigh = 0x11600, NewHigh = 0x16ff, Operands = 0xfffff;
  Instruction &inst = code[i];
  if ((inst.low & ~Result) != OldLow ||
      (inst.high & Operands & ~ThirdSource) != OldHigh || !i ||
      code[i - 1].operation() != OpBAR)
    return;
  inst.low = (inst.low & ~FirstSource) | (inst.high & ThirdSource) << 24;
  inst.high = (inst.high & ~Operands) | NewHigh;
}

/// NOPs that let time pass: the one that takes the rest stands last, not first.
static void renewDelay(MutableArrayRef<Instruction> code, size_t i) {
  if (!i || code[i - 1].stall() != MaxStall || !code[i].isNop() ||
      code[i].stall() == MaxStall)
    return;
  size_t last = i;
  while (last + 1 != code.size() && code[last + 1].isNop() &&
         code[last + 1].stall() == MaxStall)
    ++last;
  if (last == i)
    return;
  std::rotate(code.begin() + i, code.begin() + i + 1, code.begin() + last + 1);
  code[last].letYield();
}

/// The NOP after a fence waits for all that came before, also for the fence's
/// own sources, for which nothing after it in the block has to wait.
static void dropWaits(MutableArrayRef<Instruction> code,
                      const ControlFlow &flow, size_t fence) {
  const uint8_t board = readScoreboards(code[fence]).read;
  if (board == NoScoreboard)
    return;
  for (size_t i = fence + 2; i < code.size() && !flow.isStart(i); ++i) {
    ScoreboardFields fields = readScoreboards(code[i]);
    if (fields.waits == AllScoreboards)
      return;
    fields.waits &= ~(1 << board);
    writeScoreboards(code[i], fields);
    if (fields.read == board || fields.write == board)
      return;
  }
}

/// Other warps come first where 12 cycles have passed without that. An
/// instruction that stalled for a cycle is gone from before `at`.
static void moveYields(MutableArrayRef<Instruction> code,
                       const ControlFlow &flow, size_t at) {
  constexpr unsigned Period = 12, LongestShort = 2;
  unsigned sum = 0;
  for (size_t i = at; i-- && !flow.isStart(i + 1) && !code[i].yields();)
    sum += code[i].stall();
  unsigned old = sum + 1;
  for (size_t i = at; i < code.size() && (i == at || !flow.isStart(i)); ++i) {
    Instruction &inst = code[i];
    old += inst.stall();
    sum += inst.stall();
    const bool yielded = inst.yields();
    const bool isForced = yielded && inst.stall() <= LongestShort;
    if (yielded && (!isForced || sum >= Period))
      return;
    if (yielded != (old >= Period))
      return; // Something else decides here.
    if (yielded) {
      inst.forbidYield();
      old = 0;
    } else if (sum >= Period) {
      inst.letYield();
      inst.clearReuse();
      sum = 0;
    }
  }
}

void renewOldestCode(MutableArrayRef<uint8_t> code,
                     ArrayRef<uint32_t> shortened) {
  std::vector<Instruction> insts = readInstructions(code);
  std::optional<ControlFlow> flow = ControlFlow::build(insts);
  for (size_t i = 0; i != insts.size(); ++i) {
    renewShift(insts, i);
    renewDelay(insts, i);
    if (flow && insts[i].isMembar() && i + 1 != insts.size() &&
        insts[i + 1].isNop() &&
        readScoreboards(insts[i + 1]).waits == AllScoreboards)
      dropWaits(insts, *flow, i);
  }
  if (flow)
    for (uint32_t at : shortened)
      moveYields(insts, *flow, at);
  for (size_t i = 0; i != insts.size(); ++i)
    insts[i].write(code.data() + i * InstructionSize);
}

} // namespace lld::cuda
