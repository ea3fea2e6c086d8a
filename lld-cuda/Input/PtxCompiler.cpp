//===- PtxCompiler.cpp - Compiling PTX with ptxas -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// compilePtx() compiles the PTX of inputs to cubins of the target, which are
/// linked in its place. loadInputs() in InputFiles.cpp calls it when all inputs
/// are unpacked, and unpackWithoutLto() (UnpackFiles.cpp) does for an input
/// whose LTO IR isn't used after all. Several texts are compiled in parallel.
/// If the program that uses the library has a compiler of its own
/// (LinkOptions::compilePtx), that is called; else ptxas is started
/// (Compilers.cpp).
///
/// nvlink has ptxas built in; this linker runs the toolkit's. With the same
/// options the result is the same to the byte, notes included, if the files
/// have the names that nvlink gives them: with -g, .note.nv.tkinfo has the
/// output's name, and messages name the input [ptx-compiled].
///
//===----------------------------------------------------------------------===//

#include "Input/Compilers.h"
#include "Input/InputFiles.h"
#include "Input/OldPtxas.h"
#include "Input/PtxasOptions.h"
#include "Inputs.h"
#include "Messages/Stages.h"
#include "Parallel.h"
#include "lld-cuda/Demangle/Demangle.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <chrono>

using namespace llvm;
using namespace lld::cuda;

namespace {

/// A text, and what came of it.
struct Task {
  InputUnit *unit;
  const PtxSource *source;
  std::vector<Diagnostic> messages;
  std::shared_ptr<MemoryBuffer> cubin; ///< Null after an error.
  std::optional<double> milliseconds;
};

class PtxCompiler {
public:
  PtxCompiler(const Inputs &inputs, Task &task)
      : inputs(inputs), task(task), source(*task.source), unit(*task.unit) {}
  void compile();

private:
  bool addOptions(std::vector<std::string> &words);
  void runCallback();
  void run(const std::string &ptxas, std::vector<std::string> words);
  void report(DiagId id, MessageParts parts) {
    task.messages.push_back(Diagnostic(id, parts));
  }
  void explainFailure(StringRef output);

  const Inputs &inputs;
  Task &task;
  const PtxSource &source;
  const InputUnit &unit;
};

} // namespace

/// Adds the options that the PTX brings along, then those of this link.
bool PtxCompiler::addOptions(std::vector<std::string> &words) {
  const Config &config = inputs.config;
  std::string arch =
      "sm_" + utostr(config.arch.number) +
      (config.arch.suffix == elf::Architecture::Accelerated ? "a" : "");
  words = {"-arch=" + arch, "-m64", "-c"};
  auto addWords = [&](StringRef text) {
    SmallVector<StringRef, 8> split;
    SplitString(text, split);
    for (StringRef word : split)
      words.push_back(word.str());
  };
  std::string problem = addEntryOptions(words, source.options, arch);
  if (!problem.empty()) {
    report(DiagId::PtxOptions, {"the PTX in ", diag::file(unit.label), " ",
                                problem, ", which an input may not do"});
    task.messages.back().notes.push_back(
        "compile it with ptxas and link the cubin, or pass options for all PTX "
        "with -Xptxas");
    return false;
  }
  if (config.debug && !config.suppressDebugInfo) {
    if (inputs.reading.rules.keepsBlocksForDebugging())
      words.insert(words.end(), {"-no-bb-merge", "-ret-end"});
    words.push_back("-g");
  }
  if (config.maxRegisters > 0)
    words.push_back("-maxrregcount=" + itostr(config.maxRegisters));
  if (config.deviceStackProtector)
    words.push_back("-device-stack-protector=" + *config.deviceStackProtector);
  if (config.splitCompile && *config.splitCompile != 1)
    words.push_back("-split-compile=" + itostr(*config.splitCompile));
  for (const std::string &option : config.ptxasOptions)
    addWords(option);
  return true;
}

void PtxCompiler::run(const std::string &ptxas,
                      std::vector<std::string> words) {
  CompiledText made = compileText(inputs, ptxas, source.text, std::move(words));
  if (made.noDirectory)
    return report(
        DiagId::NoTemporaryDirectory,
        {"cannot create a temporary directory: ", made.noDirectory.message()});
  const ToolResult &result = made.tool;
  if (!result.output.empty())
    report(DiagId::ToolOutput, {result.output});
  if (result.status == 0) {
    if (!made.cubin)
      return report(DiagId::NoToolOutput,
                    {diag::file(ptxas), " wrote no output"});
    task.cubin = std::move(made.cubin);
    return;
  }
  if (!result.problem.empty())
    report(DiagId::CannotRunTool,
           {diag::file(ptxas).bare(), " cannot be run: ", result.problem});
  std::optional<OldPtxas> old =
      findOldPtxas(inputs, ptxas, result.output, unit.label);
  if (old && !old->isAsNvlink)
    task.messages.push_back(old->error);
  report(DiagId::FatbinaryError, {"elfLink fatbinary error"});
  explainFailure(result.output);
  if (old && old->isAsNvlink)
    task.messages.back().notes.push_back(old->error.text);
}

std::optional<OldPtxas> lld::cuda::findOldPtxas(const Inputs &inputs,
                                                const std::string &ptxas,
                                                StringRef output,
                                                StringRef label) {
  StringRef rest = output.split("Unsupported .version ").second;
  unsigned major, minor;
  if (rest.consumeInteger(10, major) || !rest.consume_front(".") ||
      rest.consumeInteger(10, minor))
    return std::nullopt;
  const StringRef known =
      rest.split("current version is '").second.split('\'').first;
  const std::string version = (Twine(major) + "." + Twine(minor)).str();
  const bool isLld = inputs.config.isLld();
  return OldPtxas{Diagnostic(DiagId::CannotRunTool,
                             {diag::file(ptxas), " supports PTX up to version ",
                              known, ", but the PTX in ", diag::file(label),
                              " has version ", version, "; ",
                              isLld ? "name a newer one with --ptxas-path"
                                    : "set CUDA_HOME to a newer toolkit"}),
                  major * 10 + minor > inputs.reading.rules.release().ptx};
}

/// The last entry or function that begins in front of a line's end.
static StringRef findPtxFunction(StringRef text) {
  for (StringRef directive : {".entry", ".func"}) {
    const size_t at = text.rfind(directive);
    const size_t other = text.rfind(directive == ".entry" ? ".func" : ".entry");
    if (at == StringRef::npos || (other != StringRef::npos && other > at))
      continue;
    StringRef rest = text.drop_front(at + directive.size()).ltrim();
    if (rest.consume_front("(")) // What a function returns.
      rest = rest.split(')').second.ltrim();
    return rest.take_until(
        [](char c) { return !isAlnum(c) && c != '_' && c != '$'; });
  }
  return {};
}

/// ptxas knows neither the file nor the text that it was given.
void PtxCompiler::explainFailure(StringRef output) {
  constexpr StringLiteral Before = ", line ";
  constexpr size_t MaxShown = 200;
  std::vector<std::string> &notes = task.messages.back().notes;
  const size_t at = output.find(Before);
  unsigned line = 0;
  if (at == StringRef::npos ||
      output.drop_front(at + Before.size()).consumeInteger(10, line) || !line) {
    notes.push_back(("this PTX is in '" + unit.label + "'").str());
    return;
  }
  StringRef rest = source.text;
  for (unsigned i = 1; i != line && !rest.empty(); ++i)
    rest = rest.split('\n').second;
  const StringRef whole = rest.split('\n').first;
  const StringRef function = findPtxFunction(
      StringRef(source.text.data(), whole.end() - source.text.data()));
  notes.push_back(
      ("line " + utostr(line) + " of the PTX in '" + unit.label + "'" +
       (function.empty() ? std::string()
                         : ", in " + (inputs.config.lld.demangle
                                          ? demangleDeviceName(function)
                                          : function.str())) +
       ": " + whole.trim().take_front(MaxShown))
          .str());
}

/// Does what run() does, by the compiler of the program that uses the library.
void PtxCompiler::runCallback() {
  std::vector<std::string> words;
  if (!addOptions(words))
    return;
  const std::string arch = StringRef(words.front()).split('=').second.str();
  CompiledCode code = inputs.config.compilePtx(
      {source.text, unit.label, arch, ArrayRef(words).drop_front()});
  if (!code.log.empty())
    report(DiagId::ToolOutput, {code.log});
  if (!code.succeeded) {
    report(DiagId::FatbinaryError, {"elfLink fatbinary error"});
    return explainFailure(code.log);
  }
  task.cubin = std::move(code.cubin);
  if (!task.cubin)
    report(DiagId::NoToolOutput,
           {"the compiler that was called for the PTX in ",
            diag::file(unit.label), " wrote no output"});
}

void PtxCompiler::compile() {
  if (inputs.config.compilePtx)
    return runCallback();
  std::string ptxas = findPtxas(inputs.config);
  if (ptxas.empty())
    return report(DiagId::NoPtxas,
                  {diag::file(unit.label),
                   " has PTX, but ptxas, which compiles it, is neither beside "
                   "the linker nor in CUDA_HOME or PATH"});
  auto begin = std::chrono::steady_clock::now();
  std::vector<std::string> words;
  if (!addOptions(words))
    return;
  run(ptxas, std::move(words));
  if (!task.cubin)
    return;
  std::chrono::duration<double, std::milli> time =
      std::chrono::steady_clock::now() - begin;
  task.milliseconds = time.count();
}

/// Takes over what came of a unit's texts, in their order, up to the first
/// error.
static void takeResults(const Inputs &inputs, MutableArrayRef<Task> tasks) {
  for (auto [i, task] : enumerate(tasks)) {
    InputUnit &unit = *task.unit;
    append_range(unit.told.messages, std::move(task.messages));
    if (!task.cubin)
      return;
    if (task.milliseconds)
      unit.told.compileTimes.push_back(*task.milliseconds);
    unit.holds.compiled.push_back(std::move(task.cubin));
    if (!addCompiledImage(inputs, unit, unit.holds.compiled.back()->getBuffer(),
                          task.source->position + i))
      return;
  }
}

void lld::cuda::compilePtx(Inputs &inputs, ArrayRef<InputUnit *> units) {
  std::vector<Task> tasks;
  for (InputUnit *unit : units)
    for (const PtxSource &source : unit->holds.ptx)
      tasks.push_back({unit, &source, {}, nullptr, std::nullopt});
  // Starting ptxas takes longer than starting a thread.
  inputs.worthThreads = std::max<size_t>(inputs.worthThreads, tasks.size());
  parallelForEach(inputs, tasks.size(), [&](size_t i) {
    PtxCompiler(inputs, tasks[i]).compile();
    inputs.clock.advance(tasks.size());
  });
  MutableArrayRef<Task> rest = tasks;
  for (InputUnit *unit : units) {
    const size_t count = unit->holds.ptx.size();
    takeResults(inputs, rest.take_front(count));
    rest = rest.drop_front(count);
  }
}
