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

#include "lld-cuda/Sass/ControlFlow.h"
#include "llvm/ADT/ArrayRef.h"
#include <vector>

namespace lld::cuda {

struct Inputs;
struct Function;
struct OutputSection;

/// Reachable, with native code and its Mercury form.
bool hasCode(const Function &f);

/// -suppress-debug-info takes -g back as far as the code goes.
bool isDebugLink(const Inputs &inputs);

/// The section's only part gets `bytes`.
void setOwnContents(OutputSection &sec, llvm::MutableArrayRef<uint8_t> bytes);

/// Where the jumps through tables in the code of `f` go, by its records, as
/// indices of instructions in the input. None if one of them is damaged: then
/// nothing may be pending at such a jump.
std::vector<JumpTable> findJumpTables(const Function &f);

} // namespace lld::cuda

#endif
