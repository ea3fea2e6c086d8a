//===- SignalsWait.h - Moments that no signal may end -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Blocks signals of this thread for as long as an object lives. Whoever
/// replaces or overwrites a file makes one for those few system calls, so that
/// Ctrl-C finds the old file or the new one.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_SUPPORT_SIGNALSWAIT_H
#define LLD_CUDA_SUPPORT_SIGNALSWAIT_H

#include <csignal>

namespace lld::cuda {

/// Lets signals wait while files are in a state that nobody should find.
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
