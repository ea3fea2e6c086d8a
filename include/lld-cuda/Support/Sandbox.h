//===- Sandbox.h - Gives up rights, --sandbox -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// --sandbox: gives up the rights that a program doesn't need, so that an input
/// that exploits a bug in a parser gains less. The linker (Confinement.cpp),
/// lld-cuda-lto and the tools (through ToolOptions.h) call enterSandbox() once,
/// after they have read their command line and before they read an input.
///
/// With Landlock, the process can write only where outputs and temporary files
/// are, read only what the command line names if that is known, start no
/// programs unless it must, and make no TCP connection. Programs that only read
/// files and print are also limited, by seccomp, to the system calls that they
/// use. A refused system call fails with an error; it never ends the process.
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

/// The values of --sandbox.
enum class SandboxMode {
  Auto, ///< As far as the kernel supports it.
  Yes,  ///< It is an error if the kernel doesn't support it.
  No,
};

/// Parses the value of --sandbox: "auto", "yes" or "no"; nullopt for another.
std::optional<SandboxMode> parseSandboxMode(llvm::StringRef name);
llvm::StringRef getSandboxModeName(SandboxMode mode);

/// What remains allowed. Paths are resolved when the sandbox is entered.
struct SandboxRules {
  /// Paths that may be read: files with the folder that each is in, since
  /// members of a thin archive may be there, and folders with all in them. With
  /// nullopt everything may be read.
  std::optional<std::vector<std::string>> reads;
  std::vector<std::string> outputs; ///< Files that may be written or replaced.
  /// Folders in which anything may be read or written.
  std::vector<std::string> folders;
  bool startsPrograms = false;
  bool onlyLooks = false; ///< seccomp: allow only reading and printing.
};

/// Confines the calling thread and those that it starts later, until the
/// process ends. For programs only, not for a library. `program`, which begins
/// messages about refused calls, isn't copied. Only with SandboxMode::Yes can
/// there be an error.
llvm::Error enterSandbox(SandboxMode mode, const SandboxRules &rules,
                         const char *program);

/// Returns `error`; if the sandbox may have caused it, with a message that
/// mentions --sandbox.
std::error_code explainDenied(std::error_code error);

} // namespace lld::cuda

#endif
