//===- EditedCode.h - What scoreboards ask about an edit --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Questions about the edit of a function (CodeEdit.h: what a final link
/// removes from its code and inserts) whose answers its scoreboards depend on.
/// Reschedule.cpp and OlderCode.cpp ask them before they allocate a function's
/// scoreboards anew. Indices are those of instructions in the input.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_LIB_RESCHEDULE_EDITEDCODE_H
#define LLD_CUDA_LIB_RESCHEDULE_EDITEDCODE_H

#include "lld-cuda/FinalCode/CodeEdit.h"
#include "lld-cuda/Sass/ControlFlow.h"

namespace lld::cuda {

/// The instructions that an edit removes from a kernel for which nvlink
/// allocates scoreboards.
struct RemovedCode {
  std::vector<uint32_t> indices; ///< Empty if the edit does something else.
  bool hasEvents = false;        ///< Whether any of them sets a scoreboard.
};

/// Finds the instructions that `edit` removes; `edit` may be null.
/// `looksBeyondBlocks` says that the second allocator is used
/// (ScoreboardAllocator); the first one doesn't know what is removed.
RemovedCode findRemovedCode(const CodeEdit *edit, llvm::ArrayRef<uint8_t> code,
                            bool looksBeyondBlocks);

/// Returns the indices of the changes of `edit`, which may be null, for which
/// the flag `isWanted` is set.
std::vector<uint32_t> findChanges(const CodeEdit *edit,
                                  bool CodeEdit::Change::*isWanted);

/// Returns the indices of the EXITs before which the edit puts error barriers.
std::vector<uint32_t> findExitsWithBarriers(const CodeEdit *edit);

/// Translates the targets of jump tables to offsets in the edited code.
std::vector<JumpTable> moveJumpTables(const CodeEdit *edit,
                                      llvm::ArrayRef<JumpTable> tables);

} // namespace lld::cuda

#endif
