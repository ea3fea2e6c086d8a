//===- Sandbox.h - What a program may do while it reads files ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// --sandbox: a program that has read its command line gives up what it doesn't
/// need, so that a file that misuses a mistake in a reader gains less. By
/// Landlock it can write only where outputs and temporary files are, read only
/// what the command line names if that is known, start nothing and reach nobody
/// by TCP; programs that only look at files keep, by seccomp, no more system
/// calls than they use. What is refused is an error of the call, never the
/// process's end.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_SUPPORT_SANDBOX_H
#define LLD_CUDA_SUPPORT_SANDBOX_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <optional>
#include <string>
#include <system_error>
#include <vector>

namespace lld::cuda {

enum class SandboxMode {
  Auto, ///< As far as the kernel can.
  Yes,  ///< An error if the kernel can't.
  No,
};

/// The value of --sandbox: "auto", "yes" or "no"; nothing for another word.
std::optional<SandboxMode> parseSandboxMode(llvm::StringRef name);
llvm::StringRef getSandboxModeName(SandboxMode mode);

/// What stays allowed. Names are taken as they mean something now.
struct SandboxRules {
  /// Files, and folders with all in them. In a file's folder there may be
  /// members of a thin archive. Nothing: all may be read.
  std::optional<std::vector<std::string>> reads;
  std::vector<std::string> outputs; ///< Files to write or to replace.
  std::vector<std::string> folders; ///< Anything in them.
  bool startsPrograms = false;
  bool onlyLooks = false; ///< seccomp: only what reading and printing takes.
};

/// For the calling thread and those that it starts; for main(). `program` is
/// kept for what is said of a refused call.
llvm::Error enterSandbox(SandboxMode mode, const SandboxRules &rules,
                         const char *program);

/// For an error that a sandbox may be the reason of: the same, with a message
/// that says so.
std::error_code explainDenied(std::error_code error);

} // namespace lld::cuda

#endif
