//===- LoadNext.h - Inputs that come one by one -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_INPUT_LOADNEXT_H
#define LLD_CUDA_INPUT_LOADNEXT_H

#include "Input/InputFiles.h"
#include <set>

namespace lld::cuda {

/// Loads a prepared input, the last one of inputs.config.inputs, as
/// loadInputs() does, and reports what is wrong with it. PTX isn't compiled.
/// `archives`: those that have been read, which are read once.
InputFile &loadNextInput(Inputs &inputs,
                         std::set<llvm::sys::fs::UniqueID> &archives);

} // namespace lld::cuda

#endif
