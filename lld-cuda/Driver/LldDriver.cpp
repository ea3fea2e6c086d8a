//===- LldDriver.cpp - The lld flavour's command line ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// ld.cuda is called like any ld: by people, by build systems and by clang as
/// its device linker. The options stand in LldOptions.td.
///
//===----------------------------------------------------------------------===//

#include "Driver/LldDriver.h"
#include "Driver/DeviceLink.h"
#include "Driver/Driver.h"
#include "Driver/LldUnknownOptions.h"
#include "Driver/MessageOptions.h"
#include "Driver/Options.h"
#include "Driver/ResponseFiles.h"
#include "Driver/Suggestions.h"
#include "LinkJob.h"
#include "Report/Progress.h"
#include "Report/ResourceModel.h"
#include "Rules/LinkRules.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Option/Arg.h"
#include "llvm/Option/ArgList.h"
#include "llvm/Option/OptTable.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace llvm::opt;
using namespace lld::cuda;

namespace {

enum ID {
  OPT_INVALID = 0,
#define OPTION(...) LLVM_MAKE_OPT_ID(__VA_ARGS__),
#include "LldOptions.inc"
#undef OPTION
};

#define PREFIX(NAME, ...)                                                      \
  constexpr StringLiteral NAME##_init[] = __VA_ARGS__;                         \
  constexpr ArrayRef<StringLiteral> NAME(NAME##_init,                          \
                                         std::size(NAME##_init) - 1);
#define PREFIX_UNION(VALUE) PREFIX(prefixes, VALUE)
#include "LldOptions.inc"
#undef PREFIX_UNION
#undef PREFIX

constexpr OptTable::Info infoTable[] = {
#define OPTION(...) LLVM_CONSTRUCT_OPT_INFO(__VA_ARGS__),
#include "LldOptions.inc"
#undef OPTION
};

/// Always false. On this command line mistakes are errors: several are told.
bool reportError(LinkJob &job, DiagId id, MessageParts parts) {
  job.diag.report(Diagnostic(id, Severity::Error, parts));
  return false;
}

struct LldOptTable : PrecomputedOptTable {
  LldOptTable() : PrecomputedOptTable(infoTable, prefixes) {}
};

class LldCommandLine {
public:
  LldCommandLine(LinkJob &job, const InputArgList &args, const OptTable &table)
      : job(job), config(job.config), args(args), table(table) {}
  bool read();

private:
  void readInputs();
  void rememberOption(const Arg &arg);
  void rememberOutput(const Arg &arg);
  bool readRelease();
  bool readTarget();
  bool readSymbols();
  bool readReports();
  void readWhy();
  bool readLto();
  void readContents();
  bool readErrorFormat();
  ParsedOptions inReferenceWords() const;
  void writeNote();

  bool error(DiagId id, MessageParts parts) {
    return reportError(job, id, parts);
  }
  std::string value(unsigned id) const {
    return args.getLastArgValue(id).str();
  }
  void set(std::optional<std::string> &to, unsigned id) const {
    if (const Arg *arg = args.getLastArg(id))
      to = arg->getValue();
  }
  /// A number from 0 on; `to` stays if the option isn't given.
  template <typename T> bool number(T &to, unsigned id) {
    const Arg *arg = args.getLastArg(id);
    if (!arg || !StringRef(arg->getValue()).getAsInteger(10, to))
      return true;
    return error(DiagId::InvalidValue,
                 {"invalid argument ", diag::quoted(StringRef(arg->getValue())),
                  " to ", arg->getSpelling()});
  }

  LinkJob &job;
  Config &config;
  const InputArgList &args;
  const OptTable &table;
  FolderNames outputNames; ///< In the options of --reproduce.
};

} // namespace

bool lld::cuda::isLldOption(StringRef word) {
  // @file and the like are inputs for nvlink.
  if (!word.starts_with("-"))
    return false;
  LldOptTable table;
  std::string text = word.str();
  const char *words[] = {text.c_str(), "value"};
  unsigned missingIndex, missingCount;
  InputArgList args = table.ParseArgs(words, missingIndex, missingCount);
  const Arg *first = *args.begin();
  return first && first->getOption().getKind() != Option::UnknownClass &&
         first->getOption().getKind() != Option::InputClass;
}

/// `otherwise` is what the terminal and the environment say.
static bool wantsColor(const InputArgList &args, bool otherwise) {
  const Arg *arg =
      args.getLastArg(OPT_color_diagnostics, OPT_color_diagnostics_eq,
                      OPT_no_color_diagnostics);
  if (!arg)
    return otherwise;
  if (!arg->getOption().matches(OPT_color_diagnostics_eq))
    return arg->getOption().matches(OPT_color_diagnostics);
  const StringRef when = arg->getValue();
  return when == "always" || (when != "never" && otherwise);
}

void LldCommandLine::rememberOption(const Arg &arg) {
  ArgStringList words;
  arg.render(args, words);
  config.lld.options.insert(config.lld.options.end(), words.begin(),
                            words.end());
}

/// Where a link is repeated all that it writes goes into one folder.
void LldCommandLine::rememberOutput(const Arg &arg) {
  const std::string spelling = arg.getSpelling().str();
  const std::string name = outputNames.add(arg.getValue());
  if (spelling.back() == '=')
    config.lld.options.push_back(spelling + name);
  else
    config.lld.options.insert(config.lld.options.end(), {spelling, name});
}

void LldCommandLine::readInputs() {
  bool whole = false;
  for (const Arg *arg : args) {
    // Libraries are inputs, too; they are found already when a link is
    // repeated.
    switch (arg->getOption().getID()) {
    default:
      rememberOption(*arg);
      break;
    case OPT_o:
    case OPT_Map:
    case OPT_dot_file:
    case OPT_time_trace_eq:
    case OPT_resource_report:
    case OPT_why_extract:
    case OPT_dependency_file:
    case OPT_register_link_binaries:
      rememberOutput(*arg);
      break;
    case OPT_L:
    case OPT_reproduce:
    case OPT_libdevice:
    case OPT_baseline:
    case OPT_budget:
      break;
    case OPT_INPUT:
      config.inputs.push_back(LinkInput::file(arg->getValue()));
      config.lld.wholeInputs.push_back(whole);
      break;
    case OPT_l:
      config.libraries.push_back(arg->getValue());
      config.lld.wholeLibraries.push_back(whole);
      break;
    case OPT_whole_archive:
      whole = true;
      break;
    case OPT_no_whole_archive:
      whole = false;
      break;
    }
  }
  config.libraryPaths = args.getAllArgValues(OPT_L);
  config.output = args.getLastArgValue(OPT_o, "a.out").str();
  set(config.registerFile, OPT_register_link_binaries);
}

/// -arch, -march= and -mcpu= name one; else a last -plugin-opt=mcpu= counts.
bool LldCommandLine::readTarget() {
  auto refuse = [&](const std::string &names) {
    return error(DiagId::UnknownArch,
                 {"an image is for one architecture, not for ", names,
                  "; --host-object=FILE and --fatbin=FILE take several"});
  };
  for (const Arg *arg : args.filtered(OPT_arch, OPT_plugin_opt)) {
    StringRef name = arg->getValue();
    if (arg->getOption().matches(OPT_plugin_opt) &&
        !name.consume_front("mcpu="))
      continue;
    if (arg->getOption().matches(OPT_arch) && !config.archName.empty() &&
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
  config.cudaPath = value(OPT_cuda_path_eq);
  config.ptxasPath = value(OPT_ptxas_path_eq);
  config.ptxasOptions = args.getAllArgValues(OPT_Xptxas);
  return number(config.maxRegisters, OPT_maxrregcount);
}

/// The version is that of the release.
bool LldCommandLine::readRelease() {
  ReleaseChoice &choice = config.release;
  choice.request.exact = args.hasArg(OPT_nvlink_compat);
  Error e = Error::success();
  if (const Arg *arg = args.getLastArg(OPT_nvlink_release))
    e = joinErrors(std::move(e),
                   lld::cuda::readRelease(arg->getValue(), choice));
  if (const Arg *arg = args.getLastArg(OPT_newer_inputs))
    e = joinErrors(std::move(e), readNewerInputs(arg->getValue(), choice));
  if (const Arg *arg = args.getLastArg(OPT_cuda_major))
    e = joinErrors(std::move(e), readCudaMajor(arg->getValue(), choice));
  takeRules(config);
  return !e || error(DiagId::InvalidValue, {toString(std::move(e))});
}

bool LldCommandLine::readSymbols() {
  LldConfig &lld = config.lld;
  lld.entryNames = args.getAllArgValues(OPT_e);
  lld.undefinedNames = args.getAllArgValues(OPT_u);
  lld.requiredNames = args.getAllArgValues(OPT_require_defined);
  lld.allowMultipleDefinition = args.hasArg(OPT_allow_multiple_definition);
  for (const Arg *arg : args.filtered(OPT_z))
    lld.allowMultipleDefinition |= StringRef(arg->getValue()) == "muldefs";

  for (const Arg *arg :
       args.filtered(OPT_unresolved_symbols, OPT_warn_unresolved_symbols,
                     OPT_error_unresolved_symbols)) {
    if (arg->getOption().matches(OPT_warn_unresolved_symbols)) {
      lld.unresolved = UnresolvedPolicy::Warn;
      continue;
    }
    if (arg->getOption().matches(OPT_error_unresolved_symbols)) {
      lld.unresolved = UnresolvedPolicy::Error;
      continue;
    }
    StringRef how = arg->getValue();
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
  config.relocatable = args.hasArg(OPT_r);
  config.debug = args.hasArg(OPT_g);
  config.lld.stripDebug = args.hasArg(OPT_S);
  config.lld.gcSections =
      args.hasFlag(OPT_gc_sections, OPT_no_gc_sections, true);
  config.lld.printGcSections = args.hasArg(OPT_print_gc_sections);
  config.preserveRelocs = args.hasArg(OPT_preserve_relocs);
  config.keepSystemLibraries = args.hasArg(OPT_keep_system_libraries);
  config.ignoreHostInfo = args.hasArg(OPT_ignore_host_info);
  RuleRequest &request = config.release.request;
  request.relocatable = config.relocatable;
  request.exact = args.hasArg(OPT_nvlink_compat);
  request.reallocatesScoreboards = args.hasArg(OPT_reschedule);
  if (request.exact && !config.release.refusesNewer)
    config.release.refusesNewer = true;
  takeRules(config);
  if (args.hasArg(OPT_kernels_used)) {
    config.kernelsUsed.emplace();
    for (const std::string &list : args.getAllArgValues(OPT_kernels_used)) {
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
  for (const Arg *arg : args.filtered(OPT_O, OPT_lto_O, OPT_plugin_opt)) {
    StringRef text = arg->getValue();
    if (!arg->getOption().matches(OPT_plugin_opt)) {
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
                  "; it is 0 to 3"});
  auto take = [&](std::string &to, unsigned id) {
    if (const Arg *arg = args.getLastArg(id))
      to = arg->getValue();
  };
  take(lto.features, OPT_feature);
  take(lto.partitions, OPT_lto_partitions);
  take(lto.jobs, OPT_thinlto_jobs);
  take(lto.deviceLibrary, OPT_libdevice);
  for (const std::string *number : {&lto.partitions, &lto.jobs})
    if (unsigned n;
        !number->empty() && (StringRef(*number).getAsInteger(10, n) || n == 0))
      return error(DiagId::InvalidValue,
                   {"invalid number ", diag::quoted(*number),
                    " for link-time optimization"});
  append_range(lto.llvmOptions, args.getAllArgValues(OPT_mllvm));
  lto.saveTemps |= args.hasArg(OPT_save_temps);
  lto.emitAsm |= args.hasArg(OPT_lto_emit_asm);
  lto.emitLlvm |= args.hasArg(OPT_lto_emit_llvm);
  lto.internalize =
      args.hasFlag(OPT_lto_internalize, OPT_no_lto_internalize, true);
  config.lto = args.hasArg(OPT_lto);
  take(config.nvvmPath, OPT_nvvmpath);
  take(config.nvJitLinkPath, OPT_nvjitlink_path);
  take(config.ltoNvlink, OPT_lto_nvlink);
  return number(config.ltoTimeout, OPT_lto_timeout);
}

void LldCommandLine::readWhy() {
  config.why.live = args.getAllArgValues(OPT_why_live);
  config.why.stack = args.getAllArgValues(OPT_why_stack);
  config.why.registers = args.getAllArgValues(OPT_why_registers);
  config.why.shared = args.getAllArgValues(OPT_why_shared);
  config.why.barriers = args.getAllArgValues(OPT_why_barriers);
}

bool LldCommandLine::readReports() {
  LldConfig &lld = config.lld;
  lld.cref = args.hasArg(OPT_cref);
  lld.trace = args.hasArg(OPT_trace);
  lld.printMap = args.hasArg(OPT_print_map);
  lld.verbose = args.hasArg(OPT_verbose);
  lld.traceSymbols = args.getAllArgValues(OPT_trace_symbol);
  readWhy();
  set(lld.mapFile, OPT_Map);
  set(lld.whyExtract, OPT_why_extract);
  set(lld.dependencyFile, OPT_dependency_file);
  set(lld.reproduce, OPT_reproduce);
  set(config.dotFile, OPT_dot_file);
  config.dumpCallGraph = args.hasArg(OPT_dump_callgraph);
  if (const Arg *arg = args.getLastArg(OPT_time_trace, OPT_time_trace_eq))
    config.timeTraceFile = arg->getOption().matches(OPT_time_trace)
                               ? config.output + ".time-trace"
                               : arg->getValue();
  config.stats = args.hasArg(OPT_stats);
  config.resources.joins = args.hasArg(OPT_join_reports);
  config.resources.files = args.getAllArgValues(OPT_resource_report);
  for (const std::string &path : config.resources.files)
    if (Error e = report::checkName(path))
      return error(DiagId::InvalidValue, {toString(std::move(e))});
  set(config.resources.baseline, OPT_baseline);
  set(config.resources.budget, OPT_budget);
  if (const Arg *arg =
          args.getLastArg(OPT_print_memory_usage, OPT_print_memory_usage_eq)) {
    lld.memoryUsage = MemoryUsageFormat::Table;
    if (arg->getOption().matches(OPT_print_memory_usage_eq) &&
        StringRef(arg->getValue()) != "table") {
      if (StringRef(arg->getValue()) != "json")
        return error(DiagId::InvalidValue,
                     {"unknown --print-memory-usage value: ",
                      StringRef(arg->getValue())});
      lld.memoryUsage = MemoryUsageFormat::JSON;
    }
  }
  if (lld.verbose && lld.memoryUsage == MemoryUsageFormat::None)
    lld.memoryUsage = MemoryUsageFormat::Table;
  config.warningsAsErrors =
      args.hasFlag(OPT_fatal_warnings, OPT_no_fatal_warnings, false);
  config.disableWarnings = args.hasArg(OPT_w);
  config.suppressStackSizeWarning =
      args.hasArg(OPT_suppress_stack_size_warning);
  config.suppressArchWarning = args.hasArg(OPT_suppress_arch_warning);
  for (const Arg *arg : args.filtered(OPT_color_diagnostics_eq))
    if (StringRef when = arg->getValue();
        when != "always" && when != "never" && when != "auto")
      return error(DiagId::InvalidValue,
                   {"unknown --color-diagnostics value: ", when});
  for (const Arg *arg : args.filtered(OPT_progress)) {
    const auto mode = parseProgressMode(arg->getValue());
    if (!mode)
      return error(DiagId::InvalidValue,
                   {"unknown --progress value: ", StringRef(arg->getValue())});
    config.progress = *mode;
  }
  return number(config.threads, OPT_threads);
}

void lld::cuda::printLldHelp(LinkJob &job) {
  StringRef program = sys::path::filename(job.config.program);
  LldOptTable().printHelp(
      job.out, (program + " [options] file...").str().c_str(),
      (program + " - links CUDA device code: cubins, fatbins, PTX, and host "
                 "objects and archives that hold fatbins")
          .str()
          .c_str(),
      /*ShowHidden=*/false, /*ShowAllAliases=*/true);
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
  std::vector<const char *> pointers;
  for (const std::string &word : words)
    pointers.push_back(word.c_str());
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

bool LldCommandLine::readErrorFormat() {
  const Arg *arg = args.getLastArg(OPT_error_format);
  if (!arg)
    return true;
  const StringRef value = arg->getValue();
  const auto format = findErrorFormat(value);
  if (!format)
    return error(DiagId::InvalidValue, {"unknown --error-format value: ", value,
                                        "; it is text, json, sarif or vs"});
  config.errorFormat = *format;
  return true;
}

bool LldCommandLine::read() {
  // How messages look comes first.
  LldConfig &lld = config.lld;
  lld.color = wantsColor(args, lld.color);
  if (!readErrorFormat())
    return false;
  lld.demangle = args.hasFlag(OPT_demangle, OPT_no_demangle, true);
  config.explain = args.hasFlag(OPT_explain, OPT_no_explain, true);
  if (!number(lld.errorLimit, OPT_error_limit) || !readRelease())
    return false;
  if (args.hasArg(OPT_help)) {
    printLldHelp(job);
    return false;
  }
  if (args.hasArg(OPT_version)) {
    printVersion(job);
    return false;
  }
  if (!checkLldOptions(job, args, table))
    return false;
  readInputs(), readContents();
  if (args.hasArg(OPT_v)) {
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
  // Of the library, or from a pipe.
  if (hasDeviceLinkOptions(expanded))
    return reportError(job, DiagId::InvalidValue,
                       {"--host-object, --fatbin and --gencode are for command "
                        "lines, and files of options that can be read twice"});
  // What --reproduce writes of nvlink's command lines.
  if (expanded.size() > 2 && StringRef(expanded[0]) == "-flavor" &&
      StringRef(expanded[1]) == "nvlink")
    return readNvlinkCommandLine(job, ArrayRef(expanded).drop_front(2));

  LldOptTable table;
  unsigned missingIndex, missingCount;
  InputArgList args = table.ParseArgs(expanded, missingIndex, missingCount);
  if (missingCount)
    return reportError(job, DiagId::ArgumentExpected,
                       {args.getArgString(missingIndex), ": missing argument"});
  return LldCommandLine(job, args, table).read();
}
