//===- FunctionCode.h - The code of a function ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What the passes of Finalizer.h share: how they read and replace a function's
/// code, and what else they know of it.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_FINALIZE_FUNCTIONCODE_H
#define LLD_CUDA_FINALIZE_FUNCTIONCODE_H

#include "lld-cuda/Finalize/CodeEdit.h"
#include "lld-cuda/Sass/ControlFlow.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseSet.h"
#include <vector>

namespace lld::cuda {

struct Inputs;
struct Program;
struct Function;
struct OutputSection;

/// The first toolkits, as objects number them, whose code has this already.
constexpr uint32_t FirstBeyondBlocks = 131, FirstWithFp64Events = 133,
                   FirstWithoutDelays = 134;

/// Reachable, with native code and its Mercury form.
bool hasCode(const Function &f);

/// -suppress-debug-info takes -g back as far as the code goes.
bool isDebugLink(const Inputs &inputs);

/// The section's only part gets `size` bytes at `bytes`.
void setOwnContents(OutputSection &sec, uint8_t *bytes, size_t size);

/// A copy of a section of one part, with all that has been patched.
llvm::MutableArrayRef<uint8_t> copyContents(const Inputs &inputs,
                                            OutputSection &sec);

/// `code` is a changed copy of all contents, patches included.
void replaceCode(Function &f, llvm::MutableArrayRef<uint8_t> code);

/// What an edit removes from a kernel that nvlink has allocated scoreboards
/// for.
struct RemovedCode {
  std::vector<uint32_t> indices; ///< Empty if the edit does something else.
  bool hasEvents = false;
};

RemovedCode findRemovedCode(const Inputs &inputs, const Function &f);

/// Where the jumps through tables in the code of `f` go, by its records. None
/// if one of them is damaged: then nothing may be pending at such a jump.
/// `isEdited`: places are those after the function's edit.
std::vector<JumpTable> findJumpTables(const Function &f, bool isEdited);

/// Indices of what the function's edit changes in one way, as the instructions
/// stand in the input.
std::vector<uint32_t> findChanges(const Function &f,
                                  bool CodeEdit::Change::*isWanted);

/// Indices of the EXITs that the function's edit puts barriers before.
std::vector<uint32_t> findExitsWithBarriers(const Function &f);

/// Functions of objects that an older compiler has made, with its allocator,
/// get the fields of the newer one [scoreboards-older-code]. Returns those that
/// are allocated for all that will become of them.
llvm::DenseSet<const Function *> renewOlderCode(const Inputs &inputs,
                                                Program &program);

} // namespace lld::cuda

#endif
