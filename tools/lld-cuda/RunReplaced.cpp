//===- RunReplaced.cpp - Runs in place of a build's nvlink ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Decides what is done in place of a program that a build under `lld-cuda
/// --run` starts. The preloaded exec-hook.c starts `lld-cuda -flavor run` for
/// every program named nvlink (and nvcc or fatbinary, if the user asks for it),
/// for which main() calls runReplaced(). exec-hook.c goes by the name only;
/// here the file is looked at. An nvlink that is NVIDIA's is replaced: lld-cuda
/// links by the rules of its release. Any other program is started after all,
/// as if nobody had asked. Which release an nvlink has is found once in a run
/// and kept in the run's directory.
///
//===----------------------------------------------------------------------===//

#include "Driver/NvccCommand.h"
#include "Fatbinary.h"
#include "Nvcc.h"
#include "Rules/ReleaseChoice.h"
#include "Run.h"
#include "lld-cuda/Linker.h"
#include "lld-cuda/Support/Cleanup.h"
#include "lld-cuda/Support/Printable.h"
#include "lld-cuda/Support/Subprocess.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/VersionTuple.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <string>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

using namespace llvm;
using namespace lld::cuda;

namespace {

struct Replaced {
  StringRef program;  ///< The file that was to be started.
  StringRef calledAs; ///< Its first word.
  std::string state;  ///< The run's directory.
  ArrayRef<const char *> words;
};

Replaced readWords(ArrayRef<const char *> args) {
  Replaced call;
  for (; !args.empty(); args = args.drop_front()) {
    StringRef word = args.front();
    if (word.consume_front("--program="))
      call.program = word;
    else if (word.consume_front("--called-as="))
      call.calledAs = word;
    else if (word.consume_front("--state="))
      call.state = word.str();
    else if (word == "--") {
      args = args.drop_front();
      break;
    }
  }
  call.words = args;
  return call;
}

/// The system call, since in a build that isn't static the hook would see a
/// call of the C library's function.
int startProgram(const Replaced &call) {
  const std::string program = call.program.str(), first = call.calledAs.str();
  std::vector<char *> words{const_cast<char *>(first.c_str())};
  for (const char *word : call.words)
    words.push_back(const_cast<char *>(word));
  words.push_back(nullptr);
  // Settings of main() that the program would inherit.
  ::signal(SIGXFSZ, SIG_DFL);
  ::execv(program.c_str(), words.data());
  errs() << "lld-cuda: error: '" << asPrintable(program)
         << "': " << std::strerror(errno) << '\n';
  return 126;
}

/// Returns whether this user alone may write to the run's directory: what is in
/// it decides which programs are started.
bool isOwnDirectory(const std::string &path) {
  struct stat status;
  return ::lstat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode) &&
         status.st_uid == ::geteuid() && !(status.st_mode & 0077);
}

/// One write for one line, so that those of other processes don't mix with it.
void note(const Replaced &call, StringRef kind, StringRef path = "") {
  const int file = ::open((call.state + run::SeenFile).str().c_str(),
                          O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW);
  if (file < 0)
    return;
  std::string line = kind.str();
  if (!path.empty() && !path.contains('\n'))
    line += (" " + path).str();
  line += '\n';
  [[maybe_unused]] ssize_t written = ::write(file, line.data(), line.size());
  ::close(file);
}

//===----------------------------------------------------------------------===//
// What nvlink is that?
//===----------------------------------------------------------------------===//

constexpr StringLiteral Foreign = "foreign", Unknown = "unknown";

/// Asks nvlink for its --version. Returns a release such as 13.0.88; Unknown if
/// it doesn't answer but is in a toolkit; else Foreign.
std::string askRelease(StringRef nvlink) {
  TemporaryDirectory directory;
  const char *parent = ::getenv("TMPDIR");
  if (!directory.create(parent && *parent ? parent : "/tmp")) {
    ToolResult answer =
        runTool(directory, "nvlink", nvlink.str(), {"--version"});
    StringRef text = answer.output;
    if (answer.status == 0 && text.contains("NVIDIA (R) Cuda linker")) {
      StringRef version = text.split(", V").second;
      version =
          version.take_while([](char c) { return isDigit(c) || c == '.'; });
      return version.empty() ? Unknown.str() : version.str();
    }
  }
  const std::string folder = sys::path::parent_path(nvlink).str();
  for (StringRef other : {"/nvcc.profile", "/ptxas"})
    if (::access((folder + other).str().c_str(), R_OK) == 0)
      return Unknown.str();
  return Foreign.str();
}

std::string findNvlinkRelease(const Replaced &call, StringRef nvlink) {
  const std::string file =
      call.state + "/nvlink-" + utohexstr(xxh3_64bits(nvlink));
  if (auto known = MemoryBuffer::getFile(file))
    return (*known)->getBuffer().str();
  std::string release = askRelease(nvlink);
  // Others may ask at the same time: each puts a complete file in place.
  const std::string ours = file + "-" + std::to_string(::getpid());
  std::error_code problem;
  {
    raw_fd_ostream out(ours, problem, sys::fs::CD_CreateNew);
    if (!problem)
      out << release;
    out.close();
    if (out.has_error())
      problem = out.error();
    out.clear_error();
  }
  if (problem || ::rename(ours.c_str(), file.c_str()) != 0)
    ::unlink(ours.c_str());
  return release;
}

/// The options by which a link goes by a release's rules. Of one that isn't
/// known and newer than all, the newest known; of any other, the inputs say.
std::vector<std::string> optionsOfRelease(StringRef release) {
  if (findRelease(release))
    return {("--nvlink-release=" + release).str()};
  VersionTuple version, newest;
  if (!version.tryParse(release) && !newest.tryParse(newestRelease().name) &&
      version > newest)
    return {"--nvlink-release=newest", "--newer-inputs=warn"};
  return {};
}

/// --nvlink-compat, if the run has it.
void addRunOptions(const Replaced &call, std::vector<std::string> &words) {
  auto file = MemoryBuffer::getFile(call.state + run::OptionsFile.str());
  if (!file)
    return;
  SmallVector<StringRef> lines;
  (*file)->getBuffer().split(lines, '\n', -1, /*KeepEmpty=*/false);
  for (StringRef line : lines)
    words.push_back(line.str());
}

//===----------------------------------------------------------------------===//
// In place of each program
//===----------------------------------------------------------------------===//

/// Returns the options that make lld-cuda link by the rules of the release, and
/// those that the run asks for.
std::vector<std::string> linkOptions(const Replaced &call, StringRef release) {
  std::vector<std::string> words = optionsOfRelease(release);
  addRunOptions(call, words);
  return words;
}

int replaceNvlink(const Replaced &call) {
  const std::string release = findNvlinkRelease(call, call.program);
  if (release == Foreign) {
    note(call, run::SeenForeign, call.program);
    return startProgram(call);
  }
  note(call, run::SeenReplaced);
  // The program's name also says where its toolkit's ptxas is.
  std::vector<std::string> added = linkOptions(call, release);
  added.insert(added.begin(), call.program.str());
  std::vector<const char *> words;
  words.reserve(added.size() + call.words.size());
  for (const std::string &word : added)
    words.push_back(word.c_str());
  append_range(words, call.words);
  return !link(words, outs(), errs(), /*exitEarly=*/true,
               /*disableOutput=*/false);
}

/// The nvlink that an nvcc or fatbinary would go with. Debian's nvcc is a
/// script beside it, too.
std::string nvlinkBeside(const Replaced &call) {
  return (sys::path::parent_path(call.program) + "/nvlink").str();
}

/// Compilations, and all that isn't a plain link, are the installed nvcc's. It
/// starts nvlink, which is replaced as any other.
int replaceNvcc(const Replaced &call) {
  const std::string nvlink = nvlinkBeside(call);
  if (::access(nvlink.c_str(), X_OK) != 0)
    return startProgram(call);
  const std::string release = findNvlinkRelease(call, nvlink);
  NvccProgram nvcc;
  nvcc.path = call.program.str();
  StringRef(release).split('.').first.getAsInteger(10, nvcc.major);
  if (release == Foreign ||
      planNvccCommand(call.words, nvcc).step == NvccStep::HandOver) {
    note(call, run::SeenNvcc);
    return startProgram(call);
  }
  note(call, run::SeenReplaced);
  std::vector<std::string> added{"--nvcc=" + nvcc.path,
                                 "--called-as=" + nvcc.path};
  if (nvcc.major)
    added.push_back("--nvcc-release=" + release);
  for (const std::string &option : linkOptions(call, release))
    added.push_back("--link-option=" + option);
  added.push_back("--");
  std::vector<const char *> words;
  words.reserve(added.size() + call.words.size());
  for (const std::string &word : added)
    words.push_back(word.c_str());
  append_range(words, call.words);
  return runAsNvcc(words);
}

/// NVIDIA's fatbinary of CUDA 12 compresses in another way than Fatbinary.cpp,
/// so it is started itself.
int replaceFatbinary(const Replaced &call) {
  const std::string release = findNvlinkRelease(call, nvlinkBeside(call));
  VersionTuple version;
  if (version.tryParse(release) || version.getMajor() < 13)
    return startProgram(call);
  note(call, run::SeenReplaced);
  const std::string program = call.program.str();
  std::vector<const char *> words{program.c_str()};
  append_range(words, call.words);
  return runAsFatbinary(words, {program, release});
}

} // namespace

int runReplaced(ArrayRef<const char *> args) {
  const Replaced call = readWords(args);
  SmallString<256> real;
  if (!isOwnDirectory(call.state) || sys::fs::real_path(call.program, real))
    return startProgram(call);
  // A toolkit directory of lld-cuda-toolkit's.
  if (sys::path::filename(real) == "lld-cuda") {
    note(call, run::SeenOwn, call.program);
    return startProgram(call);
  }
  StringRef name = sys::path::filename(call.program);
  if (name == "nvlink")
    return replaceNvlink(call);
  if (name == "nvcc")
    return replaceNvcc(call);
  if (name == "fatbinary")
    return replaceFatbinary(call);
  return startProgram(call);
}
