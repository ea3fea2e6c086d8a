//===- LiveRegisters.cpp - Registers that are read after a block ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// AdditionSchedule.cpp and Fp64Schedule.cpp ask findLiveOut() whose results
/// must be there when a block ends. It is the usual backward dataflow analysis
/// over basic blocks, with a queue that is empty when nothing changes any more.
/// Two rules keep it safe: an instruction with a guard may do nothing, so it
/// doesn't end the life of a register, and after a return, a call or a jump
/// through a table all registers count as read.
///
//===----------------------------------------------------------------------===//

#include "LiveRegisters.h"
#include <numeric>

using namespace llvm;

namespace lld::cuda::scoreboards {

std::vector<RegisterSet> findLiveOut(const ControlFlow &flow,
                                     ArrayRef<TimedInstruction> insts) {
  const size_t size = flow.blocks.size();
  std::vector<RegisterSet> reads(size), writes(size), liveIn(size),
      liveOut(size);
  for (size_t b = 0; b != size; ++b)
    for (uint32_t i = flow.blocks[b].begin; i != flow.blocks[b].end; ++i) {
      const TimedInstruction &inst = insts[i];
      reads[b] |= inst.uses - writes[b];
      if (!inst.isGuarded())
        writes[b] |= inst.defs;
    }
  // The last block first; one whose successor has changed comes again.
  std::vector<uint32_t> work(size);
  std::iota(work.begin(), work.end(), 0);
  std::vector<bool> isQueued(size, true);
  while (!work.empty()) {
    const uint32_t b = work.back();
    work.pop_back();
    isQueued[b] = false;
    const BasicBlock &bb = flow.blocks[b];
    RegisterSet &out = liveOut[b];
    if (bb.endsInReturn || bb.endsInCall || bb.endsInTable)
      out = RegisterSet::all();
    for (uint32_t s : bb.successors)
      out |= liveIn[s];
    const RegisterSet in = reads[b] | (out - writes[b]);
    if (in == liveIn[b])
      continue;
    liveIn[b] = in;
    for (uint32_t p : bb.predecessors)
      if (!isQueued[p]) {
        isQueued[p] = true;
        work.push_back(p);
      }
  }
  return liveOut;
}

} // namespace lld::cuda::scoreboards
