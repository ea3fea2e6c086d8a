//===- Fatbinary.h - The program in fatbinary's place -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_TOOL_FATBINARY_H
#define LLD_CUDA_TOOL_FATBINARY_H

#include "llvm/ADT/ArrayRef.h"

/// Puts images into a fatbin, as fatbinary's command line says [fatbinary]; its
/// first word is the program. What is not supported is done by the program
/// `fatbinary-installed` beside that one, if it is there.
int runAsFatbinary(llvm::ArrayRef<const char *> words);

#endif
