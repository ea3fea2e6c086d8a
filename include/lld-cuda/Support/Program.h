//===- Program.h - First and last steps of main() ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The first and last steps of a main function: signals and a lack of memory
/// that end the program with a message instead of a crash, and an exit status
/// that counts a full standard output as a failure. Called by the main
/// functions of cubin-dump, -diff, -size, -check and -prune; lld-cuda-lto calls
/// the first step only. A library must not call them. The linker and the
/// program in fatbinary's place call pathOfProgram(), which tells them in which
/// toolkit they are installed.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_SUPPORT_PROGRAM_H
#define LLD_CUDA_SUPPORT_PROGRAM_H

#include "llvm/ADT/StringRef.h"

namespace lld::cuda {

/// Prepares the process, first of all in main(). From then on a write beyond
/// the limit of file sizes is an error of that write, and a mapped input that
/// is truncated, or a lack of memory, ends the program with a message and the
/// status `failure`. `name` isn't copied: it must live as long as the process.
void prepareProgram(const char *name, int failure = 1);

/// Flushes standard output. Returns the exit status: `status`, or `failure`
/// with a message if not all could be written.
int finishOutput(int status, int failure = 1);

/// Returns the path of this process's program. `program` is argv[0]; if that is
/// a name without a folder, the path is the one that the system found and
/// started.
llvm::StringRef pathOfProgram(llvm::StringRef program);

} // namespace lld::cuda

#endif
