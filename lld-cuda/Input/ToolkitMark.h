//===- ToolkitMark.h - Programs of a toolkit directory ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Toolkit directories that lld-cuda-toolkit has made have the release's number
/// in a file. The driver looks for it when the program was started from such a
/// directory.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_INPUT_TOOLKITMARK_H
#define LLD_CUDA_INPUT_TOOLKITMARK_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace lld::cuda {

struct LinkJob;

/// The release that is written into the toolkit directory that `program`, a
/// path, lies in; empty if it lies in none.
std::string releaseOfToolkit(llvm::StringRef program);

/// The release that a toolkit directory made by lld-cuda-toolkit stands for, if
/// the program was started from one. Comes before readRelease().
void takeReleaseOfToolkit(LinkJob &job);

} // namespace lld::cuda

#endif
