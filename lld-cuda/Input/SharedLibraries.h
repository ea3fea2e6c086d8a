//===- SharedLibraries.h - Search for shared libraries ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A search for shared libraries, which can't be inputs of a device link.
/// Libraries.cpp calls it when a -l option has no archive, to say so in the
/// error; Explain/ExplainLibraries.cpp for notes about undefined symbols; and
/// NvccCommand.cpp while it reads nvcc's command line.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_INPUT_SHAREDLIBRARIES_H
#define LLD_CUDA_INPUT_SHAREDLIBRARIES_H

#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>

namespace lld::cuda {

/// Returns the path of "lib<name>.so" in `directory`, or nullopt if there is no
/// such file. Defined in Libraries.cpp.
std::optional<std::string> findSharedLibrary(llvm::StringRef directory,
                                             llvm::StringRef name);

} // namespace lld::cuda

#endif
