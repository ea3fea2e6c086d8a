//===- PtxasOptions.h - ptxas's command line --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What an input says about its compile is nobody's word but the input's: no
/// more of it reaches ptxas than PtxasOptions.def allows, in a form that ptxas
/// can't take for anything else. What -Xptxas says is the user's.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_INPUT_PTXASOPTIONS_H
#define LLD_CUDA_INPUT_PTXASOPTIONS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <string>
#include <system_error>
#include <vector>

namespace lld::cuda {

/// Adds to `words` what the options text of an entry asks for, each option as
/// one word. Returns why that can't be followed, or "". `arch` is the target as
/// ptxas calls it.
std::string addEntryOptions(std::vector<std::string> &words,
                            llvm::StringRef text, llvm::StringRef arch);

/// Whether the words say all that there is to know: none names a file, asks for
/// something else than to compile, or isn't known.
bool areSelfContained(llvm::ArrayRef<std::string> words);

/// Whether options of ptxas ask for debug information (-g).
bool compilesForDebugger(llvm::ArrayRef<std::string> words);

/// For a ptxas that runs in another directory.
std::error_code makeFilesAbsolute(std::vector<std::string> &words);

} // namespace lld::cuda

#endif
