//===- Subprocess.cpp - Running other programs ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// runTool() starts a compiler or another linker and waits for its end. The
/// linker's passes call it when they compile PTX (Compilers.cpp) or LTO inputs
/// (lld-cuda/Lto), and RunReplaced.cpp asks an nvlink for its version with it.
/// It uses vfork(), since a copy of a large link's address space would take
/// long; until exec, the new process runs in the linker's own memory. So
/// everything that allocates happens before, signals are blocked, and become()
/// makes system calls only. The program gets a process group of its own, dies
/// with the linker, and may run for a limited time: its alarm stays when the
/// process becomes another program.
///
//===----------------------------------------------------------------------===//

#include "lld-cuda/Support/Subprocess.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Errno.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace llvm;

namespace lld::cuda {

/// A descriptor that isn't one of the three that a program finds open.
static int openAbove(const char *path, int flags) {
  int fd = ::open(path, flags | O_CLOEXEC, 0600);
  if (fd < 0 || fd > STDERR_FILENO)
    return fd;
  int above = ::fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  ::close(fd);
  return above;
}

/// All but the three. To be called between vfork() and exec.
static void closeOtherDescriptors() {
#ifdef SYS_close_range
  if (::syscall(SYS_close_range, STDERR_FILENO + 1, ~0U, 0) == 0)
    return;
#endif
  // close_range() is new in Linux 5.9.
  struct rlimit limit;
  constexpr rlim_t Most = 1 << 16;
  rlim_t end = Most;
  if (::getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < Most)
    end = limit.rlim_cur;
  for (rlim_t fd = STDERR_FILENO + 1; fd < end; ++fd)
    ::close(fd);
}

namespace {
/// What a new process needs to become another program. Everything is made
/// beforehand: between vfork() and exec it has our memory.
struct ChildProgram {
  const char *path;
  SmallVector<char *, 32> words;
  const char *directory; ///< Null: the current one.
  int input, output;
  sigset_t signals; ///< Those that wait in the program.
  pid_t parent;
  unsigned seconds; ///< SIGALRM comes then; 0: never.

  pid_t start(int &error) const;
  int become() const;
};
} // namespace

/// Runs in the new process and starts the program there. Returns errno if that
/// fails.
int ChildProgram::become() const {
  // Handlers of ours would run here, in our memory.
  for (int signal = 1; signal != NSIG; ++signal) {
    struct sigaction action;
    if (::sigaction(signal, nullptr, &action) == 0 &&
        action.sa_handler != SIG_IGN && action.sa_handler != SIG_DFL)
      ::signal(signal, SIG_DFL);
  }
  // A group of its own, so that programs that it starts end with it; and all
  // of it ends if we are killed in a way that can't be handled.
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent)
    return ECHILD;
  if (directory && ::chdir(directory) != 0)
    return errno;
  if (::dup2(input, STDIN_FILENO) < 0 || ::dup2(output, STDOUT_FILENO) < 0 ||
      ::dup2(output, STDERR_FILENO) < 0)
    return errno;
  closeOtherDescriptors();
  // The alarm stays when the process becomes another program.
  sigset_t blocked = signals;
  if (seconds) {
    ::signal(SIGALRM, SIG_DFL);
    ::sigdelset(&blocked, SIGALRM);
    ::alarm(seconds);
  }
  ::sigprocmask(SIG_SETMASK, &blocked, nullptr);
  ::execv(path, words.data());
  return errno;
}

/// The process' id; -1 and an error if it hasn't become that program.
LLVM_ATTRIBUTE_NOINLINE pid_t ChildProgram::start(int &error) const {
  volatile int failure = 0;
  pid_t pid = ::vfork();
  if (pid == 0) {
    failure = become();
    ::_exit(127);
  }
  error = pid < 0 ? errno : failure;
  if (pid > 0 && error) {
    while (::waitpid(pid, nullptr, 0) < 0 && errno == EINTR)
      ;
    return -1;
  }
  return pid;
}

/// Runs it to its end. Sets status and problem.
static void runProgram(ChildProgram &program, ToolResult &result) {
  RunningProgram running;
  sigset_t all;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_BLOCK, &all, &program.signals);
  int error = 0;
  pid_t pid = program.start(error);
  if (pid > 0)
    running.started(pid);
  ::pthread_sigmask(SIG_SETMASK, &program.signals, nullptr);
  if (pid < 0) {
    result.problem = sys::StrError(error);
    return;
  }
  int status = running.wait();
  if (status == -1) {
    result.hasLostStatus = true;
    result.problem = "its exit status is unknown, since SIGCHLD is ignored";
  } else if (WIFEXITED(status)) {
    result.status = WEXITSTATUS(status);
  } else {
    constexpr int Died = -2;
    result.status = Died;
    result.problem = ::strsignal(WTERMSIG(status));
    result.tookTooLong = program.seconds && WTERMSIG(status) == SIGALRM;
  }
}

ToolResult runTool(const TemporaryDirectory &directory, StringRef name,
                   const std::string &path, ArrayRef<std::string> words,
                   WorkIn where, unsigned seconds) {
  ToolResult result;
  std::string messages = directory.file((name + ".messages").str());
  SmallString<128> absolute(path);
  ChildProgram program;
  program.input = openAbove("/dev/null", O_RDONLY);
  program.output = openAbove(messages.c_str(), O_WRONLY | O_CREAT | O_TRUNC);
  program.parent = ::getpid();
  program.seconds = seconds;
  program.directory =
      where == WorkIn::Temporary ? directory.str().c_str() : nullptr;
  std::error_code ec = sys::fs::make_absolute(absolute);
  if (program.input < 0 || program.output < 0)
    ec = std::error_code(errno, std::generic_category());
  if (ec) {
    result.problem = ec.message();
  } else {
    program.path = absolute.c_str();
    program.words.push_back(const_cast<char *>(path.c_str()));
    for (const std::string &word : words)
      program.words.push_back(const_cast<char *>(word.c_str()));
    program.words.push_back(nullptr);
    runProgram(program, result);
  }
  for (int fd : {program.input, program.output})
    if (fd >= 0)
      ::close(fd);
  if (auto buffer = MemoryBuffer::getFile(messages)) {
    result.output = (*buffer)->getBuffer().str();
    std::string prefix = directory.file("");
    for (size_t at = 0;
         (at = result.output.find(prefix, at)) != std::string::npos;)
      result.output.erase(at, prefix.size());
  }
  return result;
}

} // namespace lld::cuda
