//===- SharedLibraries.h - Libraries that aren't linked ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_INPUT_SHAREDLIBRARIES_H
#define LLD_CUDA_INPUT_SHAREDLIBRARIES_H

#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>

namespace lld::cuda {

/// The path of a shared library of that name, if there is one: for messages.
/// Libraries.cpp.
std::optional<std::string> findSharedLibrary(llvm::StringRef directory,
                                             llvm::StringRef name);

} // namespace lld::cuda

#endif
