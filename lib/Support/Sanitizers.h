//===- Sanitizers.h - Whether a sanitizer is built in -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A constant that tells whether the project is compiled with a sanitizer.
/// Limits.cpp (--memory-limit) and Sandbox.cpp look at it when a program
/// starts, and restrict the process less with a sanitizer, which takes
/// terabytes of address space for itself, reads files of /proc, and looks for
/// leaks in a process of its own.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_LIB_SUPPORT_SANITIZERS_H
#define LLD_CUDA_LIB_SUPPORT_SANITIZERS_H

#include "llvm/Support/Compiler.h"

namespace lld::cuda {

/// True in a build with the address, thread or memory sanitizer.
constexpr bool HasSanitizer = LLVM_ADDRESS_SANITIZER_BUILD ||
                              LLVM_THREAD_SANITIZER_BUILD ||
                              LLVM_MEMORY_SANITIZER_BUILD;

} // namespace lld::cuda

#endif
