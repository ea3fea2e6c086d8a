//===- LtoLlvm.cpp - Link-time optimization of LLVM bitcode ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// optimizeBitcode() makes cubins of the LLVM bitcode (clang -flto) among
/// ld.cuda's inputs. lld-cuda-lto makes PTX of all bitcode together, ptxas
/// makes cubins of that, and these are linked in the place of the last input
/// with bitcode. optimizeAtLinkTime() in Link.cpp calls it when all inputs are
/// loaded, before the merge. Before that, loadInputs() calls
/// readBitcodeSymbols(), since the symbols of bitcode help to decide which
/// members of archives are linked.
///
/// What nothing outside the bitcode needs becomes the optimizer's own: hidden
/// symbols, and in final links functions that are no kernels and that no cubin
/// refers to. Variables stay, since host code may ask for them by name.
///
//===----------------------------------------------------------------------===//

#include "Input/InputFiles.h"
#include "Input/NamePatterns.h"
#include "Input/ObjectFile.h"
#include "Input/OldPtxas.h"
#include "Inputs.h"
#include "Lto/LtoJob.h"
#include "Merge/Resolution.h"
#include "Messages/Stages.h"
#include "Output/SaveFile.h"
#include "Parallel.h"
#include "Passes.h"
#include "lld-cuda/Lto/Protocol.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace lld::cuda::elf;
namespace symbol = lld::cuda::lto::symbol;

namespace lld::cuda {

namespace {

/// What is known of a name outside of one module.
struct Global {
  bool definedByCubin = false, strongInCubin = false;
  bool neededByCubin = false;
  bool asked = false; ///< By -e, -u and the like.
  const InputUnit *definedBy = nullptr;
  const BitcodeSymbol *prevailing = nullptr;
};

class BitcodeOptimizer {
public:
  explicit BitcodeOptimizer(Inputs &inputs)
      : inputs(inputs), config(inputs.config), lto(inputs.config.lld.lto) {}
  void run();

private:
  void collect();
  void addCubinSymbols(const InputUnit &unit);
  void addAskedNames();
  void choosePrevailing();
  void addDefinition(const InputUnit &unit, const BitcodeSymbol &sym);
  bool isKernelWanted(StringRef name) const;
  std::string resolve(const BitcodeSymbol &sym);
  size_t countTasks() const;
  bool optimize();
  bool writeTexts();
  bool compileTexts();
  void addSettings(LtoJob &job) const;
  std::vector<std::string> ptxasWords() const;
  std::string temporaryPath(const Twine &suffix) const;
  bool fatal(DiagId id, MessageParts parts) {
    inputs.diag.report(id, parts);
    return false;
  }

  Inputs &inputs;
  const Config &config;
  const LlvmLtoConfig &lto;
  TemporaryDirectory directory;
  std::vector<InputUnit *> units; ///< Those with bitcode.
  DenseMap<CachedHashStringRef, Global> globals;
  std::vector<std::unique_ptr<MemoryBuffer>> texts;
};

} // namespace

template <typename Fn> static void forEachModule(Inputs &inputs, Fn fn) {
  for (InputFile &file : inputs.files)
    for (InputUnit &unit : file.units)
      for (BitcodeSource &module : unit.holds.bitcode)
        fn(unit, module);
}

//===----------------------------------------------------------------------===//
// Symbols
//===----------------------------------------------------------------------===//

/// Fills in the symbols of all modules from the helper's answer. False: it is
/// not what it should be.
static bool readAnswer(Inputs &inputs, StringRef words) {
  bool ok = true;
  auto next = [&]() -> StringRef {
    size_t end = words.find('\0');
    if (end == StringRef::npos) {
      ok = false;
      return "";
    }
    StringRef word = words.take_front(end);
    words = words.drop_front(end + 1);
    return word;
  };
  forEachModule(inputs, [&](InputUnit &, BitcodeSource &module) {
    size_t count = 0;
    ok &= !next().getAsInteger(10, count) && count <= words.size();
    for (size_t i = 0; ok && i != count; ++i) {
      StringRef name = next();
      module.symbols.push_back({name, next()});
    }
  });
  return ok && words.empty();
}

void readBitcodeSymbols(Inputs &inputs) {
  bool any = false;
  forEachModule(inputs, [&](InputUnit &, BitcodeSource &) { any = true; });
  if (!any)
    return;
  TemporaryDirectory directory;
  if (!createJobDirectory(inputs, directory))
    return;
  LtoJob job(directory, "symbols");
  forEachModule(inputs, [&](InputUnit &unit, BitcodeSource &module) {
    job.addInput("bitcode", module.data, unit.label);
  });
  std::string path = directory.file("symbols");
  job.setOutput(path);
  ToolResult result = job.run(inputs);
  if (!result.problem.empty())
    return inputs.diag.report(DiagId::LtoFailed, {result.problem});
  if (result.status != lto::Done)
    return inputs.diag.report(DiagId::LtoFailed,
                              {StringRef(result.output).rtrim()});
  auto answer = MemoryBuffer::getFile(path);
  if (!answer ||
      !readAnswer(inputs, inputs.memory.strings.save((*answer)->getBuffer())))
    return inputs.diag.report(DiagId::LtoFailed,
                              {"lld-cuda-lto gave an unknown answer; it must "
                               "be of the same version as this linker"});
}

void BitcodeOptimizer::addCubinSymbols(const InputUnit &unit) {
  for (const LoadedCubin &cubin : unit.holds.cubins) {
    const CubinSymbolTable &table = cubin.file.symtab();
    for (const Elf_Sym &sym : table.symbols) {
      if (sym.getBinding() == STB_LOCAL || sym.getType() == STT_SECTION)
        continue;
      Global &global = globals[CachedHashStringRef(table.name(sym))];
      if (sym.st_shndx == SHN_UNDEF) {
        global.neededByCubin = true;
        continue;
      }
      global.definedByCubin = true;
      global.strongInCubin |= sym.getBinding() != STB_WEAK;
      if (!global.definedBy)
        global.definedBy = &unit;
    }
  }
}

void BitcodeOptimizer::addAskedNames() {
  for (auto *names : {&config.lld.entryNames, &config.lld.undefinedNames,
                      &config.lld.requiredNames})
    for (StringRef name : *names)
      globals[CachedHashStringRef(name)].asked = true;
}

void BitcodeOptimizer::collect() {
  for (InputFile &file : inputs.files)
    for (InputUnit &unit : file.units) {
      addCubinSymbols(unit);
      if (!unit.holds.bitcode.empty())
        units.push_back(&unit);
    }
  addAskedNames();
}

static BitcodeRank rankOf(const BitcodeSymbol &sym) {
  return sym.has(symbol::Common) ? BitcodeRank::Common
         : sym.has(symbol::Weak) ? BitcodeRank::Weak
                                 : BitcodeRank::Strong;
}

void BitcodeOptimizer::choosePrevailing() {
  forEachModule(inputs, [&](InputUnit &unit, BitcodeSource &module) {
    for (const BitcodeSymbol &sym : module.symbols)
      if (!sym.has(symbol::Undefined) && !sym.has(symbol::FormatSpecific))
        addDefinition(unit, sym);
  });
}

void BitcodeOptimizer::addDefinition(const InputUnit &unit,
                                     const BitcodeSymbol &sym) {
  Global &global = globals[CachedHashStringRef(sym.name)];
  const BitcodeFacts known = {global.definedByCubin, global.strongInCubin,
                              global.prevailing ? rankOf(*global.prevailing)
                                                : BitcodeRank::None};
  switch (resolveBitcode(known, rankOf(sym))) {
  case Resolution::Duplicate:
    if (!config.lld.allowMultipleDefinition)
      inputs.diag.report(DiagId::MultipleDefinition,
                         {"Multiple definition of ", diag::symbol(sym.name),
                          " in ", diag::file(unit.label), ", first defined in ",
                          diag::file(global.definedBy->label)});
    return;
  case Resolution::Define:
  case Resolution::Replace:
    global.prevailing = &sym;
    global.definedBy = &unit;
    return;
  default:
    return;
  }
}

/// Whether the output may need a kernel: those that it leaves out are for the
/// optimizer to remove (-e, --kernels-used).
bool BitcodeOptimizer::isKernelWanted(StringRef name) const {
  if (!config.lld.entryNames.empty() &&
      !is_contained(config.lld.entryNames, name))
    return false;
  return !config.kernelsUsed || matchesKernelFilter(name, *config.kernelsUsed);
}

std::string BitcodeOptimizer::resolve(const BitcodeSymbol &sym) {
  std::string flags(1, lto::resolution::Final);
  if (sym.has(symbol::FormatSpecific))
    return flags;
  const Global &global = globals[CachedHashStringRef(sym.name)];
  if (global.prevailing == &sym)
    flags += lto::resolution::Prevailing;
  bool isHidden = sym.has(symbol::Hidden), visible;
  if (global.neededByCubin || global.definedByCubin || global.asked)
    visible = true;
  else if (global.prevailing != &sym || isHidden)
    visible = false;
  else if (sym.has(symbol::Kernel))
    visible = isKernelWanted(sym.name);
  else
    visible = !sym.has(symbol::Executable) || config.relocatable ||
              !lto.internalize || !config.lld.gcSections;
  if (visible)
    flags += lto::resolution::VisibleOutside;
  if (visible && !isHidden)
    flags += lto::resolution::Exported;
  return flags;
}

//===----------------------------------------------------------------------===//
// Bitcode to PTX to cubins
//===----------------------------------------------------------------------===//

void BitcodeOptimizer::addSettings(LtoJob &job) const {
  auto set = [&](StringRef key, StringRef value) {
    if (!value.empty())
      job.add({"set", key, value});
  };
  set("cpu", config.archName);
  set("features", lto.features);
  set("O", lto.level);
  set("partitions", lto.partitions);
  set("threads", lto.jobs);
  if (lto.emitLlvm)
    set("emit", "llvm");
  if (lto.saveTemps)
    set("save-temps", config.output);
  for (const std::string &option : lto.llvmOptions)
    set("mllvm", option);
}

/// Returns how many numbers tasks may have. There are gaps, because those of
/// ThinLTO begin after those of regular LTO.
size_t BitcodeOptimizer::countTasks() const {
  unsigned partitions = 1;
  size_t tasks = 1;
  if (!StringRef(lto.partitions).getAsInteger(10, partitions))
    tasks = std::max(1u, partitions);
  for (InputUnit *unit : units)
    tasks += unit->holds.bitcode.size();
  return tasks;
}

bool BitcodeOptimizer::optimize() {
  LtoJob job(directory, "llvm");
  addSettings(job);
  for (InputUnit *unit : units)
    for (const BitcodeSource &module : unit->holds.bitcode) {
      job.addInput("bitcode", module.data, unit->label);
      for (const BitcodeSymbol &sym : module.symbols)
        job.add({"resolution", resolve(sym)});
    }
  job.setOutputs(directory.file("text"), countTasks());
  if (lto.saveTemps || !lto.llvmOptions.empty())
    job.dontKeep();
  ToolResult result = job.run(inputs);
  if (!result.problem.empty())
    return fatal(DiagId::LtoFailed, {result.problem});
  if (result.status != lto::Done)
    return fatal(DiagId::LtoFailed, {"link-time optimization failed: ",
                                     StringRef(result.output).rtrim()});
  SmallVector<StringRef, 0> warnings;
  StringRef(result.output).split(warnings, '\n', -1, /*KeepEmpty=*/false);
  for (StringRef line : warnings) {
    line.consume_front("warning: ");
    inputs.diag.report(DiagId::LtoWarning, {line});
  }
  for (size_t i = 0, tasks = countTasks(); i != tasks; ++i)
    if (auto buffer = MemoryBuffer::getFile(directory.file("text" + utostr(i))))
      if (!(*buffer)->getBuffer().empty())
        texts.push_back(std::move(*buffer));
  return true;
}

/// --lto-emit-asm and --lto-emit-llvm: the texts are the output.
bool BitcodeOptimizer::writeTexts() {
  inputs.outputDone = true;
  for (size_t i = 0; i != texts.size() && !inputs.diag.stopped(); ++i)
    saveFile(inputs, i ? config.output + "." + utostr(i) : config.output,
             texts[i]->getBuffer().str());
  return true;
}

/// The options of ptxas are those that clang-nvlink-wrapper uses.
std::vector<std::string> BitcodeOptimizer::ptxasWords() const {
  std::vector<std::string> words = {
      "-m64", "-c", "-O" + (lto.level.empty() ? "3" : lto.level), "-arch",
      config.archName};
  if (config.debug)
    words.push_back("-g");
  if (config.maxRegisters > 0)
    words.push_back("-maxrregcount=" + itostr(config.maxRegisters));
  for (const std::string &option : config.ptxasOptions) {
    SmallVector<StringRef, 4> split;
    SplitString(option, split);
    for (StringRef word : split)
      words.push_back(word.str());
  }
  return words;
}

std::string BitcodeOptimizer::temporaryPath(const Twine &suffix) const {
  return (config.output + suffix).str();
}

bool BitcodeOptimizer::compileTexts() {
  std::string ptxas = findPtxas(config);
  if (ptxas.empty())
    return fatal(DiagId::NoPtxas,
                 {"link-time optimization needs ptxas, which is neither beside "
                  "the linker nor in CUDA_HOME or PATH"});
  std::vector<CompiledText> results(texts.size());
  inputs.worthThreads = std::max<size_t>(inputs.worthThreads, texts.size());
  parallelForEach(inputs, texts.size(), [&](size_t i) {
    results[i] =
        compileText(inputs, ptxas, texts[i]->getBuffer(), ptxasWords());
  });

  InputUnit &unit = *units.back();
  for (size_t i = 0; i != results.size(); ++i) {
    CompiledText &r = results[i];
    if (!r.tool.output.empty())
      inputs.diag.report(DiagId::ToolOutput, {r.tool.output});
    if (!r.tool.problem.empty())
      return fatal(DiagId::PtxasFailed, {diag::file(ptxas).bare(),
                                         " cannot be run: ", r.tool.problem});
    if (std::optional<OldPtxas> old = findOldPtxas(inputs, ptxas, r.tool.output,
                                                   config.output + ".lto.s"))
      inputs.diag.report(old->error);
    if (r.tool.status != 0 || !r.cubin)
      return fatal(DiagId::PtxasFailed,
                   {"ptxas rejects the PTX that was made from the bitcode"});
    if (lto.saveTemps) {
      std::string number = results.size() > 1 ? "." + utostr(i) : "";
      saveFile(inputs, temporaryPath(".lto" + number + ".s"),
               texts[i]->getBuffer().str());
      saveFile(inputs, temporaryPath(".lto" + number + ".cubin"),
               r.cubin->getBuffer().str());
    }
    StringRef data = r.cubin->getBuffer();
    unit.holds.compiled.push_back(std::move(r.cubin));
    size_t position = unit.holds.cubins.size();
    if (addCompiledImage(inputs, unit, data, position))
      unit.holds.cubins[position].label =
          inputs.memory.strings.save(config.output + ".lto.cubin");
    for (const Diagnostic &d : std::exchange(unit.told.messages, {}))
      inputs.diag.report(d);
    if (inputs.diag.stopped())
      return false;
  }
  return true;
}

void BitcodeOptimizer::run() {
  collect();
  if (units.empty())
    return;
  inputs.clock.begin("link-time optimization");
  choosePrevailing();
  if (inputs.diag.errorCount())
    return;
  if (!createJobDirectory(inputs, directory))
    return;
  if (!optimize())
    return;
  if (lto.emitAsm || lto.emitLlvm)
    writeTexts();
  else
    compileTexts();
}

void optimizeBitcode(Inputs &inputs) {
  bool any = false;
  forEachModule(inputs, [&](InputUnit &, BitcodeSource &) { any = true; });
  if (any)
    BitcodeOptimizer(inputs).run();
}

} // namespace lld::cuda
