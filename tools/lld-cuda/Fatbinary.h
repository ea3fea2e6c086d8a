//===- Fatbinary.h - lld-cuda in fatbinary's place --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// lld-cuda under the name fatbinary: packs images into a fatbin, as NVIDIA's
/// program of that name does when nvcc calls it. main() (main.cpp) calls it if
/// the program's name is fatbinary; RunReplaced.cpp calls it when a build under
/// `lld-cuda --run` starts NVIDIA's fatbinary.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_TOOL_FATBINARY_H
#define LLD_CUDA_TOOL_FATBINARY_H

#include "llvm/ADT/ArrayRef.h"
#include <string>

/// Packs images into a fatbin as fatbinary's command line says (rule
/// [fatbinary] of docs/reference). `words` is the command line with the
/// program's name first. What isn't supported is done by the program
/// `fatbinary-installed` in the folder of that program, if it exists. The
/// toolkit's release is what lld-cuda-toolkit has left there. Returns the exit
/// status.
int runAsFatbinary(llvm::ArrayRef<const char *> words);

/// NVIDIA's fatbinary, in whose place runAsFatbinary() runs: its path, used for
/// what isn't supported, and its toolkit's release.
struct InstalledFatbinary {
  std::string installed;
  std::string release;
};
int runAsFatbinary(llvm::ArrayRef<const char *> words,
                   const InstalledFatbinary &place);

#endif
