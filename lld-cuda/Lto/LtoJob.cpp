//===- LtoJob.cpp - Jobs for lld-cuda-lto, and their results --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// An LtoJob collects what lld-cuda-lto needs for one job, writes it into two
/// files in a temporary directory (the job and its data), starts the program
/// and reads its exit status. LtoNvidia.cpp makes such jobs for LTO IR and
/// LtoLlvm.cpp for bitcode, when all inputs of a link are loaded and before
/// objects are merged.
///
/// With --cache-dir a job that was done before isn't started: its outputs come
/// from the cache. The key is made of the job's words and data, the contents of
/// lld-cuda-lto and, for LTO IR, those of the libnvJitLink that lld-cuda-lto is
/// expected to load; paths aren't part of it. Afterwards lld-cuda-lto tells
/// which library it has loaded (file "loaded"), and a result is kept only if
/// that was the expected one. The result of a failed job isn't kept.
///
//===----------------------------------------------------------------------===//

#include "Lto/LtoJob.h"
#include "Input/ObjectFile.h"
#include "Inputs.h"
#include "lld-cuda/Lto/Protocol.h"
#include "lld-cuda/Support/WriteFile.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace llvm;

namespace lld::cuda {

constexpr StringLiteral HelperName = "lld-cuda-lto";
constexpr StringLiteral LoadedName = "loaded";

bool createJobDirectory(const Inputs &inputs, TemporaryDirectory &directory) {
  if (inputs.job.onProgramStart)
    inputs.job.onProgramStart();
  std::error_code ec =
      directory.create(inputs.config.environment.temporaryDirectory);
  if (ec)
    inputs.diag.report(DiagId::NoTemporaryDirectory,
                       {"cannot create a temporary directory: ", ec.message()});
  return !ec;
}

LtoJob::LtoJob(const TemporaryDirectory &directory, StringRef command)
    : directory(directory), command(command.str()) {}

static void addRecord(std::string &records,
                      std::initializer_list<StringRef> words) {
  // Names come from inputs: what follows a NUL in one would be read as a
  // record.
  for (StringRef word : words) {
    records += word.split('\0').first;
    records += '\0';
  }
}

void LtoJob::add(std::initializer_list<StringRef> words) {
  addRecord(records, words);
}

void LtoJob::addInput(StringRef kind, StringRef bytes, StringRef name) {
  add({"input", kind, utostr(data.size()), utostr(bytes.size()), name});
  data += bytes;
}

void LtoJob::addLibrary(StringRef path) {
  addRecord(files, {"library", path});
  // The loader looks for a name without a slash in its own places.
  if (library.empty() && path.contains('/'))
    library = path.str();
}

void LtoJob::setOutputs(StringRef prefix, size_t count) {
  addRecord(files, {"output", prefix});
  if (!count)
    outputs.push_back(prefix.str());
  for (size_t i = 0; i != count; ++i)
    outputs.push_back((prefix + utostr(i)).str());
}

//===----------------------------------------------------------------------===//
// What earlier links have made
//===----------------------------------------------------------------------===//

std::optional<CompileCache::Compile>
LtoJob::beginCompile(const Inputs &inputs, const std::string &helper) {
  CompileCache &cache = *inputs.tools.compileCache;
  const bool needsLibrary = command == "nvjitlink";
  if (!isKept || (needsLibrary && library.empty())) {
    cache.passBy(inputs.config);
    return std::nullopt;
  }
  ContentKey key("lto");
  for (StringRef text : {command, records, data})
    key.add(text);
  std::vector<std::string> compilers = {helper};
  if (needsLibrary)
    compilers.push_back(library);
  return cache.begin(inputs.config, key, compilers);
}

/// The parts: what was said, and for each file its number among the outputs
/// and its contents.
bool LtoJob::takeOver(const ContentCache::Entry &kept,
                      ToolResult &result) const {
  if (kept.parts.size() % 2 == 0)
    return false;
  for (size_t i = 1; i != kept.parts.size(); i += 2) {
    size_t number;
    if (kept.parts[i].getAsInteger(10, number) || number >= outputs.size())
      return false;
    if (Error e = writeFile(outputs[number], kept.parts[i + 1])) {
      consumeError(std::move(e)); // Whoever is started says why.
      return false;
    }
  }
  result.status = lto::Done;
  result.output = kept.parts[0].str();
  return true;
}

/// Keeps the result if the library was loaded whose content is in the key.
void LtoJob::keep(const Inputs &inputs, const CompileCache::Compile &compile,
                  const ToolResult &result) const {
  if (command == "nvjitlink") {
    auto loaded = MemoryBuffer::getFile(directory.file(LoadedName));
    if (!loaded || (*loaded)->getBuffer() != library)
      return;
  }
  std::vector<std::unique_ptr<MemoryBuffer>> buffers;
  std::vector<std::string> numbers(outputs.size());
  SmallVector<StringRef, 3> parts = {result.output};
  for (size_t i = 0; i != outputs.size(); ++i) {
    auto buffer = MemoryBuffer::getFile(outputs[i]);
    if (!buffer)
      continue;
    numbers[i] = utostr(i);
    parts.push_back(numbers[i]);
    parts.push_back((*buffer)->getBuffer());
    buffers.push_back(std::move(*buffer));
  }
  if (!buffers.empty())
    inputs.tools.compileCache->keep(compile, parts);
}

//===----------------------------------------------------------------------===//
// The helper
//===----------------------------------------------------------------------===//

ToolResult LtoJob::run(const Inputs &inputs) {
  ToolResult result;
  const std::string helper = findHelper(inputs.config, HelperName);
  if (helper.empty()) {
    result.problem =
        "link-time optimization needs the program 'lld-cuda-lto', which is "
        "neither beside the linker nor in PATH";
    return result;
  }
  const auto compile = beginCompile(inputs, helper);
  ContentCache::Entry kept;
  if (compile && inputs.tools.compileCache->find(*compile, kept) &&
      takeOver(kept, result))
    return result;
  if (compile && command == "nvjitlink")
    addRecord(files, {"loaded", directory.file(LoadedName)});
  result = runHelper(inputs.config, helper);
  if (compile && result.status == lto::Done && result.problem.empty())
    keep(inputs, *compile, result);
  return result;
}

ToolResult LtoJob::runHelper(const Config &config, const std::string &helper) {
  ToolResult result;
  std::string jobPath = directory.file((command + ".job"));
  std::string dataPath = directory.file((command + ".data"));
  std::string job = command;
  job += '\0';
  for (StringRef word : {StringRef("data"), StringRef(dataPath)}) {
    job += word;
    job += '\0';
  }
  job += files;
  job += records;
  if (Error e =
          joinErrors(writeFile(dataPath, data), writeFile(jobPath, job))) {
    result.problem = toString(std::move(e));
    return result;
  }

  // Passed as an option, which lld-cuda-lto names if the limit ends it.
  std::vector<std::string> words;
  uint64_t memory = config.limits.memory;
  if (!memory)
    memory = getMemoryLimit().value_or(0) >> 20;
  if (memory)
    words.push_back("--memory-limit=" + utostr(memory));
  if (config.sandbox)
    words.push_back("--sandbox=" + getSandboxModeName(*config.sandbox).str());
  words.push_back(jobPath);
  result = runTool(directory, command, helper, words, WorkIn::Current,
                   config.ltoTimeout);
  if (result.tookTooLong) {
    result.problem = "'" + helper + "' took longer than " +
                     utostr(config.ltoTimeout) + " s (--lto-timeout)";
    result.output.clear();
    return result;
  }
  // What is said about the program itself, or how it died, is no message of a
  // compiler.
  switch (result.status) {
  case lto::Done:
  case lto::CompileFailed:
    return result;
  case lto::NotBuilt:
    result.problem = "'" + helper + "' was built without LLVM's optimizer";
    return result;
  default:
    if (result.problem.empty())
      result.problem = StringRef(result.output).rtrim().str();
    if (result.problem.empty())
      result.problem = "exit status " + itostr(result.status);
    if (result.status != lto::LibraryMissing)
      result.problem = "'" + helper + "' failed: " + result.problem;
    result.output.clear();
    return result;
  }
}

} // namespace lld::cuda
