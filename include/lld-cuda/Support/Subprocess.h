//===- Subprocess.h - Running other programs -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Runs other programs (ptxas, lld-cuda-lto, nvlink) and collects what they
/// print. The linker's passes that compile call it; it waits for the program,
/// and kills it when its time is over.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_SUPPORT_SUBPROCESS_H
#define LLD_CUDA_SUPPORT_SUBPROCESS_H

#include "lld-cuda/Support/Cleanup.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace lld::cuda {

struct ToolResult {
  int status = -1;
  std::string output;  ///< What it printed; paths of `directory` are cut off.
  std::string problem; ///< Why it couldn't be started, or how it died.
  bool tookTooLong = false; ///< Which is how it died.
  /// Its status is lost: SIGCHLD is ignored in this process, or somebody else
  /// in it waits for all children. `problem` says so.
  bool hasLostStatus = false;
};

/// Where a program runs: where we do, or in its temporary directory.
enum class WorkIn { Current, Temporary };

/// Runs a program to its end; both its streams become `output`. It inherits no
/// other descriptor. After some seconds it is killed; 0: never.
ToolResult runTool(const TemporaryDirectory &directory, llvm::StringRef name,
                   const std::string &program,
                   llvm::ArrayRef<std::string> words,
                   WorkIn where = WorkIn::Current, unsigned seconds = 0);

} // namespace lld::cuda

#endif
