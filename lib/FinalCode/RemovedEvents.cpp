//===- RemovedEvents.cpp - Waits for instructions that are removed --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A MEMBAR sets a scoreboard, and the instruction after it waits for that
/// scoreboard. If an edit removes the MEMBAR, the wait is no longer needed,
/// unless an earlier instruction may still be pending on the same scoreboard.
/// dropRemovedEvents() looks for such an instruction back to the start of the
/// block; in doubt the wait is kept. EditPlanner (CodeEdit.cpp) calls it before
/// it schedules code of sm_100 for sm_103, since the scheduler reads the waits.
///
//===----------------------------------------------------------------------===//

#include "RemovedEvents.h"
#include "lld-cuda/Sass/ControlFlow.h"
#include "lld-cuda/Sass/ScoreboardFields.h"

using namespace llvm;
using namespace lld::cuda::sass;

namespace lld::cuda {

/// Whether something before the instruction may be pending on a scoreboard.
static bool isPending(ArrayRef<Instruction> code, const ControlFlow &flow,
                      uint32_t index, unsigned scoreboard) {
  while (index--) {
    const ScoreboardFields fields = readScoreboards(code[index]);
    if (fields.write == scoreboard || fields.read == scoreboard)
      return true;
    if (fields.waits >> scoreboard & 1)
      return false;
    if (index && flow.isStart(index))
      return true;
  }
  return false;
}

std::vector<uint8_t> dropRemovedEvents(ArrayRef<uint8_t> code,
                                       ArrayRef<uint32_t> removed) {
  constexpr unsigned WaitBit = 52;
  std::vector<uint8_t> result = code.vec();
  std::vector<Instruction> insts;
  std::optional<ControlFlow> flow;
  for (const uint32_t index : removed) {
    const uint32_t next = index + 1;
    const unsigned scoreboard =
        readScoreboards(
            Instruction::read(code.data() + uint64_t(index) * InstructionSize))
            .read;
    if (scoreboard == NoScoreboard)
      continue;
    if (!flow) {
      insts = readInstructions(code);
      if (!(flow = ControlFlow::build(insts)))
        return result;
    }
    if (isPending(insts, *flow, index, scoreboard))
      continue;
    Instruction inst = insts[next];
    inst.dropWaits(1ull << (WaitBit + scoreboard));
    inst.write(result.data() + uint64_t(next) * InstructionSize);
  }
  return result;
}

} // namespace lld::cuda
