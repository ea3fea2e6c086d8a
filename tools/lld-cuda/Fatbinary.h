//===- Fatbinary.h - The program in fatbinary's place -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// lld-cuda under the name fatbinary: packs images into a fatbin, as NVIDIA's
/// program of that name does when nvcc calls it. main() calls it by the
/// program's name, --run for a build's calls of fatbinary.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_TOOL_FATBINARY_H
#define LLD_CUDA_TOOL_FATBINARY_H

#include "llvm/ADT/ArrayRef.h"
#include <string>

/// Puts images into a fatbin, as fatbinary's command line says [fatbinary]; its
/// first word is the program. What is not supported is done by the program
/// `fatbinary-installed` beside that one, if it is there. The toolkit's release
/// is what lld-cuda-toolkit has left there.
int runAsFatbinary(llvm::ArrayRef<const char *> words);

/// Does what `fatbinary` does in place of a program that is known: `installed`
/// does what is not supported, `release` is that of its toolkit.
struct InstalledFatbinary {
  std::string installed;
  std::string release;
};
int runAsFatbinary(llvm::ArrayRef<const char *> words,
                   const InstalledFatbinary &place);

#endif
