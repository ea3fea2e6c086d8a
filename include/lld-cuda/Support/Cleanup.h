//===- Cleanup.h - Temporary files and child processes ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A registry of the temporary directories and the child processes of this
/// process, so that they are removed and killed however the process ends: by a
/// signal, out of memory, or because a mapped input shrinks. After kill -9 only
/// the directories remain; the kernel kills the children. The linker (passes
/// that run ptxas or lld-cuda-lto, Progress.cpp), cubin-dump and the program in
/// nvcc's place register what they create; main functions install the signal
/// handlers, and Limits.cpp calls the functions for a fatal end.
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

/// Lets signals that end the process clean up first. The handlers are installed
/// when there is something to clean up. Called by main(); a library must not
/// call it.
void cleanUpOnSignals();

/// Kills the child processes, removes the directories, and puts job tokens back
/// (JobTokens.h). For signal handlers and other places that end the process:
/// the registry can't be used afterwards.
void cleanUpForExit();

/// Says that there is something to clean up from now on. Installs the signal
/// handlers if cleanUpOnSignals() was called.
void cleanUpFromNowOn();

/// Erases the current line of a terminal.
constexpr llvm::StringLiteral EraseLine = "\r\x1b[K";

/// Says whether a progress line is shown on standard error. A signal erases it,
/// too.
void noteProgressLine(bool isShown);
/// Erases the progress line, if there is one. It can be called from signal
/// handlers.
void eraseProgressLine();

/// Makes the calling thread the one that ends the process. Other threads that
/// call this function stop in it.
void claimExit();

/// An entry of the registry, which signal handlers read. Slots are reused and
/// never freed.
struct CleanupSlot {
  std::atomic<bool> taken{false};
  std::atomic<pid_t> child{0}; ///< Process id; 0 if there is none.
  /// Whether `directory` is the path of an existing directory.
  std::atomic<bool> hasDirectory{false};
  char directory[PATH_MAX] = {};
  CleanupSlot *next = nullptr;
};

/// A temporary directory, with mode 0700. The destructor removes it and
/// everything in it.
class TemporaryDirectory {
public:
  TemporaryDirectory() = default;
  TemporaryDirectory(const TemporaryDirectory &) = delete;
  TemporaryDirectory &operator=(const TemporaryDirectory &) = delete;
  ~TemporaryDirectory();
  /// Creates a new directory in `parent`.
  std::error_code create(llvm::StringRef parent);
  std::string file(llvm::StringRef name) const {
    return path + "/" + name.str();
  }
  const std::string &str() const { return path; }

private:
  std::string path;
  CleanupSlot *slot = nullptr;
};

/// A child process, which is the leader of its own process group. While the
/// object exists, the child is killed if this process ends.
class RunningProgram {
public:
  RunningProgram();
  ~RunningProgram();
  RunningProgram(const RunningProgram &) = delete;
  RunningProgram &operator=(const RunningProgram &) = delete;
  void started(pid_t pid);
  /// Waits until the child ends. Returns the status as waitpid() does, or -1 if
  /// something else in this process has taken the status.
  int wait();

private:
  CleanupSlot *slot;
};

} // namespace lld::cuda

#endif
