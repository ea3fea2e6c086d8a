//===- FatbinarySource.h - A fatbin as a source file ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Writes a fatbin as C or C++ source, which nvcc's generated files include
/// (--embedded-fatbin). Fatbinary.cpp calls it when the fatbin is complete.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_TOOL_FATBINARYSOURCE_H
#define LLD_CUDA_TOOL_FATBINARYSOURCE_H

#include "llvm/ADT/StringRef.h"
#include <string>

/// What `--embedded-fatbin` is asked for [fatbinary-source].
struct FatbinarySource {
  bool isRelocatable = false; ///< --device-c
  bool isLinked = false;      ///< --link
  bool usesAsm = true;        ///< Without --no-asm.
  bool undefines = false;     ///< From 13.3 on: takes its macros back.
};

/// C and C++ that nvcc's generated files include. The fatbin is whole words.
std::string writeFatbinarySource(llvm::StringRef fatbin,
                                 const FatbinarySource &source);

#endif
