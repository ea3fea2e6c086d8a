//===- Subprocess.cpp - Running the compilers of the toolkit --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Process/Subprocess.h"
#include "Config.h"
#include "Input/PtxasOptions.h"
#include "Output/WriteFile.h"
#include "lld-cuda/Object/NoteCommand.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Errno.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/prctl.h>
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

namespace {
/// What a new process needs to become another program. Everything is made
/// beforehand: between vfork() and exec it has our memory.
struct Program {
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

/// In the new process. Comes back with errno if it fails.
int Program::become() const {
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
LLVM_ATTRIBUTE_NOINLINE pid_t Program::start(int &error) const {
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
static void runProgram(Program &program, ToolResult &result) {
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
  if (WIFEXITED(status)) {
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
  Program program;
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

/// ptxas's own names for text that isn't from a file, and for the output.
constexpr StringLiteral PtxasInput = "application ptx input",
                        PtxasOutput = "elf.o";
/// Linux takes no longer word on a command line than 128 KiB.
constexpr size_t MaxWord = 128 << 10;

std::string ptxasOutput(const TemporaryDirectory &directory) {
  return directory.file(PtxasOutput);
}

/// The note of a text that was too long for -ias names the file it was in
/// [ptx-compiled].
static void dropInputFromNote(const std::string &path) {
  auto buffer = MemoryBuffer::getFile(path);
  if (!buffer)
    return;
  const std::string input = (PtxasInput + " ").str();
  if (std::optional<std::string> cubin = dropFromNoteCommand(**buffer, input))
    if (Error e = writeFile(path, *cubin))
      consumeError(std::move(e)); // The whole note is good enough.
}

ToolResult runPtxas(const TemporaryDirectory &directory,
                    const std::string &ptxas, StringRef text,
                    std::vector<std::string> words) {
  ToolResult result;
  const bool debugs = compilesForDebugger(words);
  // With -g the note tells files that are options, but not text that is one
  // (-ias), nor the output if it isn't named. That is in the current directory.
  if (debugs)
    if (std::error_code ec = makeFilesAbsolute(words)) {
      result.problem = ec.message();
      return result;
    }
  if (debugs && text.size() < MaxWord) {
    words.insert(words.end(), {"-ias", text.str()});
    return runTool(directory, "ptxas", ptxas, words, WorkIn::Temporary);
  }
  std::string input = directory.file(PtxasInput);
  if (Error e = writeFile(input, text)) {
    result.problem = toString(std::move(e));
    return result;
  }
  words.push_back(input);
  if (!debugs) {
    words.insert(words.end(), {"-o", ptxasOutput(directory)});
    return runTool(directory, "ptxas", ptxas, words);
  }
  result = runTool(directory, "ptxas", ptxas, words, WorkIn::Temporary);
  if (result.status == 0)
    dropInputFromNote(ptxasOutput(directory));
  return result;
}

static std::string findIn(const Twine &directory, StringRef name) {
  auto found = sys::findProgramByName(name, {directory.str()});
  return found ? *found : std::string();
}

std::string findInPath(const Config &config, StringRef name) {
  SmallVector<StringRef, 16> directories;
  SplitString(config.environment.path, directories, ":");
  // Without any it would ask the environment.
  if (directories.empty())
    directories.push_back("/nonexistent");
  auto found = sys::findProgramByName(name, directories);
  return found ? *found : std::string();
}

/// The folders of a toolkit that --nvjitlink-path may mean: the path is that of
/// the library or of its folder, lib64 or targets/x86_64-linux/lib.
static void addToolkitsOfLibrary(StringRef library,
                                 std::vector<std::string> &roots) {
  if (library.empty())
    return;
  SmallString<256> given(library), real;
  sys::fs::make_absolute(given);
  sys::fs::real_path(given, real);
  for (StringRef path : {StringRef(given), StringRef(real)}) {
    const StringRef folder =
        sys::fs::is_directory(path) ? path : sys::path::parent_path(path);
    StringRef root = sys::path::parent_path(folder.rtrim('/'));
    roots.push_back(root.str());
    root = sys::path::parent_path(root);
    if (sys::path::filename(root) == "targets")
      roots.push_back(sys::path::parent_path(root).str());
  }
}

std::string findPtxas(const Config &config) {
  if (!config.ptxasPath.empty())
    return config.ptxasPath;
  std::vector<std::string> roots;
  if (!config.cudaPath.empty())
    roots.push_back(config.cudaPath);
  addToolkitsOfLibrary(config.nvJitLinkPath, roots);
  if (!config.nvvmPath.empty())
    roots.push_back(config.nvvmPath + "/..");
  auto findInToolkits = [](ArrayRef<std::string> roots) {
    for (const std::string &root : roots)
      if (std::string path = findIn(root + "/bin", "ptxas"); !path.empty())
        return path;
    return std::string();
  };
  if (std::string path = findInToolkits(roots); !path.empty())
    return path;
  StringRef directory = sys::path::parent_path(config.program);
  if (!directory.empty())
    if (std::string path = findIn(directory, "ptxas"); !path.empty())
      return path;
  if (std::string path = findInToolkits(config.environment.toolkits);
      !path.empty())
    return path;
  if (std::string path = findInPath(config, "ptxas"); !path.empty())
    return path;
  return findIn("/usr/local/cuda/bin", "ptxas");
}

std::string findHelper(const Config &config, StringRef name) {
  std::string self =
      sys::fs::getMainExecutable(config.program.c_str(), nullptr);
  for (StringRef program : {StringRef(self), StringRef(config.program)})
    if (StringRef directory = sys::path::parent_path(program);
        !directory.empty())
      if (std::string path = findIn(directory, name); !path.empty())
        return path;
  return findInPath(config, name);
}

} // namespace lld::cuda
