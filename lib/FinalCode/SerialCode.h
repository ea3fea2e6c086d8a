//===- SerialCode.h - Unoptimized code --------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Functions about code that was compiled without optimization, where each
/// instruction waits for everything before it. CodeEdit.cpp calls them when a
/// final link plans a function's edit: nvlink clears the scheduling fields of
/// all of such a function (rule [code-unoptimized-schedule] of docs/reference).
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_LIB_FINALCODE_SERIALCODE_H
#define LLD_CUDA_LIB_FINALCODE_SERIALCODE_H

#include "lld-cuda/Sass/Code.h"
#include "llvm/ADT/ArrayRef.h"
#include <vector>

namespace lld::cuda {

/// Returns whether each instruction waits for everything, except barriers,
/// placeholders of fences and the branch after the end.
bool isSerialCode(llvm::ArrayRef<sass::Instruction> code);

/// Returns the new scheduling fields, one for each instruction; placeholders of
/// fences keep theirs.
std::vector<uint32_t> clearScheduling(llvm::ArrayRef<sass::Instruction> code);

} // namespace lld::cuda

#endif
