//===- JobTokens.h - Client of make's job server ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Client of make's job server. The linker (Parallel.cpp before its parallel
/// loops, DeviceLink.cpp when inputs are large) and the program in fatbinary's
/// place (Fatbinary.cpp) take tokens before they start threads, so that a build
/// of many links doesn't run a thread for each processor in each link.
///
/// `make -j8` offers seven tokens, one byte each, in a pipe or a FIFO that
/// MAKEFLAGS names; Ninja and cargo do the same. A process takes a token for
/// each thread but its first, for which make itself has taken one, and puts it
/// back afterwards.
/// https://www.gnu.org/software/make/manual/html_node/Job-Slots.html
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_SUPPORT_JOBTOKENS_H
#define LLD_CUDA_SUPPORT_JOBTOKENS_H

#include "llvm/ADT/StringRef.h"

namespace lld::cuda {

/// Returns whether the environment's MAKEFLAGS name a job server.
bool hasJobServer(llvm::StringRef makeFlags);

/// Holds tokens while the object exists. They are put back also when a signal
/// ends the program (Cleanup.h); only kill -9 loses them.
class JobTokens {
public:
  /// Takes tokens for `wanted` threads, the calling one among them, as far as
  /// there are any; doesn't wait. `makeFlags` is the environment's MAKEFLAGS.
  /// If it names no job server, all wanted threads are allowed. If it names one
  /// that can't be opened, only the calling thread is: make closes the job
  /// server to commands that it doesn't take for makes.
  JobTokens(llvm::StringRef makeFlags, unsigned wanted);
  ~JobTokens();
  JobTokens(const JobTokens &) = delete;
  JobTokens &operator=(const JobTokens &) = delete;

  /// Returns how many threads may run, the calling one among them.
  unsigned threads() const { return allowed; }
  /// Returns all taken tokens to the job server. The destructor does that, too.
  void giveBack();

private:
  void take(int from, int to, unsigned wanted);

  unsigned allowed = 1;
  struct HeldTokens *held = nullptr;
};

/// Puts all tokens of the process back. Called by cleanUpForExit() when the
/// process ends, so also from signal handlers.
void giveBackTokensForExit();

} // namespace lld::cuda

#endif
