//===- Version.h - The project's version ------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The project's version. The tools' main functions set what LLVM's CommandLine
/// prints for --version; reports (HTML, SARIF) and the cache's keys
/// (ContentCache.cpp) contain the version.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_SUPPORT_VERSION_H
#define LLD_CUDA_SUPPORT_VERSION_H

#include "llvm/ADT/StringRef.h"

namespace lld::cuda {

/// Makes cl::ParseCommandLineOptions() print "NAME of lld-cuda 0.1.0" for
/// --version. Called before it.
void setProgramName(llvm::StringLiteral name);

/// Returns the version of this project, such as "0.1.0".
llvm::StringRef getVersion();

} // namespace lld::cuda

#endif
