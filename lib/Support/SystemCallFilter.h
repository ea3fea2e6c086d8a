//===- SystemCallFilter.h - Filter of system calls (seccomp) ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The sandbox's second part: a seccomp filter of system calls. Sandbox.cpp
/// installs it in tools that only read files and print, before they open an
/// input.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_LIB_SUPPORT_SYSTEMCALLFILTER_H
#define LLD_CUDA_LIB_SUPPORT_SYSTEMCALLFILTER_H

namespace lld::cuda {

/// Installs the filter for a program that reads files, prints, and starts
/// nothing but threads. From then on all other system calls of the process fail
/// with EPERM, and the first one prints a note that begins with `program` and
/// names --sandbox=no. `program` isn't copied: it must stay valid as long as
/// the process runs. Returns false if the system doesn't support filters.
bool filterSystemCalls(const char *program);

} // namespace lld::cuda

#endif
