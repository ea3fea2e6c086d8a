//===- FunctionCode.h - Helpers for functions' code -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Helpers for reading and replacing a function's code that the finalizer's
/// pass (Finalizer.cpp) and DebugFrame.cpp share. Both run near the end of a
/// link for sm_100 and later, whose cubins hold native code and its Mercury
/// form (docs/reference/mercury.md).
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

/// Returns whether a function is reachable and has both native code and its
/// Mercury form.
bool hasCode(const Function &f);

/// Returns whether code is linked for debugging: -g is given, and not
/// -suppress-debug-info.
bool isDebugLink(const Inputs &inputs);

/// Makes `bytes`, which must live until the output is written, the contents of
/// a section that has one part.
void setOwnContents(OutputSection &sec, llvm::MutableArrayRef<uint8_t> bytes);

/// Returns the targets of the jumps through tables in the code of `f`, by its
/// .nv.info records, as indices of instructions in the input. Returns an empty
/// list if a record is damaged; then nothing may be pending at such a jump.
std::vector<JumpTable> findJumpTables(const Function &f);

} // namespace lld::cuda

#endif
