//===- Nvcc.cpp - lld-cuda in nvcc's place --------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Does the device link that an nvcc command line asks for, and runs the real
/// nvcc for everything else. A toolkit directory's nvcc and CMake's rule for
/// device links call `lld-cuda -flavor nvcc`, for which main() calls
/// runAsNvcc(); RunReplaced.cpp calls it in a build under `lld-cuda --run
/// --device-link`. NvccCommand.cpp decides what there is to do. A device link
/// is done in this process; for a final link, nvcc then links the host's part
/// with the object. The real nvcc runs under the name by which this one was
/// called: beside that it looks for its tools.
///
//===----------------------------------------------------------------------===//

#include "Nvcc.h"
#include "Driver/Driver.h"
#include "Driver/LldDriver.h"
#include "Driver/NvccCommand.h"
#include "lld-cuda/Linker.h"
#include "lld-cuda/Support/Cleanup.h"
#include "lld-cuda/Support/Printable.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <cerrno>
#include <cstring>
#include <spawn.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>
#include <vector>

using namespace llvm;
using namespace lld::cuda;

namespace {

struct Call {
  NvccProgram nvcc;     ///< The real one.
  std::string calledAs; ///< Its first word.
  bool printsStep = false;
  std::vector<std::string> linkOptions; ///< For each device link.
  ArrayRef<const char *> words;
  StringRef misplaced; ///< A word for this program among nvcc's; or "".
};

/// This program's own words, which a toolkit directory's script or CMake's rule
/// gives, end with "--". Scripts of earlier versions have none: their words are
/// the first ones, each once.
class OwnWords {
public:
  explicit OwnWords(Call &call) : call(call) {}
  /// Whether it is one, and hasn't been there before.
  bool take(StringRef word) {
    if (word.consume_front("--nvcc="))
      return takeOnce(call.nvcc.path, word);
    if (word.consume_front("--called-as="))
      return takeOnce(call.calledAs, word);
    if (word.consume_front("--nvcc-release="))
      return !call.nvcc.major &&
             !word.split('.').first.getAsInteger(10, call.nvcc.major);
    if (word.consume_front("--link-option=")) {
      call.linkOptions.push_back(word.str());
      return true;
    }
    return word == "--print-step" && !std::exchange(call.printsStep, true);
  }
  static bool isOne(StringRef word) {
    return word == "--print-step" || word.starts_with("--nvcc=") ||
           word.starts_with("--nvcc-release=") ||
           word.starts_with("--called-as=") ||
           word.starts_with("--link-option=");
  }

private:
  static bool takeOnce(std::string &place, StringRef value) {
    if (!place.empty())
      return false;
    place = value.str();
    return true;
  }
  Call &call;
};

Call readCall(ArrayRef<const char *> args) {
  Call call;
  OwnWords own(call);
  while (!args.empty() && own.take(args.front()))
    args = args.drop_front();
  if (!args.empty() && StringRef(args.front()) == "--")
    args = args.drop_front();
  if (const auto *word = find_if(args, OwnWords::isOne); word != args.end())
    call.misplaced = *word;
  if (call.nvcc.path.empty())
    call.nvcc.path = "nvcc";
  if (call.calledAs.empty())
    call.calledAs = call.nvcc.path;
  call.words = args;
  return call;
}

int fail(const Call &call, const Twine &text) {
  errs() << call.calledAs << ": error: " << asPrintable(text.str()) << '\n';
  return 1;
}

/// The words of a program's command line; `first` are put in front of the
/// call's.
std::vector<char *> commandLine(const Call &call,
                                ArrayRef<const char *> first) {
  std::vector<char *> words{const_cast<char *>(call.calledAs.c_str())};
  for (ArrayRef<const char *> part : {first, call.words})
    for (const char *word : part)
      words.push_back(const_cast<char *>(word));
  words.push_back(nullptr);
  return words;
}

int handOver(const Call &call) {
  ::execvp(call.nvcc.path.c_str(), commandLine(call, {}).data());
  return fail(call, "'" + call.nvcc.path + "': " + std::strerror(errno));
}

/// One link, with all architectures. Its words are nvlink's or ld.cuda's, and
/// its release is that of the toolkit in which it lies: the name says both.
/// Returns the exit status.
int linkDevice(const Call &call, const NvccPlan &plan, StringRef object,
               bool exitEarly) {
  std::string program = (sys::path::parent_path(call.calledAs) +
                         (plan.isLld ? "/ld.cuda" : "/nvcc"))
                            .str();
  std::string output = ("--host-object=" + object).str();
  std::vector<const char *> words{program.c_str()};
  for (const std::string &word : call.linkOptions)
    words.push_back(word.c_str());
  for (const std::string &word : plan.words)
    words.push_back(word.c_str());
  words.push_back(output.c_str());
  return runCommandLine(words, outs(), errs(), exitEarly,
                        /*disableOutput=*/false, InputMode::Map);
}

/// The host's part of a final link.
int linkHost(const Call &call, const std::string &object) {
  std::vector<char *> words = commandLine(call, {"-nodlink", object.c_str()});
  RunningProgram program;
  pid_t pid;
  // Its group goes with it.
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  int problem = ::posix_spawnp(&pid, call.nvcc.path.c_str(), nullptr,
                               &attributes, words.data(), environ);
  ::posix_spawnattr_destroy(&attributes);
  if (problem)
    return fail(call, "'" + call.nvcc.path + "': " + std::strerror(problem));
  program.started(pid);
  int status = program.wait();
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

void printStep(const NvccPlan &plan) {
  if (plan.step == NvccStep::HandOver) {
    outs() << "nvcc: " << plan.reason << '\n';
    return;
  }
  outs() << (plan.step == NvccStep::DeviceLink ? "device link:"
                                               : "final link:");
  for (const std::string &word : plan.words)
    outs() << ' ' << word;
  outs() << " -> " << plan.output << '\n';
}

} // namespace

int runAsNvcc(ArrayRef<const char *> args) {
  const Call call = readCall(args);
  if (!call.misplaced.empty())
    return fail(call, "'" + call.misplaced +
                          "' must come before nvcc's own arguments");
  const NvccPlan plan = planNvccCommand(call.words, call.nvcc);
  if (call.printsStep) {
    printStep(plan);
    return 0;
  }
  if (!isLldOption("--host-object=FILE"))
    return handOver(call);
  switch (plan.step) {
  case NvccStep::HandOver:
    return handOver(call);
  case NvccStep::DeviceLink:
    return linkDevice(call, plan, plan.output, /*exitEarly=*/true);
  case NvccStep::FinalLink:
    break;
  }
  TemporaryDirectory directory;
  const char *parent = ::getenv("TMPDIR");
  if (std::error_code e = directory.create(parent && *parent ? parent : "/tmp"))
    return fail(call, "cannot create a temporary directory: " + e.message());
  std::string name = sys::path::stem(plan.output).str() + "_dlink.o";
  const std::string object = directory.file(name);
  if (const int status = linkDevice(call, plan, object, /*exitEarly=*/false))
    return status;
  return linkHost(call, object);
}
