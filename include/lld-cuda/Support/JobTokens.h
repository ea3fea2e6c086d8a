//===- JobTokens.h - Processors that make's job server allows ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// `make -j8` hands out seven tokens, a byte each, in a pipe or a FIFO that
/// MAKEFLAGS names; Ninja and cargo do the same. Whoever wants to do two things
/// at once takes one and puts it back afterwards; for the first thing make
/// itself has taken one. So a build of many links doesn't start a thread for
/// each processor in each link.
/// https://www.gnu.org/software/make/manual/html_node/Job-Slots.html
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_SUPPORT_JOBTOKENS_H
#define LLD_CUDA_SUPPORT_JOBTOKENS_H

#include "llvm/ADT/StringRef.h"

namespace lld::cuda {

/// Tokens for as long as the object exists. They go back also when a signal
/// ends the program (Cleanup.h); only kill -9 loses them.
class JobTokens {
public:
  /// Takes tokens for `wanted` threads, the calling one among them, but doesn't
  /// wait for any. `makeFlags` is the environment's MAKEFLAGS: if it names no
  /// job server there may be as many threads as wanted; if it names one that
  /// isn't within reach, which is what make does to commands that it doesn't
  /// know to be makes, there is the calling thread only.
  JobTokens(llvm::StringRef makeFlags, unsigned wanted);
  ~JobTokens();
  JobTokens(const JobTokens &) = delete;
  JobTokens &operator=(const JobTokens &) = delete;

  /// How many threads there may be, the calling one among them.
  unsigned threads() const { return allowed; }
  /// Gives all tokens that were taken back to make's job server.
  void giveBack();

private:
  void take(int from, int to, unsigned wanted);

  unsigned allowed = 1;
  struct HeldTokens *held = nullptr;
};

/// Puts all tokens of the process back. For signal handlers and other places
/// from which the process doesn't come back.
void giveBackTokensForExit();

} // namespace lld::cuda

#endif
