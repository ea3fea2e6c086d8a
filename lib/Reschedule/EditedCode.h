//===- EditedCode.h - What an edit does to a schedule -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Which instructions of a function its edit (CodeEdit.h) removes or puts
/// barriers before, as far as its scoreboards depend on that. Indices are those
/// of instructions in the input.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_LIB_RESCHEDULE_EDITEDCODE_H
#define LLD_CUDA_LIB_RESCHEDULE_EDITEDCODE_H

#include "lld-cuda/FinalCode/CodeEdit.h"
#include "lld-cuda/Sass/ControlFlow.h"

namespace lld::cuda {

/// What an edit removes from a kernel that nvlink has allocated scoreboards
/// for.
struct RemovedCode {
  std::vector<uint32_t> indices; ///< Empty if the edit does something else.
  bool hasEvents = false;
};

/// `edit` may be null. `looksBeyondBlocks`: by the second allocator; the first
/// one doesn't know of what is removed.
RemovedCode findRemovedCode(const CodeEdit *edit, llvm::ArrayRef<uint8_t> code,
                            bool looksBeyondBlocks);

/// What the edit changes in one way.
std::vector<uint32_t> findChanges(const CodeEdit *edit,
                                  bool CodeEdit::Change::*isWanted);

/// The EXITs that the edit puts barriers before.
std::vector<uint32_t> findExitsWithBarriers(const CodeEdit *edit);

/// Where the same jumps go in the edited code.
std::vector<JumpTable> moveJumpTables(const CodeEdit *edit,
                                      llvm::ArrayRef<JumpTable> tables);

} // namespace lld::cuda

#endif
