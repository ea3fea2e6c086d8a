//===- Program.h - What all programs do first and last ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What a program's main() does first and last: signals and memory that end it
/// with a message instead of a crash, and an exit status that counts a full
/// standard output as a failure. Libraries in somebody else's process call none
/// of it.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_SUPPORT_PROGRAM_H
#define LLD_CUDA_SUPPORT_PROGRAM_H

#include "llvm/ADT/StringRef.h"

namespace lld::cuda {

/// For main(), not for a library in someone else's process. A limit of the size
/// of files is an error of writing then; a mapped input that becomes shorter,
/// and memory that isn't there, end the program with a message and the status
/// `failure`. `name` is kept.
void prepareProgram(const char *name, int failure = 1);

/// Writes what is left for standard output. Returns the exit status: `status`,
/// or `failure` with a message if not all could be written.
int finishOutput(int status, int failure = 1);

/// The path of this process's program. `program` is its first word, which may
/// be the name alone; then the system knows where it was found.
llvm::StringRef pathOfProgram(llvm::StringRef program);

} // namespace lld::cuda

#endif
