//===- NextBlocks.h - What the blocks after one need ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The second allocator knows which events the blocks that follow a block at
/// once depend on [scoreboards-beyond-blocks]. Nothing further is known to it,
/// and nothing but registers: not that a BSYNC waits for uniform results.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_LIB_RESCHEDULE_NEXTBLOCKS_H
#define LLD_CUDA_LIB_RESCHEDULE_NEXTBLOCKS_H

#include "ScoreboardEvents.h"
#include "lld-cuda/Sass/ControlFlow.h"
#include <bitset>

namespace lld::cuda::scoreboards {

class NextBlocks {
public:
  NextBlocks(const Kernel &kernel, const ControlFlow &flow)
      : kernel(kernel), flow(flow),
        blocks(kernel.looksBeyondBlocks ? flow.blocks.size() : 0) {}

  /// What follows is asked about this block's successors. None of an allocator
  /// that doesn't look beyond blocks.
  void enter(uint32_t block);
  /// Whether an instruction there depends on the result of `source`, or on its
  /// having read its sources.
  bool need(const sass::Operands &source, bool isRead) const;

private:
  struct Registers {
    std::bitset<sass::NumRegisters> touched, written;
    bool isKnown = false;
  };

  const Registers &registersOf(uint32_t block);

  const Kernel &kernel;
  const ControlFlow &flow;
  std::vector<Registers> blocks;
  Registers next;
};

} // namespace lld::cuda::scoreboards

#endif
