//===- Subprocess.cpp - Running the compilers of the toolkit --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Subprocess.h"
#include "Config.h"
#include "WriteFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include <cstdlib>

using namespace llvm;

namespace lld::cuda {

TemporaryDirectory::~TemporaryDirectory() {
  if (!path.empty())
    sys::fs::remove_directories(path);
}

std::error_code TemporaryDirectory::create() {
  return sys::fs::createUniqueDirectory("lld-cuda", path);
}

ToolResult runTool(const TemporaryDirectory &directory, StringRef name,
                   const std::string &program, ArrayRef<std::string> words) {
  ToolResult result;
  std::string messages = directory.file((name + ".messages").str());
  std::vector<StringRef> args = {program};
  args.insert(args.end(), words.begin(), words.end());
  std::optional<StringRef> redirects[] = {StringRef(), StringRef(messages),
                                          StringRef(messages)};
  result.status = sys::ExecuteAndWait(program, args, std::nullopt, redirects, 0,
                                      0, &result.problem);
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

ToolResult runPtxas(const TemporaryDirectory &directory, const Config &config,
                    const std::string &ptxas, StringRef text,
                    std::vector<std::string> words) {
  // With -g the note tells files that are options, but not text that is one
  // (-ias), nor the output if it isn't named. That is in the current directory.
  if (config.debug && text.size() < MaxWord) {
    std::vector<std::string> shell = {"-c", "cd \"$0\" && exec \"$@\"",
                                      directory.str().str(), ptxas};
    shell.insert(shell.end(), words.begin(), words.end());
    shell.insert(shell.end(), {"-ias", text.str()});
    return runTool(directory, "ptxas", "/bin/sh", shell);
  }
  ToolResult result;
  std::string input = directory.file(PtxasInput);
  if (Error e = writeFile(input, text)) {
    result.problem = toString(std::move(e));
    return result;
  }
  words.insert(words.end(), {input, "-o", ptxasOutput(directory)});
  return runTool(directory, "ptxas", ptxas, words);
}

static std::string findIn(const Twine &directory, StringRef name) {
  auto found = sys::findProgramByName(name, {directory.str()});
  return found ? *found : std::string();
}

std::string findPtxas(const Config &config) {
  if (!config.ptxasPath.empty())
    return config.ptxasPath;
  if (!config.cudaPath.empty())
    if (std::string path = findIn(config.cudaPath + "/bin", "ptxas");
        !path.empty())
      return path;
  StringRef directory = sys::path::parent_path(config.program);
  if (!directory.empty())
    if (std::string path = findIn(directory, "ptxas"); !path.empty())
      return path;
  if (auto found = sys::findProgramByName("ptxas"))
    return *found;
  for (const char *variable : {"CUDA_HOME", "CUDA_PATH"})
    if (const char *home = ::getenv(variable))
      if (std::string path = findIn(Twine(home) + "/bin", "ptxas");
          !path.empty())
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
  auto found = sys::findProgramByName(name);
  return found ? *found : std::string();
}

} // namespace lld::cuda
