//===- Fp64Delays.cpp - NOPs between FP64 instructions --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Finds the NOPs that older compilers put between FP64 instructions, and sets
/// stalls as if they weren't there. These are two steps, at two times of a link
/// with --reschedule, because the NOPs must stay until the code edit is carried
/// out. findFp64Delays() finds them when the edit is planned (CodeEdit.cpp).
/// closeFp64Delays() then sets the stalls of the other instructions
/// (OlderCode.cpp calls it before the edit). An instruction before a delay then
/// stalls only until the next instruction is as many cycles away as it must be
/// from all instructions before it (IssueDistances.h) [code-fp64-delays].
///
//===----------------------------------------------------------------------===//

#include "Fp64Delays.h"
#include "IssueDistances.h"
#include "KeptOperands.h"
#include "Scoreboards.h"
#include "lld-cuda/Sass/ControlFlow.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace lld::cuda::sass;
using namespace lld::cuda::scoreboards;

namespace lld::cuda {

static bool isDelay(const Instruction &inst) {
  constexpr unsigned Always = 7;
  return inst.isNop() && inst.predicate() == Always && inst.stall() &&
         readScoreboards(inst) == ScoreboardFields();
}

std::vector<uint32_t> findFp64Delays(ArrayRef<Instruction> code) {
  std::vector<uint32_t> delays;
  std::optional<ControlFlow> flow;
  for (uint32_t i = 1; i < code.size(); ++i) {
    if (!isDelay(code[i]) || code[i - 1].stall() != MaxStall ||
        code[i - 1].isNop())
      continue;
    uint32_t end = i;
    while (end != code.size() && isDelay(code[end]))
      ++end;
    if (end == code.size() || !code[end].usesFP64Unit())
      continue;
    if (!flow && !(flow = ControlFlow::build(code)))
      return {};
    bool isInBlock = true;
    for (uint32_t k = i; k <= end; ++k)
      isInBlock &=
          !flow->isStart(k) && (k + 1 >= end || code[k].stall() == MaxStall);
    for (uint32_t k = i; isInBlock && k != end; ++k)
      delays.push_back(k);
    i = end;
  }
  return delays;
}

namespace {

/// A block without the delays.
struct ShortBlock {
  std::vector<Instruction> old, code;
  std::vector<TimedInstruction> timed;
  std::vector<unsigned> oldTime, time; ///< Since the begin of the block.
  std::vector<bool> isBeforeDelay;
};

} // namespace

static bool isNear(const Instruction &inst, const Instruction &next) {
  const ScoreboardFields f = readScoreboards(inst);
  const uint8_t waits = readScoreboards(next).waits;
  return (f.write != NoScoreboard && waits >> f.write & 1) ||
         (f.read != NoScoreboard && waits >> f.read & 1);
}

/// Returns the stall of instruction j with which no two instructions are nearer
/// than they were without the delays, or than they may be.
static unsigned stallFor(const ShortBlock &block, size_t j) {
  constexpr unsigned EventStall = 2;
  unsigned stall = block.isBeforeDelay[j] ? 1 : block.old[j].stall();
  if (block.isBeforeDelay[j] && isNear(block.code[j], block.code[j + 1]))
    stall = EventStall;
  RegisterSet overwritten;
  for (size_t q = j + 1; q--;) {
    const unsigned passed = block.time[j] - block.time[q];
    if (passed >= MaxStall)
      break;
    TimedInstruction from = block.timed[q];
    from.defs -= overwritten;
    if (!from.isGuarded())
      overwritten |= from.defs;
    const unsigned distance = std::min(minDistance(from, block.timed[j + 1]),
                                       block.oldTime[j + 1] - block.oldTime[q]);
    stall = std::max<int>(stall, int(distance) - int(passed));
  }
  return stall;
}

void closeFp64Delays(MutableArrayRef<Instruction> code,
                     ArrayRef<uint32_t> delays, unsigned sm) {
  std::optional<ControlFlow> flow = ControlFlow::build(code);
  if (!flow)
    return;
  for (const BasicBlock &bb : flow->blocks) {
    ShortBlock block;
    std::vector<uint32_t> indices;
    unsigned oldTime = 0, timeAtEnd = 0;
    for (uint32_t i = bb.begin; i != bb.end; ++i) {
      if (llvm::binary_search(delays, i)) {
        if (!block.isBeforeDelay.empty())
          block.isBeforeDelay.back() = true;
        timeAtEnd += code[i].stall();
      } else {
        timeAtEnd = 0;
        indices.push_back(i);
        block.old.push_back(code[i]);
        block.timed.emplace_back(code[i], sm);
        block.oldTime.push_back(oldTime);
        block.isBeforeDelay.push_back(false);
      }
      oldTime += std::max<unsigned>(code[i].stall(), 1);
    }
    if (timeAtEnd && !block.old.empty())
      setStall(block.old.back(),
               std::min(block.old.back().stall() + timeAtEnd, MaxStall));
    if (none_of(block.isBeforeDelay, [](bool is) { return is; }))
      continue;
    block.code = block.old;
    block.time.push_back(0);
    for (size_t j = 0; j + 1 < indices.size(); ++j) {
      setStall(block.code[j], stallFor(block, j));
      block.time.push_back(block.time[j] + std::max(block.code[j].stall(), 1u));
    }
    setYields(block.old, block.code);
    keepOperands(block.old, block.code);
    for (size_t j = 0; j != indices.size(); ++j)
      code[indices[j]] = block.code[j];
  }
}

} // namespace lld::cuda
