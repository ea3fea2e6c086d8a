//===- Version.h - What --version says --------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The project's version: what all programs print for --version, and what
/// reports and the cache write about who made them.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_SUPPORT_VERSION_H
#define LLD_CUDA_SUPPORT_VERSION_H

#include "llvm/ADT/StringRef.h"

namespace lld::cuda {

/// Has cl::ParseCommandLineOptions() print "NAME of lld-cuda 0.1.0" for
/// --version, instead of LLVM's.
void setProgramName(llvm::StringLiteral name);

/// The version of this project as messages print it, such as "0.1.0".
llvm::StringRef getVersion();

} // namespace lld::cuda

#endif
