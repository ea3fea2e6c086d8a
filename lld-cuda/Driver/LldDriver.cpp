//===- LldDriver.cpp - ld.cuda's command line -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// readLldCommandLine() reads ld.cuda's command line, by the table in
/// LldOptions.def, into the Config of a link. readCommandLine() in Driver.cpp
/// calls it before any input is opened, if the program's name or -flavor says
/// ld.cuda. People, build systems and clang, whose device linker it is, call
/// ld.cuda as any other ld.
///
//===----------------------------------------------------------------------===//

#include "Driver/LldDriver.h"
#include "Driver/DeviceLink.h"
#include "Driver/Driver.h"
#include "Driver/LldOptions.h"
#include "Driver/MessageOptions.h"
#include "Driver/Options.h"
#include "Driver/ResponseFiles.h"
#include "Driver/Suggestions.h"
#include "LinkJob.h"
#include "Messages/Progress.h"
#include "Rules/LinkRules.h"
#include "lld-cuda/Resources/Report.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace lld::cuda;

namespace {

/// Always false. On this command line mistakes are errors: several are told.
bool reportError(LinkJob &job, DiagId id, MessageParts parts) {
  job.diag.report(Diagnostic(id, Severity::Error, parts));
  return false;
}

class LldCommandLine {
public:
  LldCommandLine(LinkJob &job, const LldArgs &args)
      : job(job), config(job.config), args(args) {}
  bool read();

private:
  void readInputs();
  void rememberOption(const LldArg &arg);
  void rememberOutput(const LldArg &arg);
  void addSymbolOption(const LldArg &arg, SymbolOperation operation);
  bool readRelease();
  bool readTarget();
  bool readSymbols();
  bool readReports();
  void readWhy();
  bool readLto();
  void readContents();
  bool readErrorFormat();
  bool readLimits();
  ParsedOptions inReferenceWords() const;
  void writeNote();

  bool error(DiagId id, MessageParts parts) {
    return reportError(job, id, parts);
  }
  void set(std::optional<std::string> &to, LldOpt option) const {
    if (const LldArg *arg = args.last(option))
      to = arg->value.str();
  }
  /// A number from 0 on; `to` stays if the option isn't given.
  template <typename T> bool number(T &to, LldOpt option) {
    const LldArg *arg = args.last(option);
    if (!arg || !arg->value.getAsInteger(10, to))
      return true;
    return error(
        DiagId::InvalidValue,
        {"invalid argument ", diag::quoted(arg->value), " to ", arg->spelling});
  }

  LinkJob &job;
  Config &config;
  const LldArgs &args;
  FolderNames outputNames; ///< In the options of --reproduce.
};

} // namespace

bool lld::cuda::isLldOption(StringRef word) {
  // @file and the like are inputs for nvlink.
  if (!word.starts_with("-"))
    return false;
  std::string text = word.str();
  const char *words[] = {text.c_str(), "value"};
  const LldOpt first = LldArgs(words).begin()->option;
  return first != LldOpt::Unknown && first != LldOpt::Input;
}

/// `otherwise` is what the terminal and the environment say.
static bool wantsColor(const LldArgs &args, bool otherwise) {
  const LldArg *arg =
      args.last({LldOpt::ColorDiagnostics, LldOpt::ColorDiagnosticsWhen,
                 LldOpt::NoColorDiagnostics});
  if (!arg)
    return otherwise;
  if (arg->option != LldOpt::ColorDiagnosticsWhen)
    return arg->option == LldOpt::ColorDiagnostics;
  const StringRef when = arg->value;
  return when == "always" || (when != "never" && otherwise);
}

void LldCommandLine::rememberOption(const LldArg &arg) {
  append_range(config.lld.options, arg.render());
}

/// Remembers an output for --reproduce: a repeated link writes into one folder.
void LldCommandLine::rememberOutput(const LldArg &arg) {
  const std::string spelling = arg.spelling.str();
  const std::string name = outputNames.add(arg.value);
  if (spelling.back() == '=')
    config.lld.options.push_back(spelling + name);
  else
    config.lld.options.insert(config.lld.options.end(), {spelling, name});
}

/// Where a link is repeated, its files have other names.
void LldCommandLine::addSymbolOption(const LldArg &arg,
                                     SymbolOperation operation) {
  config.lld.symbolOptions.push_back({operation, arg.value.str()});
  if (operation != SymbolOperation::VersionScript)
    rememberOption(arg);
}

void LldCommandLine::readInputs() {
  bool whole = false;
  for (const LldArg &arg : args) {
    // Libraries are inputs, too; they are found already when a link is
    // repeated.
    switch (arg.option) {
    default:
      rememberOption(arg);
      break;
#define SYMBOL_OPERATION(ID, OPTION)                                           \
  case LldOpt::ID:                                                             \
    addSymbolOption(arg, SymbolOperation::ID);                                 \
    break;
#include "Rules/SymbolOperations.def"
    case LldOpt::RequireKernels:
      config.lld.requiredKernels.push_back(arg.value.str());
      if (!arg.value.starts_with("@"))
        rememberOption(arg);
      break;
    case LldOpt::OutputFile:
    case LldOpt::MapFile:
    case LldOpt::DotFile:
    case LldOpt::TimeTraceFile:
    case LldOpt::ResourceReport:
    case LldOpt::WhyExtract:
    case LldOpt::DependencyFile:
    case LldOpt::RegisterLinkBinaries:
      rememberOutput(arg);
      break;
    case LldOpt::CacheDir:
    case LldOpt::CachePolicy:
    case LldOpt::CacheStats:
    case LldOpt::LibraryPath:
    case LldOpt::Reproduce:
    case LldOpt::Libdevice:
    case LldOpt::Baseline:
    case LldOpt::Budget:
      break;
    case LldOpt::Input:
      config.inputs.push_back(LinkInput::file(arg.value.str()));
      config.lld.wholeInputs.push_back(whole);
      break;
    case LldOpt::Library:
      config.libraries.push_back(arg.value.str());
      config.lld.wholeLibraries.push_back(whole);
      break;
    case LldOpt::WholeArchive:
      whole = true;
      break;
    case LldOpt::NoWholeArchive:
      whole = false;
      break;
    }
  }
  config.libraryPaths = args.values(LldOpt::LibraryPath);
  config.output = args.value(LldOpt::OutputFile, "a.out");
  set(config.registerFile, LldOpt::RegisterLinkBinaries);
}

/// -arch, -march= and -mcpu= name one; else a last -plugin-opt=mcpu= counts.
bool LldCommandLine::readTarget() {
  auto refuse = [&](const std::string &names) {
    return error(DiagId::UnknownArch,
                 {"an image is for one architecture, not for ", names,
                  "; use --host-object=FILE or --fatbin=FILE for several"});
  };
  for (const LldArg *arg : args.all({LldOpt::Arch, LldOpt::PluginOpt})) {
    StringRef name = arg->value;
    if (arg->option == LldOpt::PluginOpt && !name.consume_front("mcpu="))
      continue;
    if (arg->option == LldOpt::Arch && !config.archName.empty() &&
        name != config.archName)
      return refuse(config.archName + " and " + name.str());
    config.archName = name.str();
  }
  if (StringRef(config.archName).contains(','))
    return refuse(config.archName);
  if (config.archName.empty())
    return config.resources.joins ||
           error(DiagId::UnknownArch,
                 {"no target architecture; use -arch=sm_NN"});
  StringRef name = config.archName;
  auto arch = elf::parseArchitecture(name.drop_front(name.find('_') + 1));
  // The list of registered inputs is made without a link.
  config.virtualArch = name.starts_with("compute_") && config.registerFile;
  if (!(name.starts_with("sm_") || config.virtualArch) || !arch) {
    error(DiagId::UnknownArch,
          {"unknown target architecture ", diag::quoted(name),
           "; use sm_NN, e.g. -arch=sm_90"});
    explainArchitectures(job.diag, name);
    return false;
  }
  config.arch = *arch;
  config.cudaPath = args.value(LldOpt::CudaPath);
  config.ptxasPath = args.value(LldOpt::PtxasPath);
  config.ptxasOptions = args.values(LldOpt::Xptxas);
  return number(config.maxRegisters, LldOpt::MaxRegCount);
}

/// Reads the options that choose the release, whose version --version prints.
bool LldCommandLine::readRelease() {
  ReleaseChoice &choice = config.release;
  choice.request.exact = args.has(LldOpt::NvlinkCompat);
  Error e = Error::success();
  if (const LldArg *arg = args.last(LldOpt::NvlinkRelease))
    e = joinErrors(std::move(e), lld::cuda::readRelease(arg->value, choice));
  if (const LldArg *arg = args.last(LldOpt::NewerInputs))
    e = joinErrors(std::move(e), readNewerInputs(arg->value, choice));
  if (const LldArg *arg = args.last(LldOpt::CudaMajor))
    e = joinErrors(std::move(e), readCudaMajor(arg->value, choice));
  takeRules(config);
  return !e || error(DiagId::InvalidValue, {toString(std::move(e))});
}

bool LldCommandLine::readSymbols() {
  LldConfig &lld = config.lld;
  lld.entryNames = args.values(LldOpt::Entry);
  lld.undefinedNames = args.values(LldOpt::Undefined);
  lld.requiredNames = args.values(LldOpt::RequireDefined);
  lld.allowMultipleDefinition = args.has(LldOpt::AllowMultipleDefinition);
  for (const LldArg *arg : args.all({LldOpt::Z}))
    lld.allowMultipleDefinition |= arg->value == "muldefs";

  for (const LldArg *arg :
       args.all({LldOpt::UnresolvedSymbols, LldOpt::WarnUnresolvedSymbols,
                 LldOpt::ErrorUnresolvedSymbols})) {
    if (arg->option == LldOpt::WarnUnresolvedSymbols) {
      lld.unresolved = UnresolvedPolicy::Warn;
      continue;
    }
    if (arg->option == LldOpt::ErrorUnresolvedSymbols) {
      lld.unresolved = UnresolvedPolicy::Error;
      continue;
    }
    StringRef how = arg->value;
    if (how == "ignore-all" || how == "ignore-in-object-files")
      lld.unresolved = UnresolvedPolicy::Ignore;
    else if (how == "report-all" || how == "ignore-in-shared-libs")
      lld.unresolved = UnresolvedPolicy::Error;
    else
      return error(DiagId::InvalidValue,
                   {"unknown --unresolved-symbols value: ", how});
  }
  return true;
}

void LldCommandLine::readContents() {
  config.relocatable = args.has(LldOpt::Relocatable);
  config.debug = args.has(LldOpt::Debug);
  config.lld.stripDebug = args.has(LldOpt::StripDebug);
  config.lld.gcSections =
      args.isOn(LldOpt::GcSections, LldOpt::NoGcSections, true);
  config.lld.printGcSections = args.has(LldOpt::PrintGcSections);
  config.preserveRelocs = args.has(LldOpt::PreserveRelocs);
  config.check = args.has(LldOpt::Check);
  config.keepSystemLibraries = args.has(LldOpt::KeepSystemLibraries);
  config.ignoreHostInfo = args.has(LldOpt::IgnoreHostInfo);
  RuleRequest &request = config.release.request;
  request.relocatable = config.relocatable;
  request.exact = args.has(LldOpt::NvlinkCompat);
  request.reallocatesScoreboards = args.has(LldOpt::Reschedule);
  if (request.exact && !config.release.refusesNewer)
    config.release.refusesNewer = true;
  takeRules(config);
  if (args.has(LldOpt::KernelsUsed)) {
    config.kernelsUsed.emplace();
    for (const std::string &list : args.values(LldOpt::KernelsUsed)) {
      SmallVector<StringRef> names;
      StringRef(list).split(names, ',', -1, /*KeepEmpty=*/false);
      for (StringRef name : names)
        config.kernelsUsed->push_back(name.str());
    }
  }
}

/// clang says what it has to say in -plugin-opt, as for LLVM's gold plugin.
bool LldCommandLine::readLto() {
  LlvmLtoConfig &lto = config.lld.lto;
  for (const LldArg *arg :
       args.all({LldOpt::OptLevel, LldOpt::LtoLevel, LldOpt::PluginOpt})) {
    StringRef text = arg->value;
    if (arg->option != LldOpt::PluginOpt) {
      lto.level = text.str();
    } else if (text.consume_front("O")) {
      lto.level = text.str();
    } else if (text.consume_front("-mattr=") || text.consume_front("mattr=")) {
      lto.features = text.str();
    } else if (text.consume_front("lto-partitions=")) {
      lto.partitions = text.str();
    } else if (text.consume_front("jobs=")) {
      lto.jobs = text.str();
    } else if (text == "save-temps") {
      lto.saveTemps = true;
    } else if (text == "emit-asm") {
      lto.emitAsm = true;
    } else if (text == "emit-llvm") {
      lto.emitLlvm = true;
    } else if (text.starts_with("-") && !text.starts_with("-pass-through")) {
      lto.llvmOptions.push_back(text.str());
    }
  }
  unsigned level;
  if (!lto.level.empty() &&
      (StringRef(lto.level).getAsInteger(10, level) || level > 3))
    return error(DiagId::InvalidValue,
                 {"invalid optimization level ", diag::quoted(lto.level),
                  "; expected 0 to 3"});
  auto take = [&](std::string &to, LldOpt option) {
    if (const LldArg *arg = args.last(option))
      to = arg->value.str();
  };
  take(lto.features, LldOpt::Feature);
  take(lto.partitions, LldOpt::LtoPartitions);
  take(lto.jobs, LldOpt::ThinLtoJobs);
  take(lto.deviceLibrary, LldOpt::Libdevice);
  for (const std::string *number : {&lto.partitions, &lto.jobs})
    if (unsigned n;
        !number->empty() && (StringRef(*number).getAsInteger(10, n) || n == 0))
      return error(DiagId::InvalidValue,
                   {"invalid number ", diag::quoted(*number),
                    " for link-time optimization"});
  append_range(lto.llvmOptions, args.values(LldOpt::Mllvm));
  lto.saveTemps |= args.has(LldOpt::SaveTemps);
  lto.emitAsm |= args.has(LldOpt::LtoEmitAsm);
  lto.emitLlvm |= args.has(LldOpt::LtoEmitLlvm);
  lto.internalize =
      args.isOn(LldOpt::LtoInternalize, LldOpt::NoLtoInternalize, true);
  config.lto = args.has(LldOpt::Lto);
  take(config.nvvmPath, LldOpt::NvvmPath);
  take(config.nvJitLinkPath, LldOpt::NvJitLinkPath);
  take(config.ltoNvlink, LldOpt::LtoNvlink);
  set(config.cache.folder, LldOpt::CacheDir);
  take(config.cache.policy, LldOpt::CachePolicy);
  config.cache.stats = args.has(LldOpt::CacheStats);
  return number(config.ltoTimeout, LldOpt::LtoTimeout);
}

void LldCommandLine::readWhy() {
  config.why.live = args.values(LldOpt::WhyLive);
  config.why.stack = args.values(LldOpt::WhyStack);
  config.why.registers = args.values(LldOpt::WhyRegisters);
  config.why.shared = args.values(LldOpt::WhyShared);
  config.why.barriers = args.values(LldOpt::WhyBarriers);
}

bool LldCommandLine::readReports() {
  LldConfig &lld = config.lld;
  lld.cref = args.has(LldOpt::Cref);
  lld.trace = args.has(LldOpt::Trace);
  lld.printMap = args.has(LldOpt::PrintMap);
  lld.verbose = args.has(LldOpt::Verbose);
  lld.traceSymbols = args.values(LldOpt::TraceSymbol);
  readWhy();
  set(lld.mapFile, LldOpt::MapFile);
  set(lld.whyExtract, LldOpt::WhyExtract);
  set(lld.dependencyFile, LldOpt::DependencyFile);
  set(lld.reproduce, LldOpt::Reproduce);
  set(config.dotFile, LldOpt::DotFile);
  config.dumpCallGraph = args.has(LldOpt::DumpCallgraph);
  if (const LldArg *arg = args.last({LldOpt::TimeTrace, LldOpt::TimeTraceFile}))
    config.timeTraceFile = arg->option == LldOpt::TimeTrace
                               ? config.output + ".time-trace"
                               : arg->value.str();
  config.stats = args.has(LldOpt::Stats);
  config.resources.joins = args.has(LldOpt::JoinReports);
  config.resources.files = args.values(LldOpt::ResourceReport);
  for (const std::string &path : config.resources.files)
    if (Error e = report::checkName(path))
      return error(DiagId::InvalidValue, {toString(std::move(e))});
  set(config.resources.baseline, LldOpt::Baseline);
  set(config.resources.budget, LldOpt::Budget);
  if (const LldArg *arg =
          args.last({LldOpt::PrintMemoryUsage, LldOpt::PrintMemoryUsageAs})) {
    lld.memoryUsage = MemoryUsageFormat::Table;
    if (arg->option == LldOpt::PrintMemoryUsageAs && arg->value != "table") {
      if (arg->value != "json")
        return error(DiagId::InvalidValue,
                     {"unknown --print-memory-usage value: ", arg->value});
      lld.memoryUsage = MemoryUsageFormat::JSON;
    }
  }
  if (lld.verbose && lld.memoryUsage == MemoryUsageFormat::None)
    lld.memoryUsage = MemoryUsageFormat::Table;
  config.warningsAsErrors =
      args.isOn(LldOpt::FatalWarnings, LldOpt::NoFatalWarnings, false);
  config.disableWarnings = args.has(LldOpt::NoWarnings);
  config.suppressStackSizeWarning = args.has(LldOpt::SuppressStackSizeWarning);
  config.suppressArchWarning = args.has(LldOpt::SuppressArchWarning);
  for (const LldArg *arg : args.all({LldOpt::ColorDiagnosticsWhen}))
    if (StringRef when = arg->value;
        when != "always" && when != "never" && when != "auto")
      return error(DiagId::InvalidValue,
                   {"unknown --color-diagnostics value: ", when});
  for (const LldArg *arg : args.all({LldOpt::Progress})) {
    const auto mode = parseProgressMode(arg->value);
    if (!mode)
      return error(DiagId::InvalidValue,
                   {"unknown --progress value: ", arg->value});
    config.progress = *mode;
  }
  return readLimits() && number(config.threads, LldOpt::Threads);
}

void lld::cuda::printLldHelp(LinkJob &job) {
  StringRef program = sys::path::filename(job.config.program);
  job.out << "OVERVIEW: " << program
          << " - links CUDA device code: cubins, fatbins, PTX, and host "
             "objects and archives that hold fatbins\n\nUSAGE: "
          << program << " [options] file...\n\n";
  printLldOptions(job.out);
  job.out << "\nLong options may have one dash or two.\n";
  if (!job.config.isLld())
    job.out << "nvlink's options are understood, too; '" << program
            << " -flavor nvlink --help' lists them.\n";
}

/// The command line in nvlink's words: its note records those.
ParsedOptions LldCommandLine::inReferenceWords() const {
  std::vector<std::string> words = {"-arch=" + config.archName,
                                    "-o=" + config.output};
  auto flag = [&](bool given, const char *word) {
    if (given)
      words.push_back(word);
  };
  flag(config.debug, "-g");
  flag(config.relocatable, "-r");
  flag(config.preserveRelocs, "-preserve-relocs");
  flag(config.keepSystemLibraries, "-keep-system-libraries");
  flag(config.ignoreHostInfo, "-ignore-host-info");
  flag(config.disableWarnings, "-w");
  flag(config.warningsAsErrors, "-Werror");
  flag(config.suppressStackSizeWarning, "-suppress-stack-size-warning");
  flag(config.suppressArchWarning, "-suppress-arch-warning");
  flag(config.dumpCallGraph, "-dump-callgraph");
  flag(config.lto, "-lto");
  auto list = [&](StringRef option, ArrayRef<std::string> values) {
    for (const std::string &value : values)
      words.push_back((option + "=" + value).str());
  };
  list("-L", config.libraryPaths);
  list("-l", config.libraries);
  list("-Xptxas", config.ptxasOptions);
  if (config.kernelsUsed)
    list("-kernels-used", *config.kernelsUsed);
  if (config.registerFile)
    list("-register-link-binaries", *config.registerFile);
  if (!config.nvvmPath.empty())
    list("-nvvmpath", config.nvvmPath);
  if (config.maxRegisters)
    list("-maxrregcount", std::to_string(config.maxRegisters));
  for (const LinkInput &i : config.inputs)
    words.push_back(i.path);
  std::vector<const char *> pointers(words.size());
  transform(words, pointers.begin(),
            [](const std::string &word) { return word.c_str(); });
  ParsedOptions options;
  raw_null_ostream nowhere;
  Diagnostics nobody(nowhere, config);
  options.parse(pointers, nobody);
  return options;
}

/// The linker's own record, which is about the reference only if it names it.
void LldCommandLine::writeNote() {
  if (!LinkRules(config.release.request).namesReferenceInNote())
    return;
  const ParsedOptions options = inReferenceWords();
  if (options.hasVerboseNote())
    config.noteFile = sys::path::filename(config.output).str();
  config.noteCommand = options.noteCommand();
}

/// Reads --memory-limit, --time-limit and --sandbox.
bool LldCommandLine::readLimits() {
  Error e = Error::success();
  if (const LldArg *arg = args.last(LldOpt::MemoryLimit))
    e = joinErrors(std::move(e), readMemoryLimit(arg->value, config.limits));
  if (const LldArg *arg = args.last(LldOpt::TimeLimit))
    e = joinErrors(std::move(e), readTimeLimit(arg->value, config.limits));
  if (e)
    return error(DiagId::InvalidValue, {toString(std::move(e))});
  const LldArg *arg = args.last(LldOpt::Sandbox);
  if (!arg)
    return true;
  config.sandbox = parseSandboxMode(arg->value);
  return config.sandbox ||
         error(DiagId::InvalidValue, {"unknown --sandbox value: ", arg->value});
}

bool LldCommandLine::readErrorFormat() {
  const LldArg *arg = args.last(LldOpt::ErrorFormat);
  if (!arg)
    return true;
  const StringRef value = arg->value;
  const auto format = findErrorFormat(value);
  if (!format)
    return error(DiagId::InvalidValue, {"unknown --error-format value: ", value,
                                        "; it is text, json, sarif or vs"});
  config.errorFormat = *format;
  return true;
}

bool LldCommandLine::read() {
  // Options about the form of messages are read first, since others report.
  LldConfig &lld = config.lld;
  lld.color = wantsColor(args, lld.color);
  if (!readErrorFormat())
    return false;
  lld.demangle = args.isOn(LldOpt::Demangle, LldOpt::NoDemangle, true);
  config.explain = args.isOn(LldOpt::Explain, LldOpt::NoExplain, true);
  if (!number(lld.errorLimit, LldOpt::ErrorLimit) || !readRelease())
    return false;
  if (args.has(LldOpt::Help)) {
    printLldHelp(job);
    return false;
  }
  if (args.has(LldOpt::Version)) {
    printVersion(job);
    return false;
  }
  if (!checkLldOptions(job, args))
    return false;
  readInputs(), readContents();
  if (config.writesToStandardOutput() && job.out.is_displayed())
    return error(DiagId::InvalidValue, {"-o -: standard output is a terminal"});
  if (args.has(LldOpt::PrintVersion)) {
    printVersion(job);
    if (config.inputs.empty() && config.libraries.empty())
      return false;
  }
  if (!readReports() || !readSymbols() || !readTarget() || !readLto())
    return false;
  if (Error e = applyRelease(config))
    return error(DiagId::InvalidValue, {toString(std::move(e))});
  if (config.inputs.empty() && config.libraries.empty())
    return error(DiagId::NoInputFiles, {"no input files"});
  nameReportsByArchitecture(config);
  writeNote();
  return true;
}

bool lld::cuda::readLldCommandLine(LinkJob &job, ArrayRef<const char *> words) {
  job.config.flavor = Flavor::LLD;
  BumpPtrAllocator allocator;
  StringSaver saver(allocator);
  SmallVector<const char *, 64> expanded;
  std::string problem =
      expandResponseFiles(words, saver, expanded, job.config.optionsFiles);
  if (!problem.empty())
    return reportError(job, DiagId::OptionsFile, {problem});
  // isDeviceLink() doesn't look at the library's words and files in pipes.
  if (hasDeviceLinkOptions(expanded))
    return reportError(job, DiagId::InvalidValue,
                       {"--host-object, --fatbin and --gencode work only on a "
                        "command line or in an options file, not in a pipe"});
  // --reproduce writes nvlink's command lines in this form.
  if (expanded.size() > 2 && StringRef(expanded[0]) == "-flavor" &&
      StringRef(expanded[1]) == "nvlink")
    return readNvlinkCommandLine(job, ArrayRef(expanded).drop_front(2));

  const LldArgs args(expanded);
  if (const StringRef word = args.findIncomplete(); !word.empty())
    return reportError(job, DiagId::ArgumentExpected,
                       {word, ": missing argument"});
  return LldCommandLine(job, args).read();
}
