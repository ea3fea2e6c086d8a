//===- NextBlocks.cpp - What the blocks after one need --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Tells whether the blocks after a basic block depend on its events.
/// ScoreboardReplay.cpp and ScoreboardBlocks.cpp ask while they allocate the
/// scoreboards of a block, in a link with --reschedule. enter() joins the
/// registers that the blocks directly after the current one use; need() then
/// says whether one of these blocks depends on an event (a result, or a read of
/// sources, that comes after a variable time) of the current block. A block's
/// registers are collected when somebody first asks for them. nvlink's second
/// allocator of scoreboards looks one block ahead, and so does this class:
/// results agree with nvlink's only if it knows no more than nvlink does
/// [scoreboards-beyond-blocks].
///
//===----------------------------------------------------------------------===//

#include "NextBlocks.h"

using namespace llvm;
using namespace lld::cuda::sass;

namespace lld::cuda::scoreboards {

const NextBlocks::Registers &NextBlocks::registersOf(uint32_t block) {
  Registers &own = blocks[block];
  if (own.isKnown)
    return own;
  own.isKnown = true;
  const BasicBlock &bb = flow.blocks[block];
  for (uint32_t i = bb.begin; i != bb.end; ++i) {
    forEachRegister(kernel.operands[i].uses,
                    [&](unsigned k) { own.touched.set(k); });
    forEachRegister(kernel.operands[i].defs,
                    [&](unsigned k) { own.written.set(k); });
  }
  own.touched |= own.written;
  return own;
}

void NextBlocks::enter(uint32_t block) {
  if (blocks.empty())
    return;
  next = Registers();
  for (uint32_t s : flow.blocks[block].successors) {
    const Registers &own = registersOf(s);
    next.touched |= own.touched;
    next.written |= own.written;
  }
}

bool NextBlocks::need(const Operands &source, bool isRead) const {
  bool found = false;
  if (isRead)
    forEachRegister(source.uses, [&](unsigned k) {
      found |=
          k < source.lateRegisters() && next.written[k] && !source.writes(k);
    });
  else
    forEachRegister(source.defs, [&](unsigned k) { found |= next.touched[k]; });
  return found;
}

} // namespace lld::cuda::scoreboards
