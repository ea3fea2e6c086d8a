//===- LtoJob.cpp - Work for lld-cuda-lto ---------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lto/LtoJob.h"
#include "Input/ObjectFile.h"
#include "Inputs.h"
#include "lld-cuda/Lto/Protocol.h"
#include "lld-cuda/Support/WriteFile.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace lld::cuda {

constexpr StringLiteral HelperName = "lld-cuda-lto";

bool createJobDirectory(const Inputs &inputs, TemporaryDirectory &directory) {
  if (inputs.job.onProgramStart)
    inputs.job.onProgramStart();
  std::error_code ec =
      directory.create(inputs.config.environment.temporaryDirectory);
  if (ec)
    inputs.diag.report(DiagId::NoTemporaryDirectory,
                       {"cannot make a temporary directory: ", ec.message()});
  return !ec;
}

LtoJob::LtoJob(const TemporaryDirectory &directory, StringRef command)
    : directory(directory), command(command.str()) {}

void LtoJob::add(std::initializer_list<StringRef> words) {
  // Names come from inputs: what stands behind a NUL would be a record.
  for (StringRef word : words) {
    records += word.split('\0').first;
    records += '\0';
  }
}

void LtoJob::addInput(StringRef kind, StringRef bytes, StringRef name) {
  add({"input", kind, utostr(data.size()), utostr(bytes.size()), name});
  data += bytes;
}

ToolResult LtoJob::run(const Config &config) {
  ToolResult result;
  std::string helper = findHelper(config, HelperName);
  if (helper.empty()) {
    result.problem =
        "link-time optimization needs the program 'lld-cuda-lto', which is "
        "neither beside the linker nor in PATH";
    return result;
  }
  std::string jobPath = directory.file((command + ".job"));
  std::string dataPath = directory.file((command + ".data"));
  std::string job = command;
  job += '\0';
  for (StringRef word : {StringRef("data"), StringRef(dataPath)}) {
    job += word;
    job += '\0';
  }
  job += records;
  if (Error e =
          joinErrors(writeFile(dataPath, data), writeFile(jobPath, job))) {
    result.problem = toString(std::move(e));
    return result;
  }

  // It names the option if that is what ends it.
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
