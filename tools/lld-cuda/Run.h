//===- Run.h - lld-cuda --run COMMAND ---------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// `lld-cuda --run COMMAND`, which runs COMMAND so that every NVIDIA nvlink
/// that it or one of its children starts is lld-cuda instead. main() (main.cpp)
/// calls runCommand() in the process that waits for COMMAND (Run.cpp), and
/// runReplaced() in a process that is started in nvlink's place
/// (RunReplaced.cpp). These are connected by exec-hook.c, a library that is
/// preloaded into the programs of the build, and by a directory that exists
/// while COMMAND runs.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_TOOL_RUN_H
#define LLD_CUDA_TOOL_RUN_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

/// The files in the directory of a run.
namespace run {
/// Options for each link, one on a line.
constexpr llvm::StringLiteral OptionsFile = "/options";
/// The programs that were started, one on a line: a kind, a blank, a path.
constexpr llvm::StringLiteral SeenFile = "/seen";
/// Kinds of lines in SeenFile.
constexpr llvm::StringLiteral SeenNvcc = "nvcc", SeenReplaced = "replaced",
                              SeenForeign = "foreign", SeenOwn = "own";
} // namespace run

/// Runs a command. `words` are the arguments after --run. Returns the status
/// with which the program must exit: COMMAND's, or 127 if it doesn't exist, 126
/// if it can't be started, 1 for wrong options. Must be called before the
/// program changes how signals are handled, since COMMAND inherits that.
int runCommand(llvm::ArrayRef<const char *> words);

/// Links in the place of a program that a command has started. `words` are the
/// arguments after `-flavor run`, which exec-hook.c has written. Returns the
/// exit status.
int runReplaced(llvm::ArrayRef<const char *> words);

#endif
