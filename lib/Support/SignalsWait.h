//===- SignalsWait.h - Blocks signals for a while ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A guard that blocks the signals of its thread as long as it exists.
/// OutputFile.cpp, InPlaceFile.cpp, UnnamedFile.cpp and JobTokens.cpp make one
/// for the few system calls in which a file or a job token is in a state that
/// must not outlast the program: a Ctrl-C between them finds the old file or
/// the new one.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_SUPPORT_SIGNALSWAIT_H
#define LLD_CUDA_SUPPORT_SIGNALSWAIT_H

#include <csignal>

namespace lld::cuda {

/// Blocks all signals of the calling thread, and restores its mask when
/// destroyed. Blocked signals are delivered then.
class SignalsWait {
public:
  SignalsWait() {
    sigset_t all;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_BLOCK, &all, &old);
  }
  ~SignalsWait() { ::pthread_sigmask(SIG_SETMASK, &old, nullptr); }
  SignalsWait(const SignalsWait &) = delete;
  SignalsWait &operator=(const SignalsWait &) = delete;

private:
  sigset_t old;
};

} // namespace lld::cuda

#endif
