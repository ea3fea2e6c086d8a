//===- ControlFlow.h - Basic blocks of a function ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The control flow graph of a function of sm_100 or later, built from its
/// decoded SASS instructions (native GPU code). The passes of lib/Reschedule,
/// and some of lib/FinalCode (OldestCode.cpp, RemovedEvents.cpp,
/// PredicateScoreboards.cpp), build one for each function when the linker
/// finalizes it at the end of a link, to follow scoreboards and registers from
/// block to block. The rules are in docs/reference/scoreboards.md.
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

/// A jump through a table: the index of the jump, and those of all instructions
/// to which it may lead.
struct JumpTable {
  uint32_t jump;
  std::vector<uint32_t> targets;
};

/// A run of instructions that is entered at its begin only.
struct BasicBlock {
  uint32_t begin, end; ///< Indices of instructions.
  llvm::SmallVector<uint32_t, 2> successors, predecessors;
  bool endsInExit = false;   ///< Ends in an unconditional EXIT.
  bool endsInReturn = false; ///< Ends in an unconditional return.
  /// The block ends in a jump through a table. If the targets are unknown, no
  /// scoreboard may be pending there.
  bool endsInTable = false;
  bool hasKnownTargets = false; ///< All targets of its table are known.
  /// The block ends in a call, which returns to the next block. No scoreboard
  /// may be pending there either.
  bool endsInCall = false;
  /// The next element is another part of the same block.
  bool continues = false;
};

/// The graph of one function.
class ControlFlow {
public:
  /// Builds the graph; returns nullopt for code with jumps out of the function.
  /// `tables`: the known targets of jumps through tables.
  static std::optional<ControlFlow>
  build(llvm::ArrayRef<sass::Instruction> code,
        llvm::ArrayRef<JumpTable> tables = {});

  /// Treats unreachable blocks as targets of the nearest jump through a table
  /// before them, unless its targets are known; the table may have more
  /// targets. Updates `order`.
  void addTableTargets();

  /// Splits blocks at a WARPSYNC without a target if the part before it has an
  /// LDCU (rule [scoreboards-parts]). The order of the blocks stays.
  void splitAtBarriers(llvm::ArrayRef<sass::Instruction> code);

  /// Returns the last part of the block that begins with part `b`.
  uint32_t lastPart(uint32_t b) const {
    while (blocks[b].continues)
      ++b;
    return b;
  }

  /// Returns whether a block begins at this instruction.
  bool isStart(uint32_t i) const {
    auto it = llvm::lower_bound(
        blocks, i, [](const BasicBlock &b, uint32_t i) { return b.begin < i; });
    return it == blocks.end() || it->begin == i;
  }

  std::vector<BasicBlock> blocks;
  /// Blocks in the order in which nvlink allocates scoreboards: reverse
  /// post-order of a depth-first search that visits the next block before a
  /// branch's target; then the unreachable blocks.
  std::vector<uint32_t> order;
  std::vector<uint32_t> position; ///< Position in `order`, indexed by block.

private:
  void addTargets(uint32_t block, const JumpTable *table,
                  llvm::ArrayRef<uint32_t> blockAt);
  void sort();
};

} // namespace lld::cuda

#endif
