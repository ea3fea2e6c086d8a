//===- ControlFlow.h - Basic blocks of a function ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The control flow graph of a function of sm_100 or later.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_SASS_CONTROLFLOW_H
#define LLD_CUDA_SASS_CONTROLFLOW_H

#include "lld-cuda/Sass/Code.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>
#include <vector>

namespace lld::cuda {

/// A jump through a table: where it stands and all the places that it may go
/// to, as indices of instructions.
struct JumpTable {
  uint32_t jump;
  std::vector<uint32_t> targets;
};

struct BasicBlock {
  uint32_t begin, end; ///< Indices of instructions.
  llvm::SmallVector<uint32_t, 2> successors, predecessors;
  bool endsInExit = false;   ///< Always.
  bool endsInReturn = false; ///< Always.
  /// A jump through a table. Unless it is known where it goes, nothing may be
  /// pending then.
  bool endsInTable = false;
  bool hasKnownTargets = false; ///< All targets of its table are known.
  /// A call comes back to the next block. Nothing may be pending either.
  bool endsInCall = false;
  /// The next block is another part of the same one.
  bool continues = false;
};

class ControlFlow {
public:
  /// None for code with jumps out of the function. `tables`: where jumps
  /// through tables go, as far as that is known.
  static std::optional<ControlFlow>
  build(llvm::ArrayRef<sass::Instruction> code,
        llvm::ArrayRef<JumpTable> tables = {});

  /// Takes blocks to which nothing else leads for the targets of the nearest
  /// table in front of them, unless those are known; tables may have more. The
  /// order follows.
  void addTableTargets();

  /// Begins another part of a block at a WARPSYNC that names no place, if the
  /// part before it has an LDCU [scoreboards-parts]. The order of the blocks
  /// stays.
  void splitAtBarriers(llvm::ArrayRef<sass::Instruction> code);

  /// The last part of the block that begins with part `b`.
  uint32_t lastPart(uint32_t b) const {
    while (blocks[b].continues)
      ++b;
    return b;
  }

  /// Whether a block begins at this instruction.
  bool isStart(uint32_t i) const {
    auto it = llvm::lower_bound(
        blocks, i, [](const BasicBlock &b, uint32_t i) { return b.begin < i; });
    return it == blocks.end() || it->begin == i;
  }

  std::vector<BasicBlock> blocks;
  /// Blocks in the order in which nvlink allocates scoreboards: reverse
  /// post-order of a depth first search that goes on to the next block before
  /// it follows a branch; then those that can't be reached.
  std::vector<uint32_t> order;
  std::vector<uint32_t> position; ///< In `order`, by block.

private:
  void addTargets(uint32_t block, const JumpTable *table,
                  llvm::ArrayRef<uint32_t> blockAt);
  void sort();
};

} // namespace lld::cuda

#endif
