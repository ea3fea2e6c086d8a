//===- Run.h - lld-cuda --run COMMAND ---------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// `lld-cuda --run COMMAND` runs COMMAND so that every nvlink of NVIDIA's that
/// it or one of its children starts is lld-cuda instead. Two parts: the process
/// that waits for COMMAND (Run.cpp), and the one that is started in nvlink's
/// place (RunReplaced.cpp). Between them are exec-hook.c, which is loaded into
/// the programs of the build, and a directory that exists while COMMAND runs.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_TOOL_RUN_H
#define LLD_CUDA_TOOL_RUN_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

/// The files in the directory of a run.
namespace run {
/// Options for each link, one a line.
constexpr llvm::StringLiteral OptionsFile = "/options";
/// What was started, one a line: the kind and, behind a blank, a path.
constexpr llvm::StringLiteral SeenFile = "/seen";
/// Kinds of lines in it.
constexpr llvm::StringLiteral SeenNvcc = "nvcc", SeenReplaced = "replaced",
                              SeenForeign = "foreign", SeenOwn = "own";
} // namespace run

/// Runs a command. `words` are those behind --run. Returns the status with
/// which the program has to end; COMMAND's, or 127 if there is none, 126 if it
/// can't be started, 1 for wrong options. Must come before the program changes
/// how signals are handled, since COMMAND inherits that.
int runCommand(llvm::ArrayRef<const char *> words);

/// Links in the place of a program that a command started. `words` are those
/// behind `-flavor run`, which exec-hook.c has written.
int runReplaced(llvm::ArrayRef<const char *> words);

#endif
