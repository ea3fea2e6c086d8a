//===- PtxasOptions.h - Filter for options of ptxas -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A filter for options of ptxas. PtxCompiler.cpp calls addEntryOptions()
/// before it compiles PTX, and Compilers.cpp the other functions when it runs
/// ptxas.
///
/// The options that an input contains aren't trusted: only those that
/// PtxasOptions.def allows are passed to ptxas, in a form that it can't mistake
/// for something else. Options of -Xptxas come from the user and are trusted.
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

/// Appends the options in the options text of a fatbin entry to `words`, each
/// as one argument. Returns an error message if one of them can't be followed,
/// or
/// "". `arch` is the target as ptxas calls it.
std::string addEntryOptions(std::vector<std::string> &words,
                            llvm::StringRef text, llvm::StringRef arch);

/// Returns whether the result of ptxas depends on nothing but these arguments
/// and the PTX: each is a known option that neither names a file nor asks for
/// anything but compiling.
bool areSelfContained(llvm::ArrayRef<std::string> words);

/// Returns whether options of ptxas ask for debug information (-g).
bool compilesForDebugger(llvm::ArrayRef<std::string> words);

/// Makes the paths in the arguments absolute, for a ptxas that runs in another
/// directory. Returns why that failed.
std::error_code makeFilesAbsolute(std::vector<std::string> &words);

} // namespace lld::cuda

#endif
