//===- Finalizer.h - A function's code in both views ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What the passes that describe code (DebugFrame.cpp, DebugTables.cpp) ask the
/// finalizer's pass: where an instruction of the Mercury view is in the native
/// code. They run before it changes the code.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_FINALIZE_FINALIZER_H
#define LLD_CUDA_FINALIZE_FINALIZER_H

#include "lld-cuda/FinalCode/MercuryOffsets.h"

namespace lld::cuda {

struct Function;

/// Nothing is known if the function has no code in one of the views.
MercuryOffsets getMercuryOffsets(const Function &f);

} // namespace lld::cuda

#endif
