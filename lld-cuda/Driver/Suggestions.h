//===- Suggestions.h - Notes about mistyped options -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Notes below errors about the command line that say what may have been meant.
/// LldDriver.cpp, LldOptions.cpp and Options.cpp call these functions while
/// they read a command line, directly after they have reported an unknown
/// architecture or option.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_DRIVER_SUGGESTIONS_H
#define LLD_CUDA_DRIVER_SUGGESTIONS_H

#include "Explain/NearNames.h"

namespace lld::cuda {

class Diagnostics;

/// Adds notes to an error about an unknown architecture, `word`: the
/// architecture that may have been meant, and all architectures that any
/// release links for, without suffixes.
void explainArchitectures(Diagnostics &diag, llvm::StringRef word);

/// Adds a note to an error about an unknown option, if `word` is an option of
/// compilers that is often given to linkers by mistake.
void explainCompilerOption(Diagnostics &diag, llvm::StringRef word);

} // namespace lld::cuda

#endif
