//===- FatbinarySource.h - Fatbins as C source ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A function that writes a fatbin as C or C++ source, which nvcc's generated
/// files include. Fatbinary.cpp calls it for --embedded-fatbin, when the fatbin
/// is complete.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_TOOL_FATBINARYSOURCE_H
#define LLD_CUDA_TOOL_FATBINARYSOURCE_H

#include "llvm/ADT/StringRef.h"
#include <string>

/// The options of fatbinary that the source depends on (rule [fatbinary-source]
/// of docs/reference).
struct FatbinarySource {
  bool isRelocatable = false; ///< --device-c
  bool isLinked = false;      ///< --link
  bool usesAsm = true;        ///< False with --no-asm.
  bool undefines = false;     ///< Ends with #undef of its macros, as from 13.3
                              ///< on.
};

/// Returns the C or C++ source. The size of `fatbin` must be a multiple of 8
/// bytes.
std::string writeFatbinarySource(llvm::StringRef fatbin,
                                 const FatbinarySource &source);

#endif
