//===- Suggestions.h - What a word was meant to be --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What may have been meant by a word that the command line doesn't know. The
/// readers of options call it after they have reported the error.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_DRIVER_SUGGESTIONS_H
#define LLD_CUDA_DRIVER_SUGGESTIONS_H

#include "Explain/NearNames.h"

namespace lld::cuda {

class Diagnostics;

/// Below a message about an architecture that doesn't exist: what may have been
/// meant, and all that any release links for, without suffixes.
void explainArchitectures(Diagnostics &diag, llvm::StringRef word);

/// Below a message about an option that doesn't exist: that it is a compiler's,
/// if it is one that people give to linkers by mistake.
void explainCompilerOption(Diagnostics &diag, llvm::StringRef word);

} // namespace lld::cuda

#endif
