//===- Run.cpp - lld-cuda --run COMMAND -----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Runs a command, such as a whole build, so that each nvlink of NVIDIA's that
/// it starts is replaced by lld-cuda. main() calls runCommand() for `lld-cuda
/// --run COMMAND`, before it does anything else. This process starts COMMAND
/// with exec-hook.c's library in LD_PRELOAD and waits for it; the hook starts
/// RunReplaced.cpp in nvlink's place. To a shell, a terminal or whoever sends
/// signals this process has to look like COMMAND: both are in one process
/// group, signals that another process sends are passed on, a stop stops both,
/// and the end is the command's, be it a status or a signal.
///
//===----------------------------------------------------------------------===//

#include "Run.h"
#include "lld-cuda/Support/Printable.h"
#include "lld-cuda/Support/RegularFile.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Object/ELF.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <string>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace llvm;
using lld::cuda::asPrintable;
using lld::cuda::readRegularFile;

namespace {

constexpr StringLiteral RunUsage =
    R"(Usage: lld-cuda --run [options] COMMAND [ARGUMENT...]

Runs COMMAND. Each nvlink of a CUDA toolkit that it, or a program started by it,
starts is replaced by lld-cuda, which links by the rules of that nvlink's
release. No files or settings need to be changed:

  lld-cuda --run make -j8
  lld-cuda --run cmake --build build

Options, before COMMAND:
  --device-link   also replace nvcc where it links device code: one process
                  instead of nvlink, fatbinary and the host compiler
  --fatbinary     also replace fatbinary
  --compat        write exactly nvlink's bytes (--nvlink-compat)
  --help          print this text

COMMAND gets the signals, the terminal and standard input, and its exit status
is returned. If nothing was replaced, a warning at the end says so. Programs
that are static, 32-bit, or for a C library other than glibc are run unchanged.
)";

int fail(int status, const Twine &text) {
  errs() << "lld-cuda: error: " << asPrintable(text.str()) << '\n';
  return status;
}

struct Settings {
  bool replacesNvcc = false;
  bool replacesFatbinary = false;
  bool isCompatible = false;
  ArrayRef<const char *> command;
};

/// What the environment of the command tells exec-hook.c.
struct Hook {
  std::string program; ///< This file.
  std::string file;    ///< The shared object, as LD_PRELOAD names it.
  std::string state;   ///< The directory of the run.
};

/// The loader splits LD_PRELOAD at these, and expands a $.
bool canBePreloaded(StringRef path) {
  return path.find_first_of(" :$") == StringRef::npos;
}

/// A directory that only this user may look into.
bool makeState(Hook &hook) {
  const char *parent = ::getenv("TMPDIR");
  std::string path =
      parent && *parent && canBePreloaded(parent) ? parent : "/tmp";
  path += "/lld-cuda-run-XXXXXX";
  if (!::mkdtemp(path.data()))
    return false;
  hook.state = path;
  return true;
}

bool writeState(const Hook &hook, StringRef name, StringRef text) {
  std::error_code problem;
  raw_fd_ostream file((hook.state + name).str(), problem,
                      sys::fs::CD_CreateNew);
  if (problem)
    return false;
  file << text;
  file.close();
  const bool failed = file.has_error();
  file.clear_error();
  return !failed;
}

/// Whether the dynamic loader of a program can take the hook. Scripts count as
/// such; what they start will show.
bool takesHook(StringRef path) {
  auto file = readRegularFile(path);
  if (!file || !(*file)->getBuffer().starts_with("\x7f"
                                                 "ELF"))
    return true;
  auto elf = object::ELF64LEFile::create((*file)->getBuffer());
  if (!elf)
    return consumeError(elf.takeError()), false;
  auto segments = elf->program_headers();
  if (!segments)
    return consumeError(segments.takeError()), false;
  if (elf->getHeader().e_ident[ELF::EI_CLASS] != ELF::ELFCLASS64)
    return false;
  for (const auto &segment : *segments)
    if (segment.p_type == ELF::PT_INTERP &&
        segment.p_offset < (*file)->getBufferSize())
      return !(*file)
                  ->getBuffer()
                  .substr(segment.p_offset, segment.p_filesz)
                  .contains("/ld-musl");
  return false;
}

//===----------------------------------------------------------------------===//
// The command as a child
//===----------------------------------------------------------------------===//

/// The process of the command; 0 if there is none.
volatile pid_t Child = 0;

/// What the terminal sends goes to the whole process group; only what a process
/// sends to this one has to be passed on.
void passOn(int signal, siginfo_t *info, void *) {
  if (Child > 0 && info->si_code <= 0)
    ::kill(Child, signal);
}

constexpr int PassedOn[] = {SIGINT,  SIGQUIT, SIGTERM, SIGHUP,
                            SIGUSR1, SIGUSR2, SIGALRM, SIGWINCH};

std::string namesToReplace(const Settings &settings) {
  std::string names = "nvlink";
  if (settings.replacesNvcc)
    names += " nvcc";
  if (settings.replacesFatbinary)
    names += " fatbinary";
  return names;
}

/// The command's own words. A command that is to be replaced itself becomes
/// what the hook makes of one: the hook isn't in this process.
std::vector<std::string> commandLine(const Settings &settings,
                                     const Hook &hook) {
  const StringRef command = settings.command.front();
  std::vector<std::string> words{command.str()};
  SmallVector<StringRef, 3> names;
  const std::string list = namesToReplace(settings);
  SplitString(list, names);
  if (is_contained(names, sys::path::filename(command)))
    if (auto path = sys::findProgramByName(command))
      words = {hook.program,
               "-flavor",
               "run",
               "--program=" + *path,
               ("--called-as=" + command).str(),
               "--state=" + hook.state,
               "--"};
  for (const char *word : settings.command.drop_front())
    words.push_back(word);
  return words;
}

[[noreturn]] void becomeCommand(const Settings &settings, const Hook &hook,
                                const sigset_t &oldMask) {
  // If this process is killed, the command is killed, too.
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  std::string preload = hook.file;
  if (const char *others = ::getenv("LD_PRELOAD"); others && *others) {
    SmallVector<StringRef, 4> files;
    SplitString(others, files, ": ");
    for (StringRef file : files)
      if (file != hook.file)
        preload += (":" + file).str();
  }
  ::setenv("LD_PRELOAD", preload.c_str(), 1);
  ::setenv("LLDCUDA_RUN_PROGRAM", hook.program.c_str(), 1);
  ::setenv("LLDCUDA_RUN_STATE", hook.state.c_str(), 1);
  ::setenv("LLDCUDA_RUN_HOOK", hook.file.c_str(), 1);
  ::setenv("LLDCUDA_RUN_NAMES", namesToReplace(settings).c_str(), 1);
  std::vector<std::string> line = commandLine(settings, hook);
  std::vector<char *> words;
  words.reserve(line.size() + 1);
  for (std::string &word : line)
    words.push_back(word.data());
  words.push_back(nullptr);
  ::sigprocmask(SIG_SETMASK, &oldMask, nullptr);
  ::execvp(words.front(), words.data());
  const int problem = errno;
  ::_exit(fail(problem == ENOENT ? 127 : 126,
               Twine("'") + settings.command.front() +
                   "': " + std::strerror(problem)));
}

/// Runs the command to its end. What waitpid() says of it, or -1.
int runToItsEnd(const Settings &settings, const Hook &hook) {
  // No signal is lost between the fork and the moment at which its receiver is
  // known.
  sigset_t all, oldMask;
  ::sigfillset(&all);
  ::sigprocmask(SIG_SETMASK, &all, &oldMask);
  const pid_t pid = ::fork();
  if (pid == 0)
    becomeCommand(settings, hook, oldMask);
  if (pid < 0)
    return -1;
  Child = pid;
  struct sigaction action = {};
  action.sa_sigaction = passOn;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  ::sigfillset(&action.sa_mask);
  for (int signal : PassedOn)
    ::sigaction(signal, &action, nullptr);
  ::sigprocmask(SIG_SETMASK, &oldMask, nullptr);
  int status;
  while (::waitpid(pid, &status, WUNTRACED) != pid || WIFSTOPPED(status)) {
    if (errno == ECHILD)
      return -1;
    if (WIFSTOPPED(status)) {
      // The shell sees a job that stopped, and continues it as one.
      ::kill(::getpid(), SIGSTOP);
      ::kill(pid, SIGCONT);
    }
  }
  Child = 0;
  return status;
}

/// Ends as the command did. Returns the status if that was an exit.
int endAs(int status) {
  if (WIFEXITED(status))
    return WEXITSTATUS(status);
  const int signal = WTERMSIG(status);
  // The command has written its core.
  const struct rlimit none = {0, 0};
  ::setrlimit(RLIMIT_CORE, &none);
  ::signal(signal, SIG_DFL);
  sigset_t set;
  ::sigemptyset(&set);
  ::sigaddset(&set, signal);
  ::sigprocmask(SIG_UNBLOCK, &set, nullptr);
  ::raise(signal);
  return 128 + signal;
}

//===----------------------------------------------------------------------===//
// What is said at the end
//===----------------------------------------------------------------------===//

struct Seen {
  unsigned nvcc = 0, replaced = 0;
  std::string foreign, own; ///< Paths of one such program.
};

Seen readSeen(const Hook &hook) {
  Seen seen;
  auto file = MemoryBuffer::getFile(hook.state + run::SeenFile.str());
  if (!file)
    return seen;
  SmallVector<StringRef> lines;
  (*file)->getBuffer().split(lines, '\n');
  for (StringRef line : lines) {
    auto [kind, path] = line.split(' ');
    if (kind == run::SeenNvcc)
      ++seen.nvcc;
    else if (kind == run::SeenReplaced)
      ++seen.replaced;
    else if (kind == run::SeenForeign)
      seen.foreign = path.str();
    else if (kind == run::SeenOwn)
      seen.own = path.str();
  }
  return seen;
}

void tellWhyNothing(const Settings &settings, const Seen &seen) {
  const StringRef command = settings.command.front();
  errs() << "lld-cuda: warning: nothing was replaced: '" << asPrintable(command)
         << "' started no nvlink of a CUDA toolkit\n";
  auto path = sys::findProgramByName(command);
  if (!seen.own.empty())
    errs() << ">>> '" << asPrintable(seen.own) << "' is already lld-cuda\n";
  else if (!seen.foreign.empty())
    errs() << ">>> '" << asPrintable(seen.foreign)
           << "' isn't NVIDIA's nvlink: its --version says otherwise\n";
  else if (seen.nvcc)
    errs() << ">>> nvcc was started " << seen.nvcc
           << (seen.nvcc == 1 ? " time" : " times")
           << ", but linked no device code: everything may be up to date, or "
              "compiled without -rdc=true\n";
  else if (path && !takesHook(*path))
    errs() << ">>> '" << asPrintable(*path)
           << "' is static, 32-bit, or for a C library other than glibc; use "
              "lld-cuda-toolkit\n";
  else
    errs() << ">>> everything may be up to date; programs started by a server, "
              "a container or a static program can't be replaced: use "
              "lld-cuda-toolkit for them\n";
}

//===----------------------------------------------------------------------===//
// Preparation
//===----------------------------------------------------------------------===//

/// Sets up the directory and finds the hook. False after a message.
bool prepare(const Settings &settings, Hook &hook) {
  char self[PATH_MAX];
  const ssize_t length = ::readlink("/proc/self/exe", self, sizeof self - 1);
  if (length <= 0)
    return fail(1, "can't read /proc/self/exe"), false;
  self[length] = 0;
  hook.program = self;
  SmallString<256> file = sys::path::parent_path(hook.program);
  sys::path::append(file, "..", "lib", "lld-cuda", "liblld-cuda-run.so");
  sys::path::remove_dots(file, /*remove_dot_dot=*/true);
  if (::access(file.c_str(), R_OK) != 0)
    return fail(1, "'" + file + "', which --run needs, doesn't exist"), false;
  hook.file = file.str().str();
  if (!makeState(hook))
    return fail(1, Twine("cannot create a temporary directory: ") +
                       std::strerror(errno)),
           false;
  if (!canBePreloaded(file)) {
    hook.file = hook.state + "/hook.so";
    if (::symlink(file.c_str(), hook.file.c_str()) != 0)
      return fail(1, "'" + hook.file + "': " + std::strerror(errno)), false;
  }
  if (!writeState(hook, run::SeenFile, "") ||
      !writeState(hook, run::OptionsFile,
                  settings.isCompatible ? "--nvlink-compat\n" : ""))
    return fail(1, "can't write to '" + hook.state + "'"), false;
  return true;
}

/// Reads --run's own options and the command. Returns false, with the exit
/// status, if a message or the help was printed instead.
bool readWords(ArrayRef<const char *> words, Settings &settings, int &status) {
  for (; !words.empty(); words = words.drop_front()) {
    StringRef word = words.front();
    if (word == "--") {
      words = words.drop_front();
      break;
    }
    if (word == "--device-link") {
      settings.replacesNvcc = true;
    } else if (word == "--fatbinary") {
      settings.replacesFatbinary = true;
    } else if (word == "--compat") {
      settings.isCompatible = true;
    } else if (word == "--help") {
      outs() << RunUsage;
      return status = 0, false;
    } else if (word.starts_with("-")) {
      return status = fail(1, "--run: unknown option '" + word +
                                  "'; see lld-cuda --run --help"),
             false;
    } else {
      break;
    }
  }
  settings.command = words;
  if (words.empty())
    return status = fail(1, "--run: no command; see lld-cuda --run --help"),
           false;
  return true;
}

} // namespace

int runCommand(ArrayRef<const char *> words) {
  Settings settings;
  int status = 0;
  if (!readWords(words, settings, status))
    return status;
  Hook hook;
  const bool isReady = prepare(settings, hook);
  status = isReady ? runToItsEnd(settings, hook) : -1;
  const int problem = errno;
  if (isReady && status != -1)
    if (const Seen seen = readSeen(hook); !seen.replaced)
      tellWhyNothing(settings, seen);
  if (!hook.state.empty())
    (void)sys::fs::remove_directories(hook.state);
  if (status != -1)
    return endAs(status);
  return isReady ? fail(1, Twine("can't start a process: ") +
                               std::strerror(problem))
                 : 1;
}
