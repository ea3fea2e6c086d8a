//===- Driver.cpp - From the command line to a finished link --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// runCommandLine() is the linker program as a function: it reads the command
/// line into a LinkJob, calls runLink() and puts the outputs in place. The main
/// functions of tools/lld-cuda call it once, by way of link() in Linker.h.
/// Library.cpp and, through it, the links of a device link share
/// prepareLinkJob(), which only reads the command line.
///
/// nvlink's options are read here, and ld.cuda's in LldDriver.cpp. The command
/// line is checked before any input is opened, and in nvlink's order, because
/// only the first of several mistakes is reported [order-of-checks].
///
//===----------------------------------------------------------------------===//

#include "Driver/Driver.h"
#include "Ctx.h"
#include "Driver/DeviceLink.h"
#include "Driver/LldDriver.h"
#include "Driver/MessageOptions.h"
#include "Driver/Options.h"
#include "Driver/ResponseFiles.h"
#include "Input/ToolkitMark.h"
#include "Messages/Progress.h"
#include "Output/SaveFile.h"
#include "Passes.h"
#include "Rules/LinkRules.h"
#include "lld-cuda/Linker.h"
#include "lld-cuda/Reschedule/Reschedule.h"
#include "lld-cuda/Resources/Report.h"
#include "lld-cuda/Support/ContentCache.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/StringSaver.h"
#include <unistd.h>

using namespace llvm;
using namespace lld::cuda;

static void setOptionalList(const ParsedOptions &options, Opt o,
                            std::optional<std::vector<std::string>> &to) {
  // An empty value is as good as none.
  if (!options.values(o).empty())
    to = options.values(o);
}

static void setOptionalString(const ParsedOptions &options, Opt o,
                              std::optional<std::string> &to) {
  if (options.given(o))
    to = options.value(o);
}

static void setLto(const ParsedOptions &options, Config &config) {
  config.lto = options.given(Opt::LinkTimeOpt) || options.given(Opt::Dlto);
  config.emitPtx = options.given(Opt::EmitPtx);
  if (options.given(Opt::NvvmPath))
    config.nvvmPath = options.value(Opt::NvvmPath);
  config.nvvmLatest = options.given(Opt::NvvmLatest);
  config.nvvmOptions = options.values(Opt::Xnvvm);
  setOptionalString(options, Opt::OfastCompile, config.fastCompile);
  if (options.given(Opt::SplitCompileExtended))
    config.splitCompileExtended = options.number(Opt::SplitCompileExtended);
  if (options.given(Opt::NvJitLinkPath))
    config.nvJitLinkPath = options.value(Opt::NvJitLinkPath);
  if (options.given(Opt::LtoNvlink))
    config.ltoNvlink = options.value(Opt::LtoNvlink);
  config.ltoTimeout = std::max(0, options.number(Opt::LtoTimeout));
  setOptionalString(options, Opt::DeviceStackProtector,
                    config.deviceStackProtector);
  config.ptxasOptions = options.values(Opt::Xptxas);
}

static void setCache(const ParsedOptions &options, CacheConfig &cache) {
  setOptionalString(options, Opt::CacheDir, cache.folder);
  if (options.given(Opt::CachePolicy))
    cache.policy = options.value(Opt::CachePolicy);
  cache.stats = options.given(Opt::CacheStats);
}

/// The rules, and what follows from them. After all that they depend on.
static void setRules(const ParsedOptions &options, Config &config) {
  RuleRequest &request = config.release.request;
  request.relocatable = config.relocatable;
  request.exact = options.given(Opt::NvlinkCompat);
  request.reallocatesScoreboards = options.given(Opt::Reschedule);
  request.namesReference = options.given(Opt::NvlinkNote);
  for (const std::string &name : options.values(Opt::NvlinkBehavior))
    if (std::optional<Behavior> behavior = findBehavior(name))
      request.behaviors.push_back(*behavior);
  if (request.exact && !config.release.refusesNewer)
    config.release.refusesNewer = true;
  const LinkRules rules = takeRules(config);
  config.disableWarnings =
      options.given(Opt::DisableWarnings) && !rules.ignoresDisableWarnings();
  config.explain = options.given(Opt::Explain) ||
                   (!options.given(Opt::NoExplain) && !config.saysNothingElse);
}

static void setReports(const ParsedOptions &options, Config &config) {
  LldConfig &lld = config.lld;
  setOptionalString(options, Opt::Map, lld.mapFile);
  setOptionalString(options, Opt::WhyExtract, lld.whyExtract);
  setOptionalString(options, Opt::DependencyFile, lld.dependencyFile);
  setOptionalString(options, Opt::Reproduce, lld.reproduce);
  if (lld.reproduce)
    append_range(lld.options, options.wordsOfRepetition());
  lld.printMap = options.given(Opt::PrintMap);
  lld.cref = options.given(Opt::Cref);
  lld.printGcSections = options.given(Opt::PrintGcSections);
  lld.trace = options.given(Opt::Trace);
  lld.traceSymbols = options.values(Opt::TraceSymbol);
  if (options.given(Opt::PrintMemoryUsage))
    lld.memoryUsage = options.value(Opt::PrintMemoryUsage) == "json"
                          ? MemoryUsageFormat::JSON
                          : MemoryUsageFormat::Table;
  config.why.live = options.values(Opt::WhyLive);
  config.why.stack = options.values(Opt::WhyStack);
  config.why.registers = options.values(Opt::WhyRegisters);
  config.why.shared = options.values(Opt::WhyShared);
  config.why.barriers = options.values(Opt::WhyBarriers);
}

void lld::cuda::printVersion(LinkJob &job) {
  const Release &release = *job.config.release.request.release;
  const bool isFixed = job.config.release.isFixed;
  if (job.config.release.request.exact) {
    job.out << "nvlink: NVIDIA (R) Cuda linker\nCopyright (c) 2005-"
            << release.copyright << " NVIDIA Corporation\nBuilt on "
            << release.builtOn << '\n'
            << release.version << '\n'
            << release.build << '\n';
    return;
  }
  // Build scripts take the toolkit's version from these two lines.
  if (!job.config.isLld() &&
      sys::path::filename(job.config.program) != "lld-cuda")
    job.out << release.version << '\n' << release.build << '\n';
  job.out << "lld-cuda " LLDCUDA_VERSION " (compatible with nvlink "
          << (isFixed ? "" : releases().front().name) << (isFixed ? "" : " to ")
          << (isFixed ? release : newestRelease()).name << ")\n";
  if (!job.config.environmentFlags.empty())
    job.out << "LLD_CUDA_FLAGS: " << job.config.environmentFlags << '\n';
}

std::string lld::cuda::fillInArchitecture(StringRef path, StringRef arch) {
  std::string name = path.str();
  for (size_t at = 0; (at = name.find("%a", at)) != std::string::npos;
       at += arch.size())
    name.replace(at, 2, arch);
  return name;
}

/// nvcc runs a link for each architecture with the same options.
void lld::cuda::nameReportsByArchitecture(Config &config) {
  LldConfig &lld = config.lld;
  auto fillIn = [&](std::string &name) {
    name = fillInArchitecture(name, config.archName);
  };
  for (std::optional<std::string> *path :
       {&config.dotFile, &config.timeTraceFile, &lld.mapFile, &lld.whyExtract,
        &lld.dependencyFile, &lld.reproduce, &config.resources.baseline})
    if (*path)
      fillIn(**path);
  for (std::string &path : config.resources.files)
    fillIn(path);
}

/// Fills `config` without checking anything. Until this is called no option
/// changes how messages look: the parser's own warnings are not affected by
/// -Werror, -disable-infos or -report-arch.
static void fillConfig(const ParsedOptions &options, Config &config) {
  config.archName = options.value(Opt::Arch);
  StringRef arch = config.archName;
  config.virtualArch = arch.starts_with("compute_");
  if (auto parsed = elf::parseArchitecture(arch.split('_').second))
    config.arch = *parsed;

  for (const std::string &path : options.inputs())
    config.inputs.push_back(LinkInput::file(path));
  append_range(config.optionsFiles, options.optionsFileNames());
  config.libraries = options.values(Opt::Library);
  config.libraryPaths = options.values(Opt::LibraryPath);
  config.output = options.value(Opt::OutputFile);
  setOptionalString(options, Opt::RegisterLinkBinaries, config.registerFile);
  setOptionalString(options, Opt::DotFile, config.dotFile);
  setOptionalString(options, Opt::Time, config.timeFile);
  setOptionalList(options, Opt::KernelsUsed, config.kernelsUsed);
  setOptionalList(options, Opt::VariablesUsed, config.variablesUsed);

  config.relocatable = options.given(Opt::RelocatableLink);
  config.debug = options.given(Opt::Debug);
  config.suppressDebugInfo = options.given(Opt::SuppressDebugInfo);
  config.preserveRelocs = options.given(Opt::PreserveRelocs);
  config.check = options.given(Opt::Check);
  config.isToolsPatch = options.given(Opt::LinkAsToolsPatch);
  config.forceRela = options.given(Opt::ForceRela);
  config.verbose = options.given(Opt::Verbose);
  config.dumpCallGraph = options.given(Opt::DumpCallgraph);
  config.dumpCallGraphNoDemangle = options.given(Opt::DumpCallgraphNoDemangle);
  config.keepSystemLibraries = options.given(Opt::KeepSystemLibraries);
  config.ignoreHostInfo = options.given(Opt::IgnoreHostInfo);
  config.useHostInfo = options.given(Opt::UseHostInfo);
  config.warningsAsErrors = options.given(Opt::WarningAsError);
  config.disableInfos = options.given(Opt::DisableInfos);
  config.extraWarnings = options.given(Opt::ExtraWarnings);
  config.suppressStackSizeWarning =
      options.given(Opt::SuppressStackSizeWarning);
  config.suppressArchWarning = options.given(Opt::SuppressArchWarning);
  config.reportArch = options.given(Opt::ReportArch);
  config.maxRegisters = options.number(Opt::MaxRegCount);
  if (options.given(Opt::SplitCompile))
    config.splitCompile = options.number(Opt::SplitCompile);
  setLto(options, config);
  setCache(options, config.cache);
  setReports(options, config);
  if (options.given(Opt::Progress))
    config.progress = *parseProgressMode(options.value(Opt::Progress));
  config.disableSmemReservation = options.isTrue(Opt::DisableSmemReservation);
  config.enableExtendedSmem = options.isTrue(Opt::EnableExtendedSmem);
  config.reserveNullPointer = options.given(Opt::ReserveNullPointer);

  if (options.given(Opt::DecompressLimit))
    config.decompressLimit =
        uint64_t(std::max(0, options.number(Opt::DecompressLimit))) << 20;
  config.limits.memory = options.number(Opt::MemoryLimit);
  config.limits.seconds = options.number(Opt::TimeLimit);
  if (options.given(Opt::Sandbox))
    config.sandbox = parseSandboxMode(options.value(Opt::Sandbox));
  config.stats = options.given(Opt::Stats);
  setOptionalString(options, Opt::TimeTrace, config.timeTraceFile);
  config.resources.files = options.values(Opt::ResourceReport);
  setOptionalString(options, Opt::Baseline, config.resources.baseline);
  setOptionalString(options, Opt::Budget, config.resources.budget);
  // A negative number means the default.
  config.threads = std::max(0, options.number(Opt::Threads));
  if (options.given(Opt::MinParallel))
    config.minParallel = uint64_t(std::max(0, options.number(Opt::MinParallel)))
                         << 10;
  config.shuffleSeed = std::max(0, options.number(Opt::ShuffleThreads));
  setRules(options, config);
  if (options.given(Opt::ErrorFormat))
    config.errorFormat = *findErrorFormat(options.value(Opt::ErrorFormat));
  config.lld.demangle = !options.given(Opt::NoDemangle);
  if (options.hasVerboseNote())
    config.noteFile = baseName(config.output).str();
  config.noteCommand = options.given(Opt::NoteCommand)
                           ? options.value(Opt::NoteCommand)
                           : options.noteCommand();
  nameReportsByArchitecture(config);
}

/// Options that exclude each other, in nvlink's order. Null if all is well.
static const char *findConflict(const ParsedOptions &options,
                                bool isCommandLine) {
  auto given = [&](Opt o) { return options.given(o); };
  bool lto = given(Opt::LinkTimeOpt) || given(Opt::Dlto);
  if (given(Opt::SuppressDebugInfo) && !given(Opt::Debug))
    return "Conflicting options '-suppress-debug-info' and 'no -g'";
  if (given(Opt::DumpCallgraph) && given(Opt::DumpCallgraphNoDemangle))
    return "Conflicting options '-dump-callgraph' and "
           "'-dump-callgraph-no-demangle'";
  if (given(Opt::UseHostInfo) && given(Opt::IgnoreHostInfo))
    return "Conflicting options '-use-host-info' and '-ignore-host-info'";
  if (given(Opt::EmitPtx) && !lto)
    return "Conflicting options '-emit-ptx' and 'no -dlto'";
  if (given(Opt::NvvmLatest) && !lto)
    return "Conflicting options '-nvvm-latest' and 'no -dlto'";
  if (given(Opt::OfastCompile) && !lto)
    return "Conflicting options '--Ofast-compile' and 'no -dlto'";
  if (lto && !given(Opt::NvvmPath) && isCommandLine)
    return "-nvvmpath should be specified with -lto";
  if (given(Opt::OfastCompile) &&
      !is_contained({"0", "min", "mid", "max"},
                    options.value(Opt::OfastCompile)))
    return "Invalid argument for option '--Ofast-compile'";
  return nullptr;
}

/// Reads the options of -ghls, with which a script is written and no link done.
static bool readHostLinkerScript(LinkJob &job, const ParsedOptions &options) {
  if (!options.inputs().empty()) {
    job.diag.report(
        DiagId::InputsNotAllowed,
        {"Input files are not allowed with -ghls option; use --help "
         "for more information"});
    return false;
  }
  HostLinkerScript &script = job.config.hostLinkerScript.emplace();
  script.isWhole = options.value(Opt::GenHostLinkerScript) == "lcs-abs";
  script.compiler = options.value(Opt::HostCcbin);
  job.config.output = options.value(Opt::OutputFile);
  return true;
}

static bool readReleaseOptions(LinkJob &job, const ParsedOptions &options) {
  ReleaseChoice &choice = job.config.release;
  choice.request.exact = options.given(Opt::NvlinkCompat);
  Error e = Error::success();
  if (options.given(Opt::NvlinkRelease))
    e = joinErrors(std::move(e),
                   readRelease(options.value(Opt::NvlinkRelease), choice));
  if (options.given(Opt::NewerInputs))
    e = joinErrors(std::move(e),
                   readNewerInputs(options.value(Opt::NewerInputs), choice));
  if (options.given(Opt::CudaMajor))
    e = joinErrors(std::move(e),
                   readCudaMajor(options.value(Opt::CudaMajor), choice));
  takeRules(job.config);
  if (!e)
    return true;
  job.diag.report(DiagId::InvalidValue, {toString(std::move(e))});
  return false;
}

/// Takes -flavor NAME off the command line, if it begins with that. None: the
/// name is unknown.
static std::optional<bool> takeFlavor(LinkJob &job,
                                      ArrayRef<const char *> &args) {
  if (args.size() < 2 || StringRef(args[0]) != "-flavor")
    return false;
  StringRef name = args[1];
  if (name != "lld" && name != "nvlink") {
    job.diag.report(
        DiagId::UnknownFlavor,
        {"unknown flavor ", diag::quoted(name), "; use lld or nvlink"});
    return std::nullopt;
  }
  job.config.flavor = name == "lld" ? Flavor::LLD : Flavor::Nvlink;
  args = args.drop_front(2);
  return true;
}

/// The options of a link, once it is clear that there is to be one: checked in
/// nvlink's order [order-of-checks].
static bool readLinkOptions(LinkJob &job, const ParsedOptions &options) {
  Config &config = job.config;
  fillConfig(options, config);
  auto fatal = [&](DiagId id, MessageParts parts) {
    job.diag.report(id, parts);
    return false;
  };
  bool nativeArch = StringRef(config.archName).starts_with("sm_");
  if (!options.given(Opt::Arch)) {
    config.reportArch = false;
    fatal(DiagId::UnknownArch, {"Unknown arch name '(null)'"});
    job.diag.explain("no target architecture; use -arch=sm_NN");
    return false;
  }
  if (Error e = checkTarget(config))
    return fatal(DiagId::InvalidValue, {toString(std::move(e))});
  if (nativeArch && !options.given(Opt::OutputFile))
    return fatal(DiagId::NoOutputFile,
                 {"Must specify output file with -o option"});
  if (config.inputs.empty() && config.isCommandLine)
    return fatal(
        DiagId::NoInputFiles,
        {"No input files specified; use option --help for more information"});
  if (const char *text = findConflict(options, config.isCommandLine))
    return fatal(DiagId::ConflictingOptions, {text});
  if (Error e = applyRelease(config))
    return fatal(DiagId::InvalidValue, {toString(std::move(e))});
  for (const std::string &path : config.resources.files)
    if (Error e = report::checkName(path))
      return fatal(DiagId::InvalidValue, {toString(std::move(e))});
  for (const std::string &name : options.values(Opt::NvlinkBehavior))
    if (!findBehavior(name))
      return fatal(DiagId::UnknownBehavior,
                   {"unknown behavior ", diag::quoted(name)});
  // A virtual one is told of later, and nothing is linked [virtual-target].
  if (!nativeArch && !config.virtualArch)
    return fatal(
        DiagId::VirtualArch,
        {"Link target of ", diag::quoted(config.archName),
         " is virtual target that is not JIT-able; use 'sm_' target instead"});
  if (options.given(Opt::UidxFile)) {
    config.indexFile = options.value(Opt::UidxFile);
    return true;
  }
  if (config.useHostInfo && config.hasKernelFilter())
    job.diag.report(DiagId::HostInfoIgnored,
                    {"ignore -use-host-info because -kernels-used or "
                     "-variables-used is specified"});
  // nvlink's text has this spelling mistake [preserve-relocs-warning].
  if (config.preserveRelocs && config.arch.number >= 90)
    job.diag.report(DiagId::PreserveRelocsUnfinished,
                    {"Option '--preserve-relocs' is not fully implemented for "
                     "gpu archtecture ",
                     diag::quoted(config.archName),
                     " and may not work as expected"});
  return true;
}

/// The toolkit whose options --help lists: all, unless a release is fixed.
static unsigned helpedToolkit(const Config &config) {
  return config.release.isFixed ? config.release.request.release->toolkit : ~0u;
}

bool lld::cuda::readCommandLine(LinkJob &job, ArrayRef<const char *> args) {
  StringRef program = args.empty() ? "" : args.front();
  job.config.flavor = flavorOf(program);
  job.config.program = program.str();
  readMessageOptions(job.config, args, job.isOnStandardError);
  takeReleaseOfToolkit(job);
  args = args.drop_front(!args.empty());
  const std::optional<bool> isFlavorGiven = takeFlavor(job, args);
  if (!isFlavorGiven || !checkFlags(job.config.environmentFlags, job.diag))
    return false;
  if (job.config.isLld())
    return readLldCommandLine(job, args);
  // An option that nvlink rejects and ld.cuda has makes lld-cuda ld.cuda.
  const bool mayBeLld = !*isFlavorGiven && baseName(program) == "lld-cuda";
  return readNvlinkCommandLine(job, args, mayBeLld ? isLldOption : nullptr);
}

bool lld::cuda::readNvlinkCommandLine(LinkJob &job, ArrayRef<const char *> args,
                                      bool (*isOtherOption)(StringRef)) {
  const StringRef program = job.config.program;
  job.config.flavor = Flavor::Nvlink;
  // Mistakes in the words are told of before any option counts.
  job.config.explain = none_of(args, [](StringRef word) {
    word = word.ltrim('-');
    return word == "no-explain" || word == "nvlink-compat";
  });
  ParsedOptions options;
  options.setOtherOptionTest(isOtherOption);
  if (!options.parse(args, job.diag))
    return options.foundOtherOption() && readLldCommandLine(job, args);
  // A repeated link has its program elsewhere, so it needs the release named.
  if (const Release *ofToolkit = job.config.release.request.release;
      ofToolkit && options.given(Opt::Reproduce) &&
      !options.given(Opt::NvlinkRelease))
    job.config.lld.options.push_back(
        ("--nvlink-release=" + ofToolkit->name).str());
  // Read before --version, which prints the release's.
  if (!readReleaseOptions(job, options))
    return false;
  const StringRef newer =
      job.config.release.request.exact
          ? options.findNewerThan(job.config.release.request.release->toolkit)
          : "";
  if (!newer.empty()) {
    job.diag.report(DiagId::UnknownOption,
                    {"Unknown option ", diag::quoted(newer)});
    return false;
  }
  if (job.config.release.request.exact &&
      !options.isCpuArchOf(job.config.release.request.release->toolkit)) {
    job.diag.report(DiagId::InvalidValue,
                    {"Value ", diag::quoted(options.value(Opt::CpuArch)),
                     " is not defined for option ", diag::quoted("cpu-arch")});
    return false;
  }
  if (options.given(Opt::Help)) {
    if (isOtherOption)
      printLldHelp(job);
    else
      printHelp(job.out, baseName(program), helpedToolkit(job.config));
    return false;
  }
  if (options.given(Opt::Version)) {
    printVersion(job);
    return false;
  }
  if (options.given(Opt::GenHostLinkerScript))
    return readHostLinkerScript(job, options);

  return readLinkOptions(job, options);
}

bool lld::cuda::prepareLinkJob(LinkJob &job, ArrayRef<const char *> args) {
  if (!readCommandLine(job, args) || !takeLimits(job))
    return false;
  if (job.config.release.request.reallocatesScoreboards && !getRescheduler()) {
    job.diag.report(DiagId::UnsupportedOption,
                    {"--reschedule needs an lld-cuda that was built with "
                     "LLDCUDA_RESCHEDULE=ON"});
    return false;
  }
  job.config.environment = readEnvironment();
  CacheConfig &cache = job.config.cache;
  if (!cache.folder)
    cache.folder = job.config.environment.cacheFolder;
  if (!cache.policy.empty())
    if (Error e = readCachePolicy(cache.policy).takeError()) {
      job.diag.report(DiagId::InvalidValue,
                      {"--cache-policy: ", toString(std::move(e))});
      return false;
    }
  return confine(job);
}

/// Reports that standard output is incomplete, the last moment to do so.
static void checkStandardOutput(LinkJob &job) {
  if (!outs().has_error())
    return;
  job.diag.report(DiagId::CannotWriteOutput, {"Internal error: writing file"});
  job.diag.explain("writing standard output: " + outs().error().message());
}

/// --no-explain allows nvlink's messages only: then progress isn't shown unless
/// an option asks for it.
static void startProgress(LinkJob &job, ProgressLine &line) {
  const Config &config = job.config;
  if (config.progress == ProgressMode::Auto && !config.explain)
    return;
  job.progress = &line.addLink("");
  line.start(config.progress, baseName(config.program), config.environment);
}

bool lld::cuda::link(ArrayRef<const char *> args, raw_ostream &out,
                     raw_ostream &err, bool exitEarly, bool disableOutput) {
  return link(args, out, err, exitEarly, disableOutput, InputMode::Map);
}

bool lld::cuda::link(ArrayRef<const char *> args, raw_ostream &out,
                     raw_ostream &err, bool exitEarly, bool disableOutput,
                     InputMode inputs) {
  return !runCommandLine(args, out, err, exitEarly, disableOutput, inputs);
}

/// What stands there comes last, so that it counts where the last option does.
/// Words are quoted as in a shell.
static ArrayRef<const char *>
addEnvironmentFlags(ArrayRef<const char *> args, StringRef flags,
                    StringSaver &saver, SmallVectorImpl<const char *> &words) {
  if (flags.empty() || args.empty())
    return args;
  words.assign(args.begin(), args.end());
  cl::TokenizeGNUCommandLine(flags, saver, words);
  return words;
}

int lld::cuda::runCommandLine(ArrayRef<const char *> args, raw_ostream &out,
                              raw_ostream &err, bool exitEarly,
                              bool disableOutput, InputMode inputs) {
  BumpPtrAllocator arena;
  StringSaver saver(arena);
  SmallVector<const char *, 0> words;
  const StringRef flags = readEnvironmentFlags();
  args = addEnvironmentFlags(args, flags, saver, words);
  ProgressLine line(err);
  AboveProgress shownOut(out, line), shownErr(err, line);
  raw_ostream &ownOut = out.is_displayed() ? shownOut : out;
  if (!findOpenQuote(flags) && isDeviceLink(args)) {
    const int status = linkDevice(args, ownOut, shownErr, disableOutput,
                                  /*ownsProcess=*/exitEarly, line);
    line.finish();
    out.flush();
    err.flush();
    if (exitEarly)
      _exit(status);
    return status;
  }
  LinkJob job(ownOut, shownErr);
  job.inputMode = inputs;
  job.outputs = disableOutput ? OutputMode::None : OutputMode::Files;
  job.ownsProcess = exitEarly;
  job.isOnStandardError = line.isOnStandardError();
  job.config.environmentFlags = flags.str();
  std::optional<Ctx> ctx;
  if (prepareLinkJob(job, args)) {
    startProgress(job, line);
    runLink(ctx.emplace(job));
  }
  out.flush();
  // Nobody else would see that what was printed is incomplete.
  if (exitEarly)
    checkStandardOutput(job);
  if (ctx)
    commitOutputs(ctx->inputs);
  job.diag.finish();
  int status = job.diag.exitStatus();
  line.finish();
  err.flush();
  // Freeing what a large link has built takes time that nobody needs.
  if (exitEarly)
    _exit(status);
  return status;
}
