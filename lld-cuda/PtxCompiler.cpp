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
#include "Subprocess.h"
#include "llvm/ADT/StringExtras.h"
#include <chrono>

using namespace llvm;
using namespace lld::cuda;

namespace {

class PtxCompiler {
public:
  PtxCompiler(const Ctx &ctx, InputUnit &unit) : ctx(ctx), unit(unit) {}
  bool compile(const PtxSource &source, size_t position);

private:
  std::vector<std::string> options(const PtxSource &source) const;
  bool run(const std::string &ptxas, const PtxSource &source,
           const TemporaryDirectory &directory);
  bool fatal(const Twine &text);

  const Ctx &ctx;
  InputUnit &unit;
};

} // namespace

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

bool PtxCompiler::run(const std::string &ptxas, const PtxSource &source,
                      const TemporaryDirectory &directory) {
  ToolResult result =
      runPtxas(directory, ctx.config, ptxas, source.text, options(source));
  if (!result.output.empty())
    unit.messages.push_back({Severity::Verbatim, std::move(result.output)});
  if (result.status == 0)
    return true;
  if (!result.problem.empty())
    unit.messages.push_back(
        {Severity::Error, ptxas + " cannot be run: " + result.problem});
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

  OpenedFile output = openFile(ctx, ptxasOutput(directory));
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
