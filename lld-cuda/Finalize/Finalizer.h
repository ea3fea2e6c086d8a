//===- Finalizer.h - A function's code in both views ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
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
