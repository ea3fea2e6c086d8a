//===- Subprocess.h - Running other programs --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Runs another program (ptxas, lld-cuda-lto, nvlink, a host linker) to its end
/// and collects what it prints. Called by the linker's passes that compile
/// (Compilers.cpp, lld-cuda/Lto), by HostLinkerScript.cpp, and by the program
/// in nvlink's place (RunReplaced.cpp). The caller waits; the program can have
/// a time limit.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_SUPPORT_SUBPROCESS_H
#define LLD_CUDA_SUPPORT_SUBPROCESS_H

#include "lld-cuda/Support/Cleanup.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace lld::cuda {

/// How a program ended.
struct ToolResult {
  int status = -1; ///< Exit status; negative unless the program exited.
  /// What it printed; the path of `directory` is removed from it.
  std::string output;
  /// Why it couldn't be started, or the signal that ended it; else empty.
  std::string problem;
  /// Whether it was killed because its time was over.
  bool tookTooLong = false;
  /// Whether its exit status is unknown: SIGCHLD is ignored in this process, or
  /// something else in it waits for all children. `problem` says so.
  bool hasLostStatus = false;
};

/// The program's working directory: this process's, or the temporary one.
enum class WorkIn { Current, Temporary };

/// Runs `program` with the arguments `words` and waits for it. Standard output
/// and standard error are collected in `output`, through the file NAME.messages
/// in `directory`; standard input is /dev/null, and no other descriptor is
/// inherited. After `seconds` (0 for no limit) the program is killed.
ToolResult runTool(const TemporaryDirectory &directory, llvm::StringRef name,
                   const std::string &program,
                   llvm::ArrayRef<std::string> words,
                   WorkIn where = WorkIn::Current, unsigned seconds = 0);

} // namespace lld::cuda

#endif
