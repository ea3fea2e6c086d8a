//===- SystemCallFilter.h - seccomp -----------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The sandbox's second part, a seccomp filter. Sandbox.cpp installs it in
/// tools that only read and print, before they open an input.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_LIB_SUPPORT_SYSTEMCALLFILTER_H
#define LLD_CUDA_LIB_SUPPORT_SYSTEMCALLFILTER_H

namespace lld::cuda {

/// For a program that reads files, prints, and starts nothing but threads: all
/// other system calls fail with EPERM, the first one with a note of `program`'s
/// that names --sandbox=no. False if the system can't do that.
bool filterSystemCalls(const char *program);

} // namespace lld::cuda

#endif
