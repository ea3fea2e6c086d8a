//===- PtxCompiler.cpp - Compiling PTX with ptxas -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// nvlink holds a copy of ptxas; we run the toolkit's. With the same options
/// the result is the same to the byte, notes included, if the files have the
/// names that nvlink gives them: .note.nv.tkinfo holds the output's name with
/// -g, and messages name the input (spec: inputs, section 5).
///
//===----------------------------------------------------------------------===//

#include "Ctx.h"
#include "InputFiles.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include <chrono>
#include <cstdlib>

using namespace llvm;
using namespace lld::cuda;

namespace {

/// A directory that goes with everything in it.
class TemporaryDirectory {
public:
  ~TemporaryDirectory() {
    if (!path.empty())
      sys::fs::remove_directories(path);
  }
  std::error_code create() {
    return sys::fs::createUniqueDirectory("lld-cuda", path);
  }
  std::string file(StringRef name) const { return (path + "/" + name).str(); }

private:
  SmallString<128> path;
};

class PtxCompiler {
public:
  PtxCompiler(const Ctx &ctx, InputUnit &unit) : ctx(ctx), unit(unit) {}
  bool compile(const PtxSource &source, size_t position);

private:
  std::vector<std::string> options(const PtxSource &source) const;
  bool run(StringRef ptxas, const PtxSource &source,
           const TemporaryDirectory &directory);
  void addMessages(const TemporaryDirectory &directory);
  bool fatal(const Twine &text);

  const Ctx &ctx;
  InputUnit &unit;
};

constexpr StringLiteral InputName = "application ptx input";
constexpr StringLiteral OutputName = "elf.o";
constexpr StringLiteral MessagesName = "messages";

} // namespace

/// Beside the linker first, unless a toolkit is named: there it has it.
static std::string findPtxas(const Config &config) {
  if (!config.ptxasPath.empty())
    return config.ptxasPath;
  auto findIn = [](const Twine &directory) {
    auto found = sys::findProgramByName("ptxas", {directory.str()});
    return found ? *found : std::string();
  };
  if (!config.cudaPath.empty())
    if (std::string path = findIn(config.cudaPath + "/bin"); !path.empty())
      return path;
  StringRef directory = sys::path::parent_path(config.program);
  if (!directory.empty())
    if (std::string path = findIn(directory); !path.empty())
      return path;
  if (auto found = sys::findProgramByName("ptxas"))
    return *found;
  for (const char *variable : {"CUDA_HOME", "CUDA_PATH"})
    if (const char *home = ::getenv(variable))
      if (std::string path = findIn(Twine(home) + "/bin"); !path.empty())
        return path;
  return findIn("/usr/local/cuda/bin");
}

bool PtxCompiler::fatal(const Twine &text) {
  unit.messages.push_back({Severity::Fatal, text.str()});
  return false;
}

/// The options of the compile that made the PTX come after the target, which
/// they may change; ours come last.
std::vector<std::string> PtxCompiler::options(const PtxSource &source) const {
  const Config &config = ctx.config;
  std::vector<std::string> words = {
      "-arch=sm_" + utostr(config.arch.number) +
          (config.arch.suffix == elf::Architecture::Accelerated ? "a" : ""),
      "-m64", "-c"};
  auto addWords = [&](StringRef text) {
    SmallVector<StringRef, 8> split;
    SplitString(text, split);
    for (StringRef word : split)
      words.push_back(word.str());
  };
  addWords(source.options);
  if (config.debug && !config.suppressDebugInfo)
    words.push_back("-g");
  if (config.maxRegisters > 0)
    words.push_back("-maxrregcount=" + itostr(config.maxRegisters));
  if (config.deviceStackProtector)
    words.push_back("-device-stack-protector=" + *config.deviceStackProtector);
  if (config.splitCompile && *config.splitCompile != 1)
    words.push_back("-split-compile=" + itostr(*config.splitCompile));
  for (const std::string &option : config.ptxasOptions)
    addWords(option);
  return words;
}

/// What ptxas printed, with its input's name as nvlink's ptxas has it.
void PtxCompiler::addMessages(const TemporaryDirectory &directory) {
  auto buffer = MemoryBuffer::getFile(directory.file(MessagesName));
  if (!buffer || (*buffer)->getBuffer().empty())
    return;
  std::string text = (*buffer)->getBuffer().str();
  std::string prefix = directory.file("");
  for (size_t at = 0; (at = text.find(prefix, at)) != std::string::npos;)
    text.erase(at, prefix.size());
  unit.messages.push_back({Severity::Verbatim, std::move(text)});
}

bool PtxCompiler::run(StringRef ptxas, const PtxSource &source,
                      const TemporaryDirectory &directory) {
  std::string input = directory.file(InputName);
  std::string messages = directory.file(MessagesName);
  std::error_code ec;
  raw_fd_ostream os(input, ec);
  if (!ec) {
    os << source.text;
    os.close();
    ec = os.error();
    os.clear_error();
  }
  if (ec)
    return fatal("cannot write '" + input + "': " + ec.message());

  std::vector<std::string> words = options(source);
  words.insert(words.begin(), ptxas.str());
  words.insert(words.end(), {input, "-o", directory.file(OutputName)});
  std::vector<StringRef> args(words.begin(), words.end());
  std::optional<StringRef> redirects[] = {StringRef(), StringRef(messages),
                                          StringRef(messages)};
  std::string problem;
  int status =
      sys::ExecuteAndWait(ptxas, args, std::nullopt, redirects, 0, 0, &problem);
  addMessages(directory);
  if (status == 0)
    return true;
  if (!problem.empty())
    unit.messages.push_back(
        {Severity::Error, ptxas.str() + " cannot be run: " + problem});
  return fatal("elfLink fatbinary error");
}

bool PtxCompiler::compile(const PtxSource &source, size_t position) {
  std::string ptxas = findPtxas(ctx.config);
  if (ptxas.empty())
    return fatal("'" + unit.label +
                 "' has PTX to be compiled, but ptxas is neither beside the "
                 "linker nor in PATH or CUDA_HOME");
  TemporaryDirectory directory;
  if (std::error_code ec = directory.create())
    return fatal("cannot make a temporary directory: " + ec.message());

  auto begin = std::chrono::steady_clock::now();
  if (!run(ptxas, source, directory))
    return false;
  std::chrono::duration<double, std::milli> time =
      std::chrono::steady_clock::now() - begin;
  unit.compileTimes.push_back(time.count());

  OpenedFile output = openFile(ctx, directory.file(OutputName));
  if (!output.buffer)
    return fatal("'" + ptxas + "' has made no output");
  unit.compiled.push_back(std::move(output.buffer));
  return addCompiledImage(ctx, unit, unit.compiled.back()->getBuffer(),
                          position);
}

void lld::cuda::compilePtx(const Ctx &ctx, InputUnit &unit) {
  PtxCompiler compiler(ctx, unit);
  for (size_t i = 0; i != unit.ptx.size(); ++i)
    if (!compiler.compile(unit.ptx[i], unit.ptx[i].position + i))
      return;
}
