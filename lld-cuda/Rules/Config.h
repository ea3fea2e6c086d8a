//===- Config.h - What the command line asks for ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The options of one link, checked and decoded. The readers of the command
/// line (Driver.cpp, LldDriver.cpp) and the library's readOptions() fill it in
/// before the link, as a member of LinkJob; all passes read it (as
/// Inputs::config). Nobody changes it after that.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_RULES_CONFIG_H
#define LLD_CUDA_RULES_CONFIG_H

#include "Rules/ReleaseChoice.h"
#include "lld-cuda/BinaryFormat/Architectures.h"
#include "lld-cuda/Linker.h"
#include "lld-cuda/Object/Fatbin.h"
#include "lld-cuda/Support/Limits.h"
#include "lld-cuda/Support/Sandbox.h"
#include <optional>
#include <string>
#include <vector>

namespace lld::cuda {

/// Which program's command line and diagnostics the link speaks.
enum class Flavor { Nvlink, LLD };

/// What becomes of undefined symbols in a final link.
enum class UnresolvedPolicy { Error, Warn, Ignore };

enum class MemoryUsageFormat { None, Table, JSON };

/// How messages are written (--error-format).
enum class ErrorFormat : uint8_t { Text, Json, Sarif, VisualStudio };

/// Link-time optimization of LLVM bitcode.
struct LlvmLtoConfig {
  std::string level;    ///< "0" to "3"; empty: the default.
  std::string features; ///< E.g. "+ptx85".
  std::string
      partitions;   ///< How many parts regular LTO compiles by themselves.
  std::string jobs; ///< Threads of ThinLTO.
  std::string deviceLibrary;            ///< --libdevice
  std::vector<std::string> llvmOptions; ///< -mllvm
  bool saveTemps = false;
  bool emitAsm = false;
  bool emitLlvm = false;
  bool internalize = true;
};

/// What options do with symbols; see Input/SymbolControl.h.
enum class SymbolOperation : uint8_t {
#define SYMBOL_OPERATION(ID, OPTION) ID,
#include "Rules/SymbolOperations.def"
};

struct SymbolOption {
  SymbolOperation operation;
  std::string value;
};

/// What only the lld flavour's command line can ask for.
struct LldConfig {
  LlvmLtoConfig lto;
  std::vector<SymbolOption> symbolOptions; ///< In the command line's order.
  bool color = false;       ///< Messages have colours, in both flavours.
  bool demangle = true;     ///< Names in messages.
  unsigned errorLimit = 20; ///< 0: none.
  UnresolvedPolicy unresolved = UnresolvedPolicy::Error;
  bool allowMultipleDefinition = false;
  bool stripDebug = false;
  bool gcSections = true;
  bool printGcSections = false;
  std::vector<std::string> entryNames;     ///< -e
  std::vector<std::string> undefinedNames; ///< -u
  std::vector<std::string> requiredNames;  ///< --require-defined
  /// --require-kernels: a list, or a file's name with '@' in front.
  std::vector<std::string> requiredKernels;
  std::vector<std::string> options; ///< The command line without inputs.
  /// By position in Config::inputs and libraries: --whole-archive is in force.
  std::vector<bool> wholeInputs, wholeLibraries;

  bool cref = false;
  bool trace = false;
  bool printMap = false;
  bool verbose = false;
  MemoryUsageFormat memoryUsage = MemoryUsageFormat::None;
  std::vector<std::string> traceSymbols;
  std::optional<std::string> mapFile; ///< "-" is standard output.
  std::optional<std::string> whyExtract, dependencyFile, reproduce;
};

/// When the progress of a link is shown (--progress).
enum class ProgressMode {
  Auto, ///< On a terminal, once a link has taken a second.
  Yes,  ///< From the beginning, wherever messages go.
  No
};

/// --why-live and so on: patterns of names.
struct WhyPatterns {
  std::vector<std::string> live, stack, registers, shared, barriers;
  bool empty() const {
    return live.empty() && stack.empty() && registers.empty() &&
           shared.empty() && barriers.empty();
  }
};

/// -ghls: a script for the host linker, and no link.
struct HostLinkerScript {
  bool isWhole = false; ///< lcs-abs; else lcs-aug
  std::string compiler; ///< Empty: gcc.
};

/// What becomes of the resources that kernels need.
struct ResourceReportConfig {
  std::vector<std::string> files;      ///< --resource-report
  std::optional<std::string> baseline; ///< --baseline
  std::optional<std::string> budget;   ///< --budget
  bool joins = false;                  ///< --join-reports

  bool isWanted() const { return !files.empty() || budget; }
};

/// What compilers have made is kept, and taken over by later links.
struct CacheConfig {
  /// --cache-dir. None, or an empty one: nothing is kept.
  std::optional<std::string> folder;
  std::string policy; ///< --cache-policy; readCachePolicy() takes it.
  bool stats = false; ///< --cache-stats
};

/// What the process's environment says; a link looks here only.
struct Environment {
  std::string path;                  ///< PATH
  std::string libraryPath;           ///< LIBRARY_PATH
  std::vector<std::string> toolkits; ///< CUDA_HOME, CUDA_PATH
  std::string temporaryDirectory;
  std::string terminal;    ///< TERM
  std::string makeFlags;   ///< MAKEFLAGS
  std::string cacheFolder; ///< LLDCUDA_CACHE_DIR
};

struct Config {
  Flavor flavor = Flavor::Nvlink;
  LldConfig lld;
  /// Lines with ">>>" below messages, and remarks (Diagnostics.h).
  bool explain = true;
  ErrorFormat errorFormat = ErrorFormat::Text;
  std::string program;          ///< args[0]
  std::string environmentFlags; ///< LLD_CUDA_FLAGS; also among the options.
  Environment environment;
  std::string archName; ///< As given, e.g. "sm_90a".
  elf::Architecture arch;
  bool virtualArch = false; ///< compute_NN: no link is done.

  std::vector<LinkInput> inputs; ///< In order.
  /// Then names of inputs decide as they do for nvlink: suffixes what they are,
  /// and "cudadevrt" that they are taken if needed. Without one, compilers that
  /// nobody names aren't looked for.
  bool isCommandLine = true;
  std::vector<std::string> libraries; ///< -l, in order.
  std::vector<std::string> libraryPaths;
  std::string output; ///< May be empty with a virtual target.
  std::vector<std::string> optionsFiles; ///< Which the command line names.
  std::optional<std::string> registerFile;

  std::optional<HostLinkerScript> hostLinkerScript;
  std::optional<std::string> indexFile; ///< -uidx

  bool relocatable = false; ///< -r
  bool debug = false;       ///< -g: keeps dead code and shared symbols.
  bool suppressDebugInfo = false;
  bool preserveRelocs = false;
  bool isToolsPatch = false; ///< -astoolspatch
  bool forceRela = false;
  bool verbose = false; ///< -v
  bool dumpCallGraph = false;
  bool dumpCallGraphNoDemangle = false;
  std::optional<std::string> dotFile;
  std::optional<std::string> timeFile; ///< "-" is standard output.
  bool keepSystemLibraries = false;
  bool ignoreHostInfo = false;
  bool useHostInfo = false;
  bool warningsAsErrors = false;
  bool disableWarnings = false; ///< -w
  bool disableInfos = false;
  bool extraWarnings = false; ///< -extrawarn
  bool suppressStackSizeWarning = false;
  bool suppressArchWarning = false;
  bool reportArch = false;
  std::optional<std::vector<std::string>> kernelsUsed, variablesUsed;

  // Link-time optimization.
  bool lto = false;                       ///< -lto, -dlto
  bool emitPtx = false;                   ///< -emit-ptx
  std::string nvvmPath;                   ///< -nvvmpath
  bool nvvmLatest = false;                ///< -nvvm-latest
  std::vector<std::string> nvvmOptions;   ///< -Xnvvm
  std::optional<std::string> fastCompile; ///< -Ofc
  std::optional<int> splitCompileExtended;
  std::string nvJitLinkPath; ///< --nvjitlink-path: file or directory.
  std::string ltoNvlink;     ///< --lto-nvlink: for links that are LTO in part.
  unsigned ltoTimeout = 0;   ///< --lto-timeout: in seconds; 0: none.

  // For PTX that is compiled.
  int maxRegisters = 0; ///< -maxrregcount; 0: no limit.
  std::optional<int> splitCompile;
  std::optional<std::string> deviceStackProtector;
  std::vector<std::string> ptxasOptions; ///< -Xptxas
  std::string ptxasPath;                 ///< Empty: to be found.
  /// Takes ptxas's place if it is there.
  std::function<CompiledCode(const CompileRequest &)> compilePtx;
  std::string cudaPath; ///< The toolkit's folder; may be empty.
  CacheConfig cache;

  // Accepted by nvlink, absent from its --help [option-hidden].
  bool disableSmemReservation = false;
  bool enableExtendedSmem = false;
  bool reserveNullPointer = false;

  /// What is said about the rules, which are made when the inputs are read.
  ReleaseChoice release;
  // What messages need to know of the rules; releases don't differ in it.
  bool showsNamesAsTheyAre = false, saysNothingElse = false;

  /// .note.nv.tkinfo: the linker's own record.
  std::string noteFile;    ///< Base name of the output with -g, else empty.
  std::string noteCommand; ///< The given options in the note's order.
  bool isNvJitLinkNote = false; ///< It is libnvJitLink's.

  /// What inputs may be decompressed to, all together; decompressLimit().
  std::optional<uint64_t> decompressLimit;
  Limits limits;                      ///< --memory-limit, --time-limit
  std::optional<SandboxMode> sandbox; ///< --sandbox
  unsigned threads = 0;               ///< 0: as many as there are processors.
  bool stats = false;                 ///< --stats
  bool check = false;                 ///< --check
  WhyPatterns why;
  ProgressMode progress = ProgressMode::Auto;
  std::optional<std::string> timeTraceFile;
  ResourceReportConfig resources;

  bool isLld() const { return flavor == Flavor::LLD; }
  /// "-o -", which to nvlink is a file of that name.
  bool writesToStandardOutput() const { return isLld() && output == "-"; }
  /// Which kernels count while merging [kernels-used].
  bool hasKernelFilter() const { return kernelsUsed || variablesUsed; }
};

} // namespace lld::cuda

#endif
