//===- Library.cpp - Links that a program asks for ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// link() and checkInput() of Linker.h: a request becomes a job, which the core
/// carries out. Each link has its own streams, and one whose inputs are data
/// doesn't look at the environment.
///
//===----------------------------------------------------------------------===//

#include "Ctx.h"
#include "Driver/Driver.h"
#include "Output/SaveFile.h"
#include "Passes.h"
#include "lld-cuda/Linker.h"

using namespace llvm;
using namespace lld::cuda;

/// Options as words, which are checked where those of command lines are. What
/// isn't checked there, or may hold any characters, is no word.
static bool readRequest(LinkJob &job, const LinkRequest &request) {
  const LinkOptions &options = request.options;
  Config &config = job.config;
  config.flavor = Flavor::Nvlink;
  config.program = "lld-cuda";
  config.isCommandLine = false;
  std::vector<std::string> words = {"-arch=" + options.arch, "-o",
                                    options.output};
  auto add = [&](bool isGiven, const Twine &word) {
    if (isGiven)
      words.push_back(word.str());
  };
  add(options.relocatable, "-r");
  add(options.debug, "-g");
  add(options.lto, "-lto");
  add(options.exact, "--nvlink-compat");
  add(options.note == LinkNote::Nvlink, "--nvlink-note");
  add(options.maxRegisters, "-maxrregcount=" + Twine(options.maxRegisters));
  add(!options.release.empty(), "--nvlink-release=" + options.release);
  std::vector<const char *> pointers;
  for (const std::string &word : words)
    pointers.push_back(word.c_str());
  if (!readNvlinkCommandLine(job, pointers))
    return false;
  config.inputs = request.inputs;
  config.kernelsUsed = options.kernelsUsed;
  config.variablesUsed = options.variablesUsed;
  config.compilePtx = options.compilePtx;
  config.ptxasPath = options.ptxasPath;
  config.ptxasOptions = options.ptxasOptions;
  config.nvJitLinkPath = options.nvJitLinkPath;
  config.environment.temporaryDirectory = options.temporaryDirectory;
  config.threads = options.threads;
  config.isNvJitLinkNote = options.note == LinkNote::NvJitLink;
  return true;
}

LinkResult lld::cuda::link(const LinkRequest &request) {
  return link(request, LinkSurroundings());
}

LinkResult lld::cuda::link(const LinkRequest &request,
                           const LinkSurroundings &surroundings) {
  LinkResult result;
  raw_null_ostream noOut, noErr; // nulls() is one for all threads.
  LinkJob job(request.out ? *request.out : noOut,
              request.err ? *request.err : noErr);
  job.inputMode = request.inputMode;
  job.outputs = request.outputs;
  job.reproduces = surroundings.reproduces;
  job.makesHostObject = surroundings.makesHostObject;
  job.isDefaultTarget = surroundings.isDefaultTarget;
  job.isOnStandardError = surroundings.isOnStandardError;
  job.facts = &result.facts;
  job.progress = surroundings.progress;
  job.store = surroundings.store;
  job.onProgramStart = surroundings.onProgramStart;
  job.resources = surroundings.resources;
  job.diag.recordTo(result.diagnostics);
  for (MemoryBufferRef file : request.files)
    job.files[file.getBufferIdentifier()] = file;
  std::vector<const char *> args;
  for (const std::string &word : request.args)
    args.push_back(word.c_str());
  if (args.empty() ? readRequest(job, request) : prepareLinkJob(job, args)) {
    if (!job.config.threads)
      job.config.threads = surroundings.threads;
    auto ctx = std::make_unique<Ctx>(job);
    runLink(*ctx);
    commitOutputs(ctx->inputs);
    for (MemoryOutput &output : ctx->tools.outputs->inMemory)
      result.outputs.push_back(std::move(output.buffer));
    if (surroundings.isLast)
      (void)ctx.release();
  }
  job.diag.finish();
  job.out.flush();
  result.exitStatus = job.diag.exitStatus();
  return result;
}

std::vector<Diagnostic> lld::cuda::checkOptions(const LinkOptions &options) {
  std::vector<Diagnostic> messages;
  raw_null_ostream nowhere;
  LinkJob job(nowhere, nowhere);
  job.diag.recordTo(messages);
  LinkRequest request;
  request.options = options;
  readRequest(job, request);
  job.diag.finish();
  return messages;
}

std::vector<Diagnostic> lld::cuda::checkInput(const LinkInput &input,
                                              const LinkOptions &options) {
  std::vector<Diagnostic> messages;
  raw_null_ostream nowhere;
  LinkJob job(nowhere, nowhere);
  job.inputMode = InputMode::Read;
  job.outputs = OutputMode::None;
  job.onlyChecks = true;
  job.diag.recordTo(messages);
  LinkRequest request;
  request.options = options;
  request.inputs = {input};
  request.inputs.front().isTakenIfNeeded = false;
  if (readRequest(job, request)) {
    auto ctx = std::make_unique<Ctx>(job);
    checkInputs(*ctx);
  }
  job.diag.finish();
  return messages;
}

const MemoryBuffer *LinkResult::getOutput(StringRef name) const {
  for (const std::unique_ptr<MemoryBuffer> &output : outputs)
    if (output->getBufferIdentifier() == name)
      return output.get();
  return nullptr;
}
