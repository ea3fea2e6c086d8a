//===- Finalizer.h - Mercury offsets of functions ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The interface of the finalizer's pass (Finalizer.cpp) for the passes that
/// rewrite debug information (DebugFrame.cpp, DebugTables.cpp): where an
/// instruction of the Mercury view is in the native code. From sm_100 on a
/// cubin holds its code in these two forms (docs/reference/mercury.md). The
/// debug passes run in a final link before the finalizer changes the code.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_FINALIZE_FINALIZER_H
#define LLD_CUDA_FINALIZE_FINALIZER_H

#include "lld-cuda/FinalCode/MercuryOffsets.h"

namespace lld::cuda {

struct Function;

/// Returns the table of offsets of a function. It is empty if the function has
/// no code in one of the views.
MercuryOffsets getMercuryOffsets(const Function &f);

} // namespace lld::cuda

#endif
