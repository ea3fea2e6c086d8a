//===- SerialCode.h - Code that isn't optimized -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The whole of a function without optimization, where each instruction waits
/// for everything, loses its scheduling [code-unoptimized-schedule].
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_LIB_FINALCODE_SERIALCODE_H
#define LLD_CUDA_LIB_FINALCODE_SERIALCODE_H

#include "lld-cuda/Sass/Code.h"
#include "llvm/ADT/ArrayRef.h"
#include <vector>

namespace lld::cuda {

/// Whether each instruction waits for everything. Barriers, place holders of
/// fences and the branch after the end don't.
bool isSerialCode(llvm::ArrayRef<sass::Instruction> code);

/// What is left of the scheduling, for each instruction: place holders of
/// fences keep theirs.
std::vector<uint32_t> clearScheduling(llvm::ArrayRef<sass::Instruction> code);

} // namespace lld::cuda

#endif
