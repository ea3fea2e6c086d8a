//===- Compilers.cpp - Finding and running ptxas and helpers --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// compileText() runs ptxas for PtxCompiler.cpp and the LTO passes; findPtxas()
/// and findHelper() say where the programs are. A link that a program has asked
/// for, by the library, uses only a ptxas that its options name; a link with a
/// command line also looks beside the linker, in CUDA_HOME and CUDA_PATH, in
/// PATH and in /usr/local/cuda.
///
/// With -g the note in a cubin names the files that ptxas was given, and the
/// ptxas inside nvlink is given none. So ptxas then runs in a temporary
/// directory and gets PTX of less than 128 KiB as a word (-ias); a longer text
/// is a file, whose name is taken out of the note afterwards [ptx-compiled].
///
//===----------------------------------------------------------------------===//

#include "Input/Compilers.h"
#include "Input/CompileCache.h"
#include "Input/InputFiles.h"
#include "Input/PtxasOptions.h"
#include "Inputs.h"
#include "Rules/Config.h"
#include "lld-cuda/Object/NoteCommand.h"
#include "lld-cuda/Support/WriteFile.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"

using namespace llvm;

namespace lld::cuda {

/// ptxas's own names for text that isn't from a file, and for the output.
constexpr StringLiteral PtxasInput = "application ptx input",
                        PtxasOutput = "elf.o";
/// Linux takes no longer word on a command line than 128 KiB.
constexpr size_t MaxWord = 128 << 10;

static std::string ptxasOutput(const TemporaryDirectory &directory) {
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

static ToolResult startPtxas(const TemporaryDirectory &directory,
                             const std::string &ptxas,
                             ArrayRef<std::string> words,
                             WorkIn where = WorkIn::Current) {
  ToolResult result = runTool(directory, "ptxas", ptxas, words, where);
  // ptxas writes the cubin last, and none after an error.
  if (result.hasLostStatus) {
    result.problem.clear();
    result.status = sys::fs::exists(ptxasOutput(directory)) ? 0 : 255;
  }
  return result;
}

static ToolResult runPtxas(const TemporaryDirectory &directory,
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
    return startPtxas(directory, ptxas, words, WorkIn::Temporary);
  }
  std::string input = directory.file(PtxasInput);
  if (Error e = writeFile(input, text)) {
    result.problem = toString(std::move(e));
    return result;
  }
  words.push_back(input);
  if (!debugs) {
    words.insert(words.end(), {"-o", ptxasOutput(directory)});
    return startPtxas(directory, ptxas, words);
  }
  result = startPtxas(directory, ptxas, words, WorkIn::Temporary);
  if (result.status == 0)
    dropInputFromNote(ptxasOutput(directory));
  return result;
}

/// Asks the cache for the result; returns null if it must not be kept.
static std::optional<CompileCache::Compile>
beginCompile(const Inputs &inputs, const std::string &ptxas, StringRef text,
             ArrayRef<std::string> words) {
  CompileCache &cache = *inputs.tools.compileCache;
  if (!areSelfContained(words)) {
    cache.passBy(inputs.config);
    return std::nullopt;
  }
  ContentKey key("ptxas");
  key.add(text);
  for (const std::string &word : words)
    key.add(word);
  return cache.begin(inputs.config, key, {ptxas});
}

CompiledText compileText(const Inputs &inputs, const std::string &ptxas,
                         StringRef text, std::vector<std::string> words) {
  CompiledText result;
  const auto compile = beginCompile(inputs, ptxas, text, words);
  ContentCache::Entry kept;
  if (compile && inputs.tools.compileCache->find(*compile, kept) &&
      kept.parts.size() == 2) {
    result.tool.status = 0;
    result.tool.output = kept.parts[0].str();
    result.cubin = MemoryBuffer::getMemBufferCopy(kept.parts[1], "elf.o");
    return result;
  }
  TemporaryDirectory directory;
  result.noDirectory =
      directory.create(inputs.config.environment.temporaryDirectory);
  if (result.noDirectory) {
    result.tool.problem = result.noDirectory.message();
    return result;
  }
  result.tool = runPtxas(directory, ptxas, text, std::move(words));
  if (result.tool.status != 0)
    return result;
  result.cubin = openFile(inputs, ptxasOutput(directory)).buffer;
  if (compile && result.cubin && !result.tool.hasLostStatus)
    inputs.tools.compileCache->keep(
        *compile, {result.tool.output, result.cubin->getBuffer()});
  return result;
}

static std::string findIn(const Twine &directory, StringRef name) {
  auto found = sys::findProgramByName(name, {directory.str()});
  return found ? *found : std::string();
}

std::string findInPath(const Config &config, StringRef name) {
  SmallVector<StringRef, 16> directories;
  SplitString(config.environment.path, directories, ":");
  // Without any directory findProgramByName() would ask the environment.
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
  // If one fails, the folders made of its result don't exist.
  (void)sys::fs::make_absolute(given);
  (void)sys::fs::real_path(given, real);
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
  if (!config.isCommandLine)
    return {};
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
