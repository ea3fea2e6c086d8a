//===- Cleanup.h - What must not outlive the linker -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Temporary directories and the programs that work in them are known here, so
/// that they go whatever ends the linker: a signal, memory that isn't there, an
/// input that shrinks. Only kill -9 leaves the directory; the kernel then ends
/// the programs.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_SUPPORT_CLEANUP_H
#define LLD_CUDA_SUPPORT_CLEANUP_H

#include "llvm/ADT/StringRef.h"
#include <atomic>
#include <climits>
#include <string>
#include <sys/types.h>
#include <system_error>

namespace lld::cuda {

/// For programs, not for a library in someone else's process: signals that end
/// the process clean up first.
void cleanUpOnSignals();

/// Ends the programs, removes the directories, and puts job tokens back
/// (JobTokens.h). For signal handlers and other
/// places from which the process doesn't come back.
void cleanUpForExit();

/// There is something to be cleaned up: where cleanUpOnSignals() has been
/// called its handlers are installed now.
void cleanUpFromNowOn();

/// Takes a terminal's last line away.
constexpr llvm::StringLiteral EraseLine = "\r\x1b[K";

/// A line that says how far the link is, is on standard error, or isn't any
/// more. A signal takes it away, too.
void noteProgressLine(bool isShown);
/// For the same places as cleanUpForExit().
void eraseProgressLine();

/// The calling thread is to end the process; others that call it wait for that.
void claimExit();

/// What the handlers look at. Slots are used again and never freed.
struct CleanupSlot {
  std::atomic<bool> taken{false};
  std::atomic<pid_t> child{0};           ///< 0: none.
  std::atomic<bool> hasDirectory{false}; ///< `directory` is complete.
  char directory[PATH_MAX] = {};
  CleanupSlot *next = nullptr;
};

/// A directory that goes with everything in it. Nobody else may look into it.
class TemporaryDirectory {
public:
  TemporaryDirectory() = default;
  TemporaryDirectory(const TemporaryDirectory &) = delete;
  TemporaryDirectory &operator=(const TemporaryDirectory &) = delete;
  ~TemporaryDirectory();
  /// In the directory for temporary files.
  std::error_code create(llvm::StringRef parent);
  std::string file(llvm::StringRef name) const {
    return path + "/" + name.str();
  }
  const std::string &str() const { return path; }

private:
  std::string path;
  CleanupSlot *slot = nullptr;
};

/// A program that was started, by its process id, which is that of a process
/// group, too. While such an object exists the program is ended with us.
class RunningProgram {
public:
  RunningProgram();
  ~RunningProgram();
  RunningProgram(const RunningProgram &) = delete;
  RunningProgram &operator=(const RunningProgram &) = delete;
  void started(pid_t pid);
  /// Waits for its end; what waitpid() tells. -1: somebody else was told.
  int wait();

private:
  CleanupSlot *slot;
};

} // namespace lld::cuda

#endif
