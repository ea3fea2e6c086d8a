//===- LiveRegisters.cpp - What is read after a block ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LiveRegisters.h"

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
      reads[b] |= inst.uses & ~writes[b];
      if (!inst.isGuarded())
        writes[b] |= inst.defs;
    }
  for (bool changes = true; changes;) {
    changes = false;
    for (size_t b = size; b--;) {
      const BasicBlock &bb = flow.blocks[b];
      RegisterSet out;
      if (bb.endsInReturn || bb.endsInCall || bb.endsInTable)
        out.set();
      for (uint32_t s : bb.successors)
        out |= liveIn[s];
      const RegisterSet in = reads[b] | (out & ~writes[b]);
      changes |= in != liveIn[b] || out != liveOut[b];
      liveIn[b] = in;
      liveOut[b] = out;
    }
  }
  return liveOut;
}

} // namespace lld::cuda::scoreboards
