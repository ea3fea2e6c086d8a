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

#include "LldDriver.h"
#include "Ctx.h"
#include "llvm/Option/Arg.h"
#include "llvm/Option/ArgList.h"
#include "llvm/Option/OptTable.h"
#include "llvm/Option/Option.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include <unistd.h>

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

#define PREFIX(NAME, VALUE)                                                    \
  constexpr StringLiteral NAME##_init[] = VALUE;                               \
  constexpr ArrayRef<StringLiteral> NAME(NAME##_init,                          \
                                         std::size(NAME##_init) - 1);
#include "LldOptions.inc"
#undef PREFIX

constexpr OptTable::Info infoTable[] = {
#define OPTION(...) LLVM_CONSTRUCT_OPT_INFO(__VA_ARGS__),
#include "LldOptions.inc"
#undef OPTION
};

class LldOptTable : public GenericOptTable {
public:
  LldOptTable() : GenericOptTable(infoTable) {}
};

class LldCommandLine {
public:
  LldCommandLine(Ctx &ctx, const InputArgList &args, const OptTable &table)
      : ctx(ctx), config(ctx.config), args(args), table(table) {}
  bool read();

private:
  void readInputs();
  void rememberOption(const Arg &arg);
  bool readTarget();
  bool readSymbols();
  bool readReports();
  bool readLto();
  void readContents();
  bool checkUnknown();

  bool error(const Twine &text) {
    ctx.diag.error(text);
    return false;
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
    return error("invalid argument '" + StringRef(arg->getValue()) + "' to " +
                 arg->getSpelling());
  }

  Ctx &ctx;
  Config &config;
  const InputArgList &args;
  const OptTable &table;
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

void lld::cuda::printVersion(Ctx &ctx) {
  // Build scripts take the toolkit's version from these two lines.
  if (!ctx.config.isLld() &&
      sys::path::filename(ctx.config.program) != "lld-cuda")
    ctx.out << "Cuda compilation tools, release 13.0, V13.0.88\n"
               "Build cuda_13.0.r13.0/compiler.36424714_0\n";
  ctx.out << "lld-cuda " LLDCUDA_VERSION " (compatible with nvlink 13.0.88)\n";
}

static bool wantsColor(const InputArgList &args) {
  const Arg *arg =
      args.getLastArg(OPT_color_diagnostics, OPT_color_diagnostics_eq,
                      OPT_no_color_diagnostics);
  if (arg) {
    if (arg->getOption().matches(OPT_color_diagnostics))
      return true;
    if (arg->getOption().matches(OPT_no_color_diagnostics))
      return false;
    StringRef when = arg->getValue();
    if (when == "always" || when == "never")
      return when == "always";
  }
  return ::isatty(STDERR_FILENO) &&
         sys::Process::FileDescriptorHasColors(STDERR_FILENO);
}

bool LldCommandLine::checkUnknown() {
  bool ok = true;
  for (const Arg *arg : args.filtered(OPT_UNKNOWN)) {
    std::string nearest, word = arg->getAsString(args);
    if (table.findNearest(word, nearest) <= 2)
      ok = error("unknown argument '" + word + "', did you mean '" + nearest +
                 "'");
    else
      ok = error("unknown argument '" + word + "'");
  }
  return ok;
}

void LldCommandLine::rememberOption(const Arg &arg) {
  ArgStringList words;
  arg.render(args, words);
  config.lld.options.insert(config.lld.options.end(), words.begin(),
                            words.end());
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
      config.lld.options.push_back("-o");
      config.lld.options.push_back(sys::path::filename(arg->getValue()).str());
      break;
    case OPT_L:
    case OPT_reproduce:
    case OPT_libdevice:
      break;
    case OPT_INPUT:
      config.inputs.push_back(arg->getValue());
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

/// The last of -arch, -march=, -mcpu= and -plugin-opt=mcpu= counts.
bool LldCommandLine::readTarget() {
  for (const Arg *arg : args.filtered(OPT_arch, OPT_plugin_opt)) {
    StringRef name = arg->getValue();
    if (arg->getOption().matches(OPT_plugin_opt) &&
        !name.consume_front("mcpu="))
      continue;
    config.archName = name.str();
  }
  if (config.archName.empty())
    return error("no target architecture; use -arch=sm_NN");
  StringRef name = config.archName;
  auto arch = elf::parseArchitecture(name.drop_front(name.find('_') + 1));
  if (!name.starts_with("sm_") || !arch)
    return error("unknown target architecture '" + name +
                 "'; use sm_NN, e.g. -arch=sm_90");
  config.arch = *arch;

  config.cudaPath = value(OPT_cuda_path_eq);
  config.ptxasPath = value(OPT_ptxas_path_eq);
  config.ptxasOptions = args.getAllArgValues(OPT_Xptxas);
  return number(config.maxRegisters, OPT_maxrregcount);
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
      return error("unknown --unresolved-symbols value: " + how);
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
  config.nvlinkCompat = args.hasArg(OPT_nvlink_compat);
  config.reschedule = config.nvlinkCompat || args.hasArg(OPT_reschedule);
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
    return error("invalid optimization level '" + lto.level +
                 "'; it is 0 to 3");
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
      return error("invalid number '" + *number +
                   "' for link-time optimization");
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
  return true;
}

bool LldCommandLine::readReports() {
  LldConfig &lld = config.lld;
  lld.cref = args.hasArg(OPT_cref);
  lld.trace = args.hasArg(OPT_trace);
  lld.printMap = args.hasArg(OPT_print_map);
  lld.verbose = args.hasArg(OPT_verbose);
  lld.traceSymbols = args.getAllArgValues(OPT_trace_symbol);
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
  if (const Arg *arg =
          args.getLastArg(OPT_print_memory_usage, OPT_print_memory_usage_eq)) {
    lld.memoryUsage = MemoryUsageFormat::Table;
    if (arg->getOption().matches(OPT_print_memory_usage_eq)) {
      if (StringRef(arg->getValue()) != "json")
        return error("unknown --print-memory-usage value: " +
                     StringRef(arg->getValue()));
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
  return number(config.threads, OPT_threads);
}

void lld::cuda::printLldHelp(Ctx &ctx) {
  StringRef program = sys::path::filename(ctx.config.program);
  LldOptTable().printHelp(
      ctx.out, (program + " [options] file...").str().c_str(),
      (program + " - links CUDA device code: cubins, fatbins, PTX, and host "
                 "objects and archives that hold fatbins")
          .str()
          .c_str(),
      /*ShowHidden=*/false, /*ShowAllAliases=*/true);
  ctx.out << "\nLong options may have one dash or two.\n";
  if (!ctx.config.isLld())
    ctx.out << "nvlink's options are understood, too; '" << program
            << " -flavor nvlink --help' lists them.\n";
}

bool LldCommandLine::read() {
  // How messages look comes first.
  LldConfig &lld = config.lld;
  lld.color = wantsColor(args);
  lld.demangle = args.hasFlag(OPT_demangle, OPT_no_demangle, true);
  config.explain = args.hasFlag(OPT_explain, OPT_no_explain, true);
  if (!number(lld.errorLimit, OPT_error_limit))
    return false;
  if (args.hasArg(OPT_help)) {
    printLldHelp(ctx);
    return false;
  }
  if (args.hasArg(OPT_version)) {
    printVersion(ctx);
    return false;
  }
  if (!checkUnknown())
    return false;
  readInputs();
  readContents();
  if (args.hasArg(OPT_v)) {
    printVersion(ctx);
    if (config.inputs.empty() && config.libraries.empty())
      return false;
  }
  if (!readReports() || !readSymbols() || !readTarget() || !readLto())
    return false;
  if (config.inputs.empty() && config.libraries.empty())
    return error("no input files");
  return true;
}

bool lld::cuda::readLldCommandLine(Ctx &ctx, ArrayRef<const char *> words) {
  ctx.config.flavor = Flavor::LLD;
  // --options-file F is what clang calls @F.
  SmallVector<const char *, 64> expanded;
  for (size_t i = 0; i != words.size(); ++i) {
    StringRef word = words[i];
    if (word == "--options-file" && i + 1 != words.size())
      expanded.push_back(ctx.saver.save("@" + Twine(words[++i])).data());
    else if (word.consume_front("--options-file="))
      expanded.push_back(ctx.saver.save("@" + word).data());
    else
      expanded.push_back(words[i]);
  }
  cl::ExpansionContext expansion(ctx.arena, cl::TokenizeGNUCommandLine);
  if (Error e = expansion.expandResponseFiles(expanded)) {
    ctx.diag.error(toString(std::move(e)));
    return false;
  }

  for (StringRef word : expanded)
    if (word.consume_front("@")) {
      ctx.diag.error("cannot open response file '" + word + "'");
      return false;
    }

  LldOptTable table;
  unsigned missingIndex, missingCount;
  InputArgList args = table.ParseArgs(expanded, missingIndex, missingCount);
  if (missingCount) {
    ctx.diag.error(Twine(args.getArgString(missingIndex)) +
                   ": missing argument");
    return false;
  }
  return LldCommandLine(ctx, args, table).read();
}
