//===- Cleanup.cpp - Cleans up however a process ends ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Removes temporary directories, kills child processes and gives tokens of
/// make's job server back when a process ends early. The linker, cubin-dump and
/// the program in nvcc's place register what they create (TemporaryDirectory,
/// RunningProgram). cleanUpForExit() is called by the handler of signals, which
/// main functions ask for with cleanUpOnSignals(), and by Limits.cpp when
/// memory or time is over. A signal handler may neither allocate memory nor
/// take a lock: so the registry is a list of slots that only grows, and
/// directories are read by the system call itself.
///
//===----------------------------------------------------------------------===//

#include "lld-cuda/Support/Cleanup.h"
#include "lld-cuda/Support/JobTokens.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace llvm;

namespace lld::cuda {

static std::atomic<CleanupSlot *> slots{nullptr};
/// The process is about to end; nothing may be started or created any more.
static std::atomic<bool> isEnding{false};
static std::atomic<bool> wantsSignals{false};
static std::atomic<bool> hasProgressLine{false};

/// Stops all threads but the one that ends the process.
static void stopIfEnding() {
  while (isEnding)
    ::pause();
}

//===----------------------------------------------------------------------===//
// Async-signal-safe
//===----------------------------------------------------------------------===//

/// Directories in directories, as deep as any tool of ours makes them, and
/// more.
static constexpr unsigned MaxDepth = 16;

static void removeTree(int parent, const char *name, unsigned depth) {
  if (::unlinkat(parent, name, 0) == 0 || errno == ENOENT)
    return;
  int fd =
      ::openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (fd >= 0 && depth != MaxDepth) {
    alignas(8) char buffer[2048];
    long size;
    while ((size = ::syscall(SYS_getdents64, fd, buffer, sizeof(buffer))) > 0)
      for (long at = 0; at < size;) {
        // struct linux_dirent64: inode, offset, length, type, name.
        constexpr long LengthAt = 16, NameAt = 19;
        unsigned short length;
        memcpy(&length, buffer + at + LengthAt, sizeof(length));
        const char *entry = buffer + at + NameAt;
        bool isSelf =
            entry[0] == '.' && (!entry[1] || (entry[1] == '.' && !entry[2]));
        if (!isSelf)
          removeTree(fd, entry, depth + 1);
        at += length;
      }
  }
  if (fd >= 0)
    ::close(fd);
  ::unlinkat(parent, name, AT_REMOVEDIR);
}

void eraseProgressLine() {
  if (hasProgressLine.exchange(false)) [[maybe_unused]]
    ssize_t written =
        ::write(STDERR_FILENO, EraseLine.data(), EraseLine.size());
}

void cleanUpForExit() {
  isEnding = true;
  eraseProgressLine();
  giveBackTokensForExit();
  for (CleanupSlot *slot = slots; slot; slot = slot->next)
    if (pid_t pid = slot->child)
      ::kill(-pid, SIGKILL);
  // Until a program is dead it may go on writing.
  for (CleanupSlot *slot = slots; slot; slot = slot->next)
    if (pid_t pid = slot->child)
      while (::waitpid(pid, nullptr, 0) < 0 && errno == EINTR)
        ;
  // Threads of ours may be writing a file there at this moment.
  constexpr int Attempts = 10;
  for (CleanupSlot *slot = slots; slot; slot = slot->next)
    for (int i = 0; slot->hasDirectory && i != Attempts; ++i) {
      removeTree(AT_FDCWD, slot->directory, 0);
      struct stat status;
      if (::lstat(slot->directory, &status) != 0)
        break;
    }
}

/// The signals that end a process and come from outside, from a limit or from a
/// timer.
static constexpr int EndingSignals[] = {SIGINT,  SIGTERM, SIGHUP,  SIGQUIT,
                                        SIGPIPE, SIGXCPU, SIGALRM, SIGVTALRM,
                                        SIGPROF, SIGUSR1, SIGUSR2, SIGPWR};
static struct sigaction oldActions[std::size(EndingSignals)];

static void onSignal(int signal) {
  int saved = errno;
  cleanUpForExit();
  for (size_t i = 0; i != std::size(EndingSignals); ++i)
    if (EndingSignals[i] == signal)
      ::sigaction(signal, &oldActions[i], nullptr);
  // The signal waits until this handler returns, and then has its old effect.
  ::raise(signal);
  errno = saved;
}

void claimExit() {
  if (isEnding.exchange(true))
    stopIfEnding();
}

//===----------------------------------------------------------------------===//

void cleanUpOnSignals() { wantsSignals = true; }

/// Installs the handlers, once, when there is something to be cleaned up. A
/// signal that is ignored (nohup) stays ignored.
static void installHandlers() {
  if (!wantsSignals.exchange(false))
    return;
  for (size_t i = 0; i != std::size(EndingSignals); ++i) {
    struct sigaction action = {};
    action.sa_handler = onSignal;
    ::sigfillset(&action.sa_mask);
    ::sigaction(EndingSignals[i], nullptr, &oldActions[i]);
    if (oldActions[i].sa_handler != SIG_IGN)
      ::sigaction(EndingSignals[i], &action, nullptr);
  }
}

void cleanUpFromNowOn() {
  stopIfEnding();
  installHandlers();
}

void noteProgressLine(bool isShown) {
  if (isShown)
    cleanUpFromNowOn();
  hasProgressLine = isShown;
}

static CleanupSlot *takeSlot() {
  stopIfEnding();
  for (CleanupSlot *slot = slots; slot; slot = slot->next)
    if (!slot->taken.exchange(true))
      return slot;
  auto *slot = new CleanupSlot;
  slot->taken = true;
  slot->next = slots;
  while (!slots.compare_exchange_weak(slot->next, slot))
    ;
  installHandlers();
  return slot;
}

std::error_code TemporaryDirectory::create(StringRef parent) {
  SmallString<128> model = parent;
  if (std::error_code ec = sys::fs::make_absolute(model))
    return ec;
  sys::path::append(model, "lld-cuda-XXXXXX");
  if (model.size() >= sizeof(slot->directory))
    return std::make_error_code(std::errc::filename_too_long);
  slot = takeSlot();
  memcpy(slot->directory, model.c_str(), model.size() + 1);
  sigset_t all, old;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_BLOCK, &all, &old);
  // Mode 0700, whatever the umask.
  slot->hasDirectory = ::mkdtemp(slot->directory);
  int error = errno;
  if (slot->hasDirectory && isEnding)
    removeTree(AT_FDCWD, slot->directory, 0);
  ::pthread_sigmask(SIG_SETMASK, &old, nullptr);
  stopIfEnding();
  path = slot->directory;
  return slot->hasDirectory ? std::error_code()
                            : std::error_code(error, std::generic_category());
}

TemporaryDirectory::~TemporaryDirectory() {
  stopIfEnding();
  if (!slot)
    return;
  if (slot->hasDirectory)
    removeTree(AT_FDCWD, slot->directory, 0);
  slot->hasDirectory = false;
  slot->taken = false;
}

RunningProgram::RunningProgram() : slot(takeSlot()) {}

RunningProgram::~RunningProgram() { slot->taken = false; }

void RunningProgram::started(pid_t pid) {
  slot->child = pid;
  // The one that ends the process may not have seen it.
  if (isEnding)
    ::kill(-pid, SIGKILL);
}

int RunningProgram::wait() {
  pid_t pid = slot->child;
  // The number is the program's as long as nobody has asked for its status.
  siginfo_t info;
  while (::waitid(P_PID, pid, &info, WEXITED | WNOWAIT) < 0 && errno == EINTR)
    ;
  stopIfEnding();
  slot->child = 0;
  int status = -1;
  while (::waitpid(pid, &status, 0) < 0)
    if (errno != EINTR)
      return -1;
  return status;
}

} // namespace lld::cuda
