//===- Library.cpp - Links that a program asks for ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// This is how programs use the linker as a library (Linker.h): link() makes a
/// LinkJob of a request, runs it and returns images, messages and the exit
/// status. checkOptions() and checkInput() only look for mistakes.
/// DeviceLink.cpp calls link() for each architecture, and lldcuda_link_add()
/// (bindings/c) calls examineInput() to check an input, or to compile its PTX,
/// in advance.
///
/// A request has options as data or as the words of a command line. Options as
/// data are checked by the reader of nvlink's command line, so one place knows
/// the rules, and such a link doesn't look at the environment.
///
//===----------------------------------------------------------------------===//

#include "Ctx.h"
#include "Driver/Driver.h"
#include "Driver/Request.h"
#include "Input/InputFiles.h"
#include "Output/SaveFile.h"
#include "Passes.h"
#include "lld-cuda/Linker.h"

using namespace llvm;
using namespace lld::cuda;

/// Makes words of options, which the reader of command lines checks. Options
/// that it doesn't check, or that may contain any characters, are set directly.
bool lld::cuda::readOptions(LinkJob &job, const LinkOptions &options) {
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
  pointers.reserve(words.size());
  for (const std::string &word : words)
    pointers.push_back(word.c_str());
  if (!readNvlinkCommandLine(job, pointers))
    return false;
  // Set directly: as words of a command line the note would record them.
  config.verbose = options.verbose;
  config.ignoreHostInfo |= options.ignoreHostInfo;
  config.kernelsUsed = options.kernelsUsed;
  config.variablesUsed = options.variablesUsed;
  config.compilePtx = options.compilePtx;
  config.ptxasPath = options.ptxasPath;
  config.ptxasOptions = options.ptxasOptions;
  config.nvJitLinkPath = options.nvJitLinkPath;
  config.cache.folder = options.cacheFolder;
  config.cache.policy = options.cachePolicy;
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
  job.wantsKernelFacts = surroundings.wantsKernelFacts;
  job.progress = surroundings.progress;
  job.store = surroundings.store;
  job.onProgramStart = surroundings.onProgramStart;
  job.resources = surroundings.resources;
  job.diag.recordTo(result.diagnostics);
  for (MemoryBufferRef file : request.files)
    job.files[file.getBufferIdentifier()] = file;
  std::vector<const char *> args;
  args.reserve(request.args.size());
  for (const std::string &word : request.args)
    args.push_back(word.c_str());
  if (args.empty() ? readOptions(job, request.options)
                   : prepareLinkJob(job, args)) {
    if (args.empty())
      job.config.inputs = request.inputs;
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
  readOptions(job, options);
  job.diag.finish();
  return messages;
}

/// Returns the cubin that an input file of PTX was compiled to.
static std::shared_ptr<MemoryBuffer> findCompiled(const Inputs &inputs) {
  for (const InputFile &file : inputs.files)
    for (const InputUnit &unit : file.units)
      if (unit.kind == ContentKind::PTX && !unit.holds.compiled.empty())
        return unit.holds.compiled.front();
  return nullptr;
}

/// A fatbin that has nothing for the target is no input by itself, while a host
/// object may have its code elsewhere.
static void refuseFatbinOfOthers(const Inputs &inputs,
                                 std::vector<Diagnostic> &messages) {
  for (const InputFile &file : inputs.files)
    if (file.units.size() != 1 ||
        file.units.front().kind != ContentKind::Fatbin)
      return;
  for (Diagnostic &d : messages)
    if (d.id == DiagId::ArchNotFound)
      d.severity = Severity::Error;
}

InputFacts lld::cuda::examineInput(const LinkInput &input,
                                   const LinkOptions &options, bool compiles) {
  InputFacts facts;
  raw_null_ostream nowhere;
  LinkJob job(nowhere, nowhere);
  job.inputMode = InputMode::Read;
  job.outputs = OutputMode::None;
  job.onlyChecks = true;
  job.checksByCompiling = compiles;
  job.diag.recordTo(facts.messages);
  LinkOptions silent = options;
  silent.verbose = false;
  if (readOptions(job, silent)) {
    job.config.inputs.push_back(input);
    // No other input could need it, so take it in any case.
    job.config.inputs.front().isTakenIfNeeded = false;
    auto ctx = std::make_unique<Ctx>(job);
    checkInputs(*ctx);
    facts.compiled = findCompiled(ctx->inputs);
    refuseFatbinOfOthers(ctx->inputs, facts.messages);
  }
  job.diag.finish();
  return facts;
}

std::vector<Diagnostic> lld::cuda::checkInput(const LinkInput &input,
                                              const LinkOptions &options) {
  return examineInput(input, options, /*compiles=*/false).messages;
}

const MemoryBuffer *LinkResult::getOutput(StringRef name) const {
  for (const std::unique_ptr<MemoryBuffer> &output : outputs)
    if (output->getBufferIdentifier() == name)
      return output.get();
  return nullptr;
}
