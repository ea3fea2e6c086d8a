//===- ToolkitMark.h - Programs of a toolkit directory ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_RULES_TOOLKITMARK_H
#define LLD_CUDA_RULES_TOOLKITMARK_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace lld::cuda {

/// Where this process' program was found, if its first word doesn't say it.
llvm::StringRef pathOfProgram(llvm::StringRef program);

/// The release that is written into the toolkit directory that `program`, a
/// path, lies in; empty if it lies in none.
std::string releaseOfToolkit(llvm::StringRef program);

} // namespace lld::cuda

#endif
