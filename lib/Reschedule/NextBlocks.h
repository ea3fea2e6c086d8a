//===- NextBlocks.h - What the next blocks depend on ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A look one block ahead for the replay of nvlink's second allocator of
/// scoreboards (ScoreboardReplay.h), which knows whether the blocks that
/// directly follow a block depend on its events, i.e. on results or reads of
/// sources that come after a variable time (rule [scoreboards-beyond-blocks] of
/// docs/reference). ScoreboardReplay.cpp and ScoreboardBlocks.cpp use it while
/// they allocate the scoreboards of a block. The allocator knows nothing of
/// later blocks, and only of registers: not that a BSYNC waits for uniform
/// results, for example.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_LIB_RESCHEDULE_NEXTBLOCKS_H
#define LLD_CUDA_LIB_RESCHEDULE_NEXTBLOCKS_H

#include "ScoreboardEvents.h"
#include "lld-cuda/Sass/ControlFlow.h"
#include <bitset>

namespace lld::cuda::scoreboards {

/// The registers that the successors of the current block read and write.
/// `kernel` and `flow` must outlive the object.
class NextBlocks {
public:
  NextBlocks(const Kernel &kernel, const ControlFlow &flow)
      : kernel(kernel), flow(flow),
        blocks(kernel.looksBeyondBlocks ? flow.blocks.size() : 0) {}

  /// Makes `block` the current one: need() then asks about its successors. Does
  /// nothing for an allocator that doesn't look beyond blocks.
  void enter(uint32_t block);
  /// Returns whether an instruction in a successor depends on the result of
  /// `source` or, with `isRead`, on `source` having read its operands.
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
