//===- Driver.cpp - From the command line to a finished link --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// link() is the library's entry point. Before it opens a file it checks the
/// command line in nvlink's order, which decides which of several mistakes is
/// told (spec: inputs, section 1.3; addendum, section 2.1).
///
//===----------------------------------------------------------------------===//

#include "Driver.h"
#include "Ctx.h"
#include "HostLinkerScript.h"
#include "LldDriver.h"
#include "Options.h"
#include "OutputFile.h"
#include "Passes.h"
#include "Reports.h"
#include "lld-cuda/Linker.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include <unistd.h>

using namespace llvm;
using namespace lld::cuda;

static StringRef baseName(StringRef path) {
  return path.drop_front(path.rfind('/') + 1);
}

/// Any name is nvlink's but those under which lld and clang look for a linker.
Flavor lld::cuda::flavorOf(StringRef programPath) {
  StringRef name = baseName(programPath);
  return name.contains("ld.cuda") || name.contains("clang-nvlink-wrapper")
             ? Flavor::LLD
             : Flavor::Nvlink;
}

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

/// Fills `config` without checking anything. Until this is called no option
/// changes how messages look: the parser's own warnings are not affected by
/// -Werror, -disable-infos or -report-arch.
static void fillConfig(const ParsedOptions &options, Config &config) {
  config.archName = options.value(Opt::Arch);
  StringRef arch = config.archName;
  config.virtualArch = arch.starts_with("compute_");
  if (auto parsed = elf::parseArchitecture(arch.split('_').second))
    config.arch = *parsed;

  config.inputs = options.inputs();
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
  config.forceRela = options.given(Opt::ForceRela);
  config.verbose = options.given(Opt::Verbose);
  config.dumpCallGraph = options.given(Opt::DumpCallgraph);
  config.dumpCallGraphNoDemangle = options.given(Opt::DumpCallgraphNoDemangle);
  config.keepSystemLibraries = options.given(Opt::KeepSystemLibraries);
  config.ignoreHostInfo = options.given(Opt::IgnoreHostInfo);
  config.useHostInfo = options.given(Opt::UseHostInfo);
  config.warningsAsErrors = options.given(Opt::WarningAsError);
  // nvlink accepts it only.
  config.disableWarnings =
      options.given(Opt::DisableWarnings) && !options.given(Opt::NvlinkCompat);
  config.disableInfos = options.given(Opt::DisableInfos);
  config.extraWarnings = options.given(Opt::ExtraWarnings);
  config.suppressStackSizeWarning =
      options.given(Opt::SuppressStackSizeWarning);
  config.suppressArchWarning = options.given(Opt::SuppressArchWarning);
  config.reportArch = options.given(Opt::ReportArch);
  config.maxRegisters = options.number(Opt::MaxRegCount);
  if (options.given(Opt::SplitCompile))
    config.splitCompile = options.number(Opt::SplitCompile);
  config.lto = options.given(Opt::LinkTimeOpt) || options.given(Opt::Dlto);
  config.emitPtx = options.given(Opt::EmitPtx);
  if (options.given(Opt::NvvmPath))
    config.nvvmPath = options.value(Opt::NvvmPath);
  config.nvvmOptions = options.values(Opt::Xnvvm);
  setOptionalString(options, Opt::OfastCompile, config.fastCompile);
  if (options.given(Opt::SplitCompileExtended))
    config.splitCompileExtended = options.number(Opt::SplitCompileExtended);
  if (options.given(Opt::NvJitLinkPath))
    config.nvJitLinkPath = options.value(Opt::NvJitLinkPath);
  if (options.given(Opt::LtoNvlink))
    config.ltoNvlink = options.value(Opt::LtoNvlink);
  setOptionalString(options, Opt::DeviceStackProtector,
                    config.deviceStackProtector);
  config.ptxasOptions = options.values(Opt::Xptxas);
  config.disableSmemReservation = options.isTrue(Opt::DisableSmemReservation);
  config.enableExtendedSmem = options.isTrue(Opt::EnableExtendedSmem);
  config.reserveNullPointer = options.given(Opt::ReserveNullPointer);

  if (options.given(Opt::DecompressLimit))
    config.decompressLimits.maxSize =
        uint64_t(std::max(0, options.number(Opt::DecompressLimit))) << 20;
  config.stats = options.given(Opt::Stats);
  setOptionalString(options, Opt::TimeTrace, config.timeTraceFile);
  // Nothing reads a negative number as anything.
  config.threads = std::max(0, options.number(Opt::Threads));
  config.nvlinkCompat = options.given(Opt::NvlinkCompat);
  config.reschedule = config.nvlinkCompat || options.given(Opt::Reschedule);
  config.nvlinkNote = config.nvlinkCompat || options.given(Opt::NvlinkNote);
  config.explain = options.given(Opt::Explain) ||
                   (!options.given(Opt::NoExplain) && !config.nvlinkNote);
  config.lld.demangle = !options.given(Opt::NoDemangle);
  if (options.hasVerboseNote())
    config.noteFile = baseName(config.output).str();
  config.noteCommand = options.noteCommand();
}

/// Options that exclude each other, in nvlink's order. Null if all is well.
static const char *findConflict(const ParsedOptions &options) {
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
  if (given(Opt::OfastCompile) && !lto)
    return "Conflicting options '--Ofast-compile' and 'no -dlto'";
  if (lto && !given(Opt::NvvmPath))
    return "-nvvmpath should be specified with -lto";
  if (given(Opt::OfastCompile) &&
      !is_contained({"0", "min", "mid", "max"},
                    options.value(Opt::OfastCompile)))
    return "Invalid argument for option '--Ofast-compile'";
  return nullptr;
}

/// -ghls: no link is done.
static bool makeHostLinkerScript(Ctx &ctx, const ParsedOptions &options) {
  if (!options.inputs().empty())
    ctx.diag.fatal("Input files are not allowed with -ghls option; use --help "
                   "for more information");
  else
    writeHostLinkerScript(
        ctx, options.value(Opt::GenHostLinkerScript) == "lcs-abs",
        options.value(Opt::HostCcbin), options.value(Opt::OutputFile));
  return false;
}

/// Nobody outside NVIDIA knows what is in such a file; nvlink refuses all that
/// anybody could make.
static bool refuseIndexFile(Ctx &ctx, const std::string &path) {
  OpenedFile file = openFile(ctx, path);
  if (!file.buffer)
    ctx.diag.fatal("Could not open input file '" + path + "'");
  else if (file.buffer->getBufferSize() == 0)
    ctx.diag.fatal("Could not read file '" + path + "'");
  else
    ctx.diag.fatal("'-uidx' is not supported: the format of index files is not "
                   "public");
  return false;
}

bool lld::cuda::addTimes(Ctx &ctx, StringRef lines) {
  if (!ctx.config.timeFile || ctx.disableOutput)
    return true;
  constexpr StringLiteral header =
      "source file name , phase name , phase input files , phase output file , "
      "arch , tool, metric , unit\n";
  const std::string &path = *ctx.config.timeFile;
  if (path == "-") {
    ctx.out << (lines.empty() ? StringRef(header) : lines);
    return true;
  }
  std::error_code ec;
  raw_fd_ostream os(path, ec, sys::fs::CD_OpenAlways, sys::fs::FA_Write,
                    sys::fs::OF_Append);
  if (ec) {
    ctx.diag.fatal("Cannot open file '" + path + "'");
    return false;
  }
  uint64_t size = 0;
  if (!sys::fs::file_size(path, size) && size == 0)
    os << header;
  os << lines;
  os.flush();
  os.clear_error();
  return true;
}

/// One line for each piece of PTX that was compiled; nothing else takes time
/// worth telling (spec: inputs, section 7.3).
static void addCompileTimes(Ctx &ctx) {
  std::string lines;
  raw_string_ostream os(lines);
  for (const InputFile &file : ctx.inputs) {
    for (const InputUnit &unit : file.units) {
      bool isFile = unit.kind == ContentKind::PTX;
      for (double time : unit.compileTimes)
        os << (isFile ? StringRef(unit.label) : "ptx") << " , ptxas , "
           << unit.label << (isFile ? " ,  , " : " , cubin , ")
           << ctx.config.archName << " , nvlink , " << format("%.4f", time)
           << " , ms\n";
    }
  }
  if (!lines.empty())
    addTimes(ctx, lines);
}

bool lld::cuda::readCommandLine(Ctx &ctx, ArrayRef<const char *> args) {
  StringRef program = args.empty() ? "" : args.front();
  ctx.config.flavor = flavorOf(program);
  ctx.config.program = program.str();
  args = args.drop_front(!args.empty());
  bool isFlavorGiven = args.size() > 1 && StringRef(args[0]) == "-flavor";
  if (isFlavorGiven) {
    StringRef name = args[1];
    if (name != "lld" && name != "nvlink") {
      ctx.diag.fatal("unknown flavor '" + name + "'; use lld or nvlink");
      return false;
    }
    ctx.config.flavor = name == "lld" ? Flavor::LLD : Flavor::Nvlink;
    args = args.drop_front(2);
  }
  if (ctx.config.isLld())
    return readLldCommandLine(ctx, args);

  ParsedOptions options;
  // An option that nvlink rejects and ld.cuda has makes lld-cuda ld.cuda.
  if (!isFlavorGiven && baseName(program) == "lld-cuda")
    options.setForeignTest(isLldOption);
  if (!options.parse(args, ctx.diag))
    return options.foundForeign() && readLldCommandLine(ctx, args);
  if (options.given(Opt::Help)) {
    if (!isFlavorGiven && baseName(program) == "lld-cuda")
      printLldHelp(ctx);
    else
      printHelp(ctx.out, baseName(program));
    return false;
  }
  if (options.given(Opt::Version)) {
    printVersion(ctx);
    return false;
  }
  if (options.given(Opt::GenHostLinkerScript))
    return makeHostLinkerScript(ctx, options);

  Config &config = ctx.config;
  fillConfig(options, config);
  auto fatal = [&](const Twine &text) {
    ctx.diag.fatal(text);
    return false;
  };
  bool nativeArch = StringRef(config.archName).starts_with("sm_");
  if (!options.given(Opt::Arch)) {
    config.reportArch = false;
    return fatal("Unknown arch name '(null)'");
  }
  if (nativeArch && !options.given(Opt::OutputFile))
    return fatal("Must specify output file with -o option");
  if (config.inputs.empty())
    return fatal("No input files specified; use option --help for more "
                 "information");
  if (const char *text = findConflict(options))
    return fatal(text);
  if (!nativeArch && !config.virtualArch)
    return fatal("Link target of '" + config.archName +
                 "' is virtual target that is not JIT-able; use 'sm_' target "
                 "instead");
  if (options.given(Opt::UidxFile))
    return refuseIndexFile(ctx, options.value(Opt::UidxFile));
  if (config.useHostInfo && config.hasKernelFilter())
    ctx.diag.info("ignore -use-host-info because -kernels-used or "
                  "-variables-used is specified");
  if (config.preserveRelocs && config.arch.number >= 90)
    ctx.diag.warning("Option '--preserve-relocs' is not fully implemented for "
                     "gpu archtecture '" +
                     config.archName + "' and may not work as expected");
  return addTimes(ctx, {});
}

static void runLink(Ctx &ctx, ArrayRef<const char *> args) {
  if (!readCommandLine(ctx, args))
    return;
  if (ctx.config.stats || ctx.config.timeTraceFile)
    ctx.stages.enable();
  ctx.stages.begin("read inputs");
  loadInputs(ctx);
  if (ctx.config.timeFile)
    addCompileTimes(ctx);
  reportInputs(ctx);
  if (!ctx.diag.stopped() && ctx.config.lto) {
    ctx.stages.begin("link-time optimization");
    optimizeNvidiaIR(ctx);
  }
  if (!ctx.diag.stopped() && ctx.config.isLld())
    optimizeBitcode(ctx);
  // Here errors can only be warnings under -Werror; they leave no output.
  if (ctx.diag.exitStatus())
    return;
  // A virtual target has nothing to link; its inputs are checked all the same.
  if (!ctx.config.virtualArch && !ctx.outputDone)
    linkInputs(ctx);
  if (!ctx.diag.stopped() && ctx.config.registerFile)
    writeRegisterFile(ctx);
  if (!ctx.diag.stopped() && ctx.config.dotFile && !ctx.outputDone)
    writeDotFile(ctx);
  reportStats(ctx);
}

bool lld::cuda::link(ArrayRef<const char *> args, raw_ostream &out,
                     raw_ostream &err, bool exitEarly, bool disableOutput) {
  return link(args, out, err, exitEarly, disableOutput, InputMode::Map);
}

bool lld::cuda::link(ArrayRef<const char *> args, raw_ostream &out,
                     raw_ostream &err, bool exitEarly, bool disableOutput,
                     InputMode inputs) {
  Ctx ctx(out, err);
  ctx.copyInputs = inputs == InputMode::Read;
  ctx.disableOutput = disableOutput;
  ctx.ownsProcess = exitEarly;
  runLink(ctx, args);
  reportCutOffInputs(ctx); // Of links that ended early.
  out.flush();
  // Nobody else would see that what was printed is incomplete.
  if (exitEarly && outs().has_error())
    ctx.diag.fatal("Internal error: writing file");
  ctx.diag.finish();
  int status = ctx.diag.exitStatus();
  err.flush();
  // Freeing what a large link has built takes time that nobody needs.
  if (exitEarly)
    _exit(status);
  return status == 0;
}
