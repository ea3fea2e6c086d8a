//===- LtoNvidia.cpp - Link-time optimization of NVIDIA's LTO IR ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// optimizeNvidiaIR() makes a cubin of the LTO IR (nvcc -dlto) in a link with
/// -lto: lld-cuda-lto makes PTX of all of it with NVIDIA's library
/// libnvJitLink, and ptxas a cubin of that [lto-part]. optimizeAtLinkTime() in
/// Link.cpp calls it when all inputs are loaded, before the merge.
///
/// If all device code is LTO IR, it is optimized as a whole program and ptxas's
/// cubin is the output; nothing is linked. Otherwise, and with -r, the cubin
/// takes part in a link, at the place of the last input with LTO IR. In that
/// case the PTX has to keep every visible function. libnvJitLink has no option
/// for that, but NVIDIA's nvlink can make such PTX; --lto-nvlink names it.
/// Without an nvlink, the code that the same inputs have besides the LTO IR is
/// linked.
///
//===----------------------------------------------------------------------===//

#include "Input/InputFiles.h"
#include "Input/ObjectFile.h"
#include "Input/OldPtxas.h"
#include "Inputs.h"
#include "Lto/LtoJob.h"
#include "Lto/NvJitLink.h"
#include "Output/SaveFile.h"
#include "Passes.h"
#include "Report/Reports.h"
#include "lld-cuda/Lto/Protocol.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/Format.h"
#include <chrono>

using namespace llvm;

namespace lld::cuda {

namespace {
/// The cubin's name in messages of the link.
constexpr StringLiteral CubinName = "lto.cubin";
class NvidiaLto {
public:
  explicit NvidiaLto(Inputs &inputs, Program &program)
      : inputs(inputs), program(program), config(inputs.config) {}
  void run();

private:
  bool collect();
  bool checkCompilerOptions();
  void checkLineInfo() const;
  bool compileToPtx();
  bool compilePartially();
  std::string forwardMessages(StringRef text);
  bool runNvlink();
  bool compileToCubin(bool relocatable);
  void addCubin();
  void reportTime(StringRef line, std::chrono::steady_clock::time_point begin);
  bool reportCompilerErrors(StringRef log);
  void printMessages(const ToolResult &result);
  bool fatal(DiagId id, MessageParts parts) {
    inputs.diag.report(id, parts);
    return false;
  }

  Inputs &inputs;
  Program &program;
  const Config &config;
  TemporaryDirectory directory;
  std::vector<InputUnit *> units; ///< Those with LTO IR.
  /// What the modules were compiled with: -ftz, -prec_div, -prec_sqrt, -fmad.
  SmallVector<StringRef, 8> moduleOptions;
  unsigned major = 0;        ///< Of CUDA, whose LTO IR it is.
  bool hasOtherCode = false; ///< Beside the device runtime library's.
  bool hasDeviceRuntime = false;
  bool isDeviceRuntimeLast = false; ///< After all LTO IR.
  std::string ptx;
  std::shared_ptr<MemoryBuffer> cubin;
};

} // namespace

//===----------------------------------------------------------------------===//
// Inputs
//===----------------------------------------------------------------------===//

/// Finds the units with LTO IR. Returns false if there are none.
bool NvidiaLto::collect() {
  for (InputFile &file : inputs.files) {
    bool isDeviceRuntime = lld::cuda::isDeviceRuntime(inputs.config, file);
    hasDeviceRuntime |= isDeviceRuntime;
    isDeviceRuntimeLast |= isDeviceRuntime;
    for (InputUnit &unit : file.units) {
      if (!unit.holds.ltoIR.empty()) {
        units.push_back(&unit);
        isDeviceRuntimeLast = false;
      }
      if (!isDeviceRuntime)
        hasOtherCode |= !unit.holds.cubins.empty() ||
                        !unit.holds.bitcode.empty() ||
                        unit.holds.isLeftUncompiled;
    }
  }
  return !units.empty();
}

/// Warns if only some modules have information about lines.
void NvidiaLto::checkLineInfo() const {
  bool all = true, any = false;
  for (const InputUnit *unit : units)
    for (const LtoSource &source : unit->holds.ltoIR)
      if (source.isFatbinEntry) {
        bool has = source.options.contains("-generate-line-info");
        all &= has;
        any |= has;
      }
  if (any && !all)
    inputs.diag.report(DiagId::LineInfoMixed,
                       {"Some objects do not have '-lineinfo' specified but "
                        "others do; will build everything with '-lineinfo'"});
}

/// The name of a module's option as messages and the library have it.
static std::string withDashes(StringRef name) {
  std::string text = name.str();
  std::replace(text.begin(), text.end(), '_', '-');
  return text;
}

/// All modules must have been compiled with the same options for floating
/// point; files that don't tell theirs fit to all.
bool NvidiaLto::checkCompilerOptions() {
  bool isFirst = true;
  for (const InputUnit *unit : units) {
    for (const LtoSource &source : unit->holds.ltoIR) {
      if (!source.isFatbinEntry)
        continue;
      SmallVector<StringRef, 8> words;
      SplitString(source.options, words);
      if (std::exchange(isFirst, false)) {
        moduleOptions = words;
        continue;
      }
      for (StringRef word : words) {
        auto [name, value] = word.split('=');
        for (StringRef other : moduleOptions) {
          auto [otherName, otherValue] = other.split('=');
          if (otherName == name && otherValue != value)
            return fatal(DiagId::LtoOptionsDiffer,
                         {"Cicc option values for ",
                          diag::quoted(withDashes(name)), " do not match"});
        }
      }
    }
  }
  return true;
}

//===----------------------------------------------------------------------===//
// LTO IR to PTX
//===----------------------------------------------------------------------===//

/// The entry's header and payload as a fatbin of its own.
static std::string makeFatbin(StringRef entry) {
  std::string fatbin(16, '\0');
  support::endian::write32le(&fatbin[0], FatbinMagic);
  support::endian::write16le(&fatbin[4], 1);
  support::endian::write16le(&fatbin[6], 16);
  support::endian::write64le(&fatbin[8], entry.size());
  return fatbin + entry.str();
}

void NvidiaLto::reportTime(StringRef line,
                           std::chrono::steady_clock::time_point begin) {
  if (!config.timeFile)
    return;
  std::chrono::duration<double, std::milli> time =
      std::chrono::steady_clock::now() - begin;
  std::string text;
  raw_string_ostream(text) << line << " , " << config.archName << " , nvlink , "
                           << format("%.4f", time.count()) << " , ms\n";
  addTimes(inputs, text);
}

void NvidiaLto::printMessages(const ToolResult &result) {
  if (!result.output.empty())
    inputs.diag.report(DiagId::ToolOutput, {result.output});
}

/// nvlink has the compiler's log before its result. The library of 13.0 has it
/// after; those of later releases before, too, but with more words.
bool NvidiaLto::reportCompilerErrors(StringRef log) {
  if (log.contains(" in nvvmAddNVVMContainerToProgram")) {
    fatal(DiagId::JitFailed, {"elfLink nvvm error"});
    for (StringRef line : split(log.trim(), '\n'))
      inputs.diag.explain(line);
    return false;
  }
  StringRef code;
  if (log.consume_front("ERROR in nvvmCompileProgram: ")) {
    std::tie(code, log) = log.split('\n');
  } else if (log.rtrim().ends_with(" in nvvmCompileProgram")) {
    const size_t at = log.rfind("ERROR ");
    code = log.substr(at).split(' ').second.split(' ').first;
    log = log.take_front(at);
  }
  inputs.diag.report(DiagId::CompilerLog, {log, code});
  return fatal(DiagId::JitFailed, {"elfLink JIT compile failed"});
}

bool NvidiaLto::compileToPtx() {
  auto begin = std::chrono::steady_clock::now();
  LtoJob job(directory, "nvjitlink");
  addNvJitLinkCandidates(config, major, job);
  if (!addLibraryOptions(inputs, moduleOptions, job))
    return false;
  addReferences(inputs, job);
  for (const InputUnit *unit : units) {
    for (const LtoSource &source : unit->holds.ltoIR) {
      if (!source.isFatbinEntry) {
        job.addInput("ltoir", source.data, unit->label);
        continue;
      }
      // A fatbin of this entry alone leaves the library no choice.
      job.addInput("fatbin", makeFatbin(source.data), unit->label);
    }
  }
  std::string path = directory.file("lto.ptx");
  job.setOutput(path);
  ToolResult result = job.run(inputs);
  if (!result.problem.empty()) {
    inputs.diag.report(DiagId::LtoProblem, {result.problem});
    // Damaged LTO IR can bring the library down.
    bool wasLoaded =
        result.status != -1 && result.status != lto::LibraryMissing;
    return fatal(DiagId::JitFailed,
                 {wasLoaded ? "elfLink JIT compile failed"
                            : "elfLink linker library load error"});
  }
  if (result.status != lto::Done)
    return reportCompilerErrors(result.output);
  auto text = MemoryBuffer::getFile(path);
  if (!text)
    return fatal(DiagId::NoToolOutput, {"lld-cuda-lto wrote no PTX"});
  ptx = (*text)->getBuffer().str();
  if (!keepsTargetSuffix(inputs))
    ptx = withPlainTarget(std::move(ptx));
  // The compiler may warn and go on. Texts with "Info: " are about options that
  // only this linker gives the library, so nvlink doesn't have them.
  if (!result.output.empty() && !StringRef(result.output).starts_with("Info: "))
    inputs.diag.report(DiagId::CompilerLog, {result.output});
  reportTime("lto.nvvm , cicc ,  , lto.ptx", begin);
  return true;
}

//===----------------------------------------------------------------------===//
// PTX to a cubin
//===----------------------------------------------------------------------===//

/// The order of the words doesn't matter: ptxas records them in its own.
bool NvidiaLto::compileToCubin(bool relocatable) {
  auto begin = std::chrono::steady_clock::now();
  std::string ptxas = findPtxas(config);
  if (ptxas.empty())
    return fatal(DiagId::NoPtxas,
                 {"link-time optimization needs ptxas, which is neither beside "
                  "the linker nor in CUDA_HOME or PATH"});
  std::string arch = nativeArch(config);
  if (arch.back() == 'f' && !inputs.reading.rules.compilesForFamilies())
    arch.pop_back();
  std::vector<std::string> words = {"-arch", arch, "-m", "64"};
  auto add = [&](StringRef word) { words.push_back(word.str()); };
  if (relocatable)
    add("-c");
  if (config.debug && !config.suppressDebugInfo) {
    if (inputs.reading.rules.keepsBlocksForDebugging()) {
      add("-no-bb-merge");
      add("-ret-end");
    }
    add("-g");
  }
  if (config.maxRegisters > 0)
    add("-maxrregcount=" + itostr(config.maxRegisters));
  if (config.fastCompile && *config.fastCompile != "0")
    add("-Ofc=" + *config.fastCompile);
  if (config.deviceStackProtector)
    add("-device-stack-protector=" + *config.deviceStackProtector);
  if (config.splitCompile && *config.splitCompile != 1)
    add("-split-compile=" + itostr(*config.splitCompile));
  else if (!relocatable && extendedThreads(config) != 1 && isPtxLarge(ptx))
    add("-split-compile=" + itostr(extendedThreads(config)));
  for (StringRef option : config.ptxasOptions) {
    SmallVector<StringRef, 4> split;
    SplitString(option, split);
    for (StringRef word : split)
      add(word);
  }
  CompiledText made = compileText(inputs, ptxas, ptx, std::move(words));
  const ToolResult &result = made.tool;
  printMessages(result);
  if (result.status != 0) {
    if (!result.problem.empty())
      inputs.diag.report(
          DiagId::CannotRunTool,
          {diag::file(ptxas).bare(), " cannot be run: ", result.problem});
    if (std::optional<OldPtxas> old =
            findOldPtxas(inputs, ptxas, result.output, "lto.ptx"))
      inputs.diag.report(old->error);
    return fatal(DiagId::FatbinaryError, {"elfLink fatbinary error"});
  }
  cubin = std::move(made.cubin);
  if (!cubin)
    return fatal(DiagId::NoToolOutput, {diag::file(ptxas), " wrote no output"});
  reportTime("lto.ptx , ptxas ,  , lto.cubin", begin);
  return true;
}

/// The cubin joins the link in the place of the last host object with LTO IR.
/// Other files with LTO IR, which can't tell what host code refers to, neither
/// take it in nor keep the link from removing what none does. (If there are no
/// host objects, nvlink loses the cubin.)
void NvidiaLto::addCubin() {
  auto isHostObject = [](const InputUnit *unit) {
    return unit->kind == ContentKind::HostObject;
  };
  auto last = llvm::find_if(llvm::reverse(units), isHostObject);
  InputUnit &unit = last == units.rend() ? *units.back() : **last;
  if (last != units.rend())
    for (InputUnit *other : units)
      if (!isHostObject(other) && other->holds.cubins.empty())
        other->host.countsForHostInfo = false;
  // The cubin has the code of other inputs, too, so it is linked even if this
  // input is registered. (nvlink loses it.)
  unit.host.isRegistered = false;
  StringRef data = cubin->getBuffer();
  unit.holds.compiled.push_back(std::move(cubin));
  size_t position = unit.holds.cubins.size();
  if (addCompiledImage(inputs, unit, data, position)) {
    unit.holds.cubins[position].label = CubinName;
    unit.holds.cubins[position].isOptimizedHere = true;
  }
  for (const Diagnostic &d : std::exchange(unit.told.messages, {}))
    inputs.diag.report(d);
}

//===----------------------------------------------------------------------===//
// Links that are LTO in part
//===----------------------------------------------------------------------===//

/// Passes on nvlink's messages, except those that this linker has, too. Returns
/// why nvlink failed.
std::string NvidiaLto::forwardMessages(StringRef text) {
  constexpr StringLiteral fatalPrefix = "nvlink fatal   : ";
  std::string failure, others;
  for (StringRef rest = text, line; !rest.empty();) {
    std::tie(line, rest) = rest.split('\n');
    if (StringRef reason = line; reason.consume_front(fatalPrefix))
      failure = reason.str();
    else if (!line.contains("requested LTO but '") &&
             !line.contains("'-lineinfo' specified"))
      others += (line + "\n").str();
  }
  if (!others.empty())
    inputs.diag.report(DiagId::ToolOutput, {others});
  return failure;
}

/// Lets nvlink make the PTX, with the inputs and options of this link.
bool NvidiaLto::runNvlink() {
  auto begin = std::chrono::steady_clock::now();
  std::string path = directory.file("lto.ptx");
  std::vector<std::string> words = {
      "-lto", "-emit-ptx", "-w", "-arch=" + config.archName, "-o", path};
  auto add = [&](const Twine &word) { words.push_back(word.str()); };
  if (!config.nvvmPath.empty())
    add("-nvvmpath=" + config.nvvmPath);
  if (config.relocatable)
    add("-r");
  if (config.debug && !config.suppressDebugInfo)
    add("-g");
  if (config.ignoreHostInfo)
    add("-ignore-host-info");
  if (config.maxRegisters > 0)
    add("-maxrregcount=" + Twine(config.maxRegisters));
  if (config.nvvmLatest)
    add("-nvvm-latest");
  if (config.fastCompile)
    add("-Ofc=" + *config.fastCompile);
  // The order of variables depends on it.
  if (config.splitCompile && *config.splitCompile >= 0)
    add("-split-compile=" + Twine(*config.splitCompile));
  for (auto &[option, list] :
       {std::pair("-kernels-used=", &config.kernelsUsed),
        std::pair("-variables-used=", &config.variablesUsed)})
    if (*list)
      for (const std::string &name : **list)
        add(option + name);
  for (const std::string &option : config.nvvmOptions)
    add("-Xnvvm=" + option);
  for (const std::string &folder : config.libraryPaths)
    add("-L" + folder);
  for (const LinkInput &input : config.inputs)
    add(input.path);
  for (const std::string &library : config.libraries)
    add("-l" + library);
  ToolResult result = runTool(directory, "nvlink", config.ltoNvlink, words);
  std::string failure = forwardMessages(result.output);
  if (result.status != 0) {
    if (!result.problem.empty())
      inputs.diag.report(DiagId::CannotRunTool,
                         {diag::file(config.ltoNvlink).bare(),
                          " cannot be run: ", result.problem});
    return fatal(DiagId::JitFailed,
                 {failure.empty() ? "elfLink JIT compile failed" : failure});
  }
  auto text = MemoryBuffer::getFile(path);
  if (!text)
    return fatal(DiagId::NoToolOutput,
                 {diag::file(config.ltoNvlink), " wrote no PTX"});
  ptx = (*text)->getBuffer().str();
  reportTime("lto.nvvm , cicc ,  , lto.ptx", begin);
  return true;
}

/// Compiles the LTO IR with nvlink. Without one, the other code of these inputs
/// is linked.
bool NvidiaLto::compilePartially() {
  if (!config.ltoNvlink.empty())
    return runNvlink() && (config.emitPtx || compileToCubin(true));
  if (config.emitPtx)
    return fatal(DiagId::EmitPtxNeedsLto,
                 {"-emit-ptx works only if all device code is LTO IR, or with "
                  "NVIDIA's nvlink (--lto-nvlink=PATH)"});
  inputs.diag.report(
      DiagId::LtoIncomplete,
      {"only a part of the device code is LTO IR, so it isn't optimized: the "
       "other code of its inputs is linked instead (with --lto-nvlink=PATH, "
       "NVIDIA's nvlink optimizes it)"});
  for (InputUnit *unit : units) {
    unpackWithoutLto(inputs, *unit);
    for (const Diagnostic &d : std::exchange(unit->told.messages, {}))
      inputs.diag.report(d);
    if (inputs.diag.stopped())
      break;
  }
  return false;
}

//===----------------------------------------------------------------------===//

void NvidiaLto::run() {
  if (!collect()) {
    inputs.diag.report(DiagId::LtoIgnored,
                       {"Ignoring -dlto option because no LTO objects found"});
    return;
  }
  if (config.virtualArch && hasOtherCode)
    return;
  if (config.splitCompile.value_or(1) != 1 && extendedThreads(config) != 1)
    inputs.diag.report(DiagId::IncompatibleOptions,
                       {"Incompatible options '-split-compile' and "
                        "'-split-compile-extended', using "
                        "'-split-compile-extended'"});
  checkLineInfo();
  std::optional<unsigned> release = readLtoMajor(inputs, units);
  if (!release || !checkCompilerOptions() ||
      !createJobDirectory(inputs, directory))
    return;
  major = *release;
  bool partial = hasOtherCode || config.relocatable;
  if (partial) {
    if (!compilePartially())
      return;
  } else {
    // nvlink looks for functions that are missing before it removes what host
    // code doesn't need; its own text tells what it found.
    bool isNvlinkAsked = hasDeviceRuntime && !config.ltoNvlink.empty();
    if (!(isNvlinkAsked ? runNvlink() : compileToPtx()))
      return;
    partial = hasDeviceRuntime &&
              !isPtxComplete(ptx, /*hadKernel=*/config.hasKernelFilter());
    if (!config.emitPtx && !compileToCubin(partial))
      return;
  }

  if (config.emitPtx) {
    if (extendedThreads(config) != 1)
      inputs.diag.report(DiagId::IncompatibleOptions,
                         {"Incompatible options '-emit-ptx' and "
                          "'-split-compile-extended', using '-split-compile'"});
    inputs.outputDone = true;
    saveFile(inputs, config.output, ptx);
  } else if (partial) {
    addCubin();
  } else if (checkFinalCubin(inputs, cubin->getBuffer()) &&
             reportOptimizedImage(inputs, program,
                                  {cubin->getBuffer(), CubinName}, units)) {
    inputs.outputDone = true;
    saveFile(inputs, config.output, cubin->getBuffer().str());
  }
  if (!partial && inputs.outputDone && !isDeviceRuntimeLast &&
      !config.emitPtx && !config.keepSystemLibraries && !config.isLld())
    fatal(DiagId::NoDeviceRuntime, {"expected libcudadevrt object"});
}

void optimizeNvidiaIR(Inputs &inputs, Program &program) {
  NvidiaLto(inputs, program).run();
}

} // namespace lld::cuda
