//===- SharedLibraries.h - Libraries that aren't linked ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Finds shared libraries, which a device link can't take. Asked for a -l
/// option that has no archive, to say so, for symbols that a library may hold,
/// and where nvcc's command line is read.
///
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
