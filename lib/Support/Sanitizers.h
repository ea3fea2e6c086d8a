//===- Sanitizers.h - Whether this is built for one -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Whether this is a build with a sanitizer, for the code that limits memory
/// and for the sandbox: both do less then.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_LIB_SUPPORT_SANITIZERS_H
#define LLD_CUDA_LIB_SUPPORT_SANITIZERS_H

#include "llvm/Support/Compiler.h"

namespace lld::cuda {

/// A sanitizer takes terabytes of addresses for itself, reads files of /proc,
/// and looks for leaks in a process of its own: with it, limits and sandboxes
/// aren't what they are without.
constexpr bool HasSanitizer = LLVM_ADDRESS_SANITIZER_BUILD ||
                              LLVM_THREAD_SANITIZER_BUILD ||
                              LLVM_MEMORY_SANITIZER_BUILD;

} // namespace lld::cuda

#endif
