//===- Config.h - Options of a link, decoded --------------------*- C++ -*-===//
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

/// Whose command line and messages the link has: nvlink's or lld's.
enum class Flavor { Nvlink, LLD };

/// How undefined symbols in a final link are reported.
enum class UnresolvedPolicy { Error, Warn, Ignore };

/// The form of the report of --print-memory-usage.
enum class MemoryUsageFormat { None, Table, JSON };

/// The format of messages (--error-format).
enum class ErrorFormat : uint8_t { Text, Json, Sarif, VisualStudio };

/// Options for link-time optimization of LLVM bitcode.
struct LlvmLtoConfig {
  std::string level;    ///< "0" to "3"; empty for the default.
  std::string features; ///< E.g. "+ptx85".
  /// The number of parts into which regular LTO divides the program.
  std::string partitions;
  std::string jobs;                     ///< The number of threads of ThinLTO.
  std::string deviceLibrary;            ///< --libdevice
  std::vector<std::string> llvmOptions; ///< -mllvm
  bool saveTemps = false;
  bool emitAsm = false;
  bool emitLlvm = false;
  bool internalize = true;
};

/// What an option on symbols does with them; see Input/SymbolControl.h.
enum class SymbolOperation : uint8_t {
#define SYMBOL_OPERATION(ID, OPTION) ID,
#include "Rules/SymbolOperations.def"
};

/// An option on symbols, as it is on the command line.
struct SymbolOption {
  SymbolOperation operation;
  std::string value;
};

/// Options that only the lld flavour's command line has, and `color`, which is
/// set in both flavours.
struct LldConfig {
  LlvmLtoConfig lto;
  std::vector<SymbolOption> symbolOptions; ///< In the command line's order.
  bool color = false;                      ///< Messages have colours.
  bool demangle = true;                    ///< Names in messages are demangled.
  unsigned errorLimit = 20;                ///< 0 for no limit.
  UnresolvedPolicy unresolved = UnresolvedPolicy::Error;
  bool allowMultipleDefinition = false;
  bool stripDebug = false;
  bool gcSections = true;
  bool printGcSections = false;
  std::vector<std::string> entryNames;     ///< -e
  std::vector<std::string> undefinedNames; ///< -u
  std::vector<std::string> requiredNames;  ///< --require-defined
  /// --require-kernels: each is a list, or "@" with the name of a file.
  std::vector<std::string> requiredKernels;
  std::vector<std::string> options; ///< The command line without inputs.
  /// Whether --whole-archive applies, indexed like Config::inputs and
  /// Config::libraries.
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

/// The name patterns that --why-live, --why-stack and so on are given.
struct WhyPatterns {
  std::vector<std::string> live, stack, registers, shared, barriers;
  bool empty() const {
    return live.empty() && stack.empty() && registers.empty() &&
           shared.empty() && barriers.empty();
  }
};

/// -ghls: the link is replaced by writing a script for the host linker.
struct HostLinkerScript {
  bool isWhole = false; ///< The value is lcs-abs, not lcs-aug.
  std::string compiler; ///< The host compiler; if empty, gcc.
};

/// Options for reports of the resources that kernels need.
struct ResourceReportConfig {
  std::vector<std::string> files;      ///< --resource-report
  std::optional<std::string> baseline; ///< --baseline
  std::optional<std::string> budget;   ///< --budget
  bool joins = false;                  ///< --join-reports

  bool isWanted() const { return !files.empty() || budget; }
};

/// Options for the cache of what compilers have made, which later links reuse.
struct CacheConfig {
  /// --cache-dir. Nothing is cached if there is none, or an empty one.
  std::optional<std::string> folder;
  std::string policy; ///< --cache-policy, as readCachePolicy() parses it.
  bool stats = false; ///< --cache-stats
};

/// The environment variables that a link uses. Drivers fill it in; a link never
/// reads the process's environment.
struct Environment {
  std::string path;                  ///< PATH
  std::string libraryPath;           ///< LIBRARY_PATH
  std::vector<std::string> toolkits; ///< CUDA_HOME and CUDA_PATH
  std::string temporaryDirectory;    ///< TMPDIR and the like, or /tmp.
  std::string terminal;              ///< TERM
  std::string makeFlags;             ///< MAKEFLAGS
  std::string cacheFolder;           ///< LLDCUDA_CACHE_DIR
};

/// Comments that consist of an option say that the member has its value.
struct Config {
  Flavor flavor = Flavor::Nvlink;
  LldConfig lld;
  /// Messages have explanations (lines with ">>>"), and there are remarks; see
  /// Diagnostics.h.
  bool explain = true;
  ErrorFormat errorFormat = ErrorFormat::Text;
  std::string program; ///< args[0] of the command line.
  /// LLD_CUDA_FLAGS; its options are also among the others.
  std::string environmentFlags;
  Environment environment;
  std::string archName; ///< As given, e.g. "sm_90a".
  elf::Architecture arch;
  /// The target is compute_NN: inputs are read, but nothing is linked.
  bool virtualArch = false;

  std::vector<LinkInput> inputs; ///< In the command line's order.
  /// The options come from a command line, not from the library. Then, as with
  /// nvlink, the suffix of an input's name says what it contains, an input
  /// named cudadevrt is linked only if needed, and compilers are searched for
  /// where no option names them.
  bool isCommandLine = true;
  std::vector<std::string> libraries;    ///< -l, in the command line's order.
  std::vector<std::string> libraryPaths; ///< -L
  std::string output; ///< May be empty with a virtual target.
  std::vector<std::string> optionsFiles;   ///< The response files.
  std::optional<std::string> registerFile; ///< --register-link-binaries

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
  /// --lto-nvlink: NVIDIA's nvlink, for links of which only a part is LTO IR.
  std::string ltoNvlink;
  unsigned ltoTimeout = 0; ///< --lto-timeout in seconds; 0 for none.

  // Options for compiling PTX.
  int maxRegisters = 0; ///< -maxrregcount; 0 for no limit.
  std::optional<int> splitCompile;
  std::optional<std::string> deviceStackProtector;
  std::vector<std::string> ptxasOptions; ///< -Xptxas
  std::string ptxasPath;                 ///< If empty, ptxas is searched for.
  /// Compiles PTX instead of ptxas, if it isn't empty.
  std::function<CompiledCode(const CompileRequest &)> compilePtx;
  std::string cudaPath; ///< The toolkit's folder, or empty.
  CacheConfig cache;

  // Options that nvlink accepts but doesn't list in its --help (rule
  // [option-hidden] of docs/reference).
  bool disableSmemReservation = false;
  bool enableExtendedSmem = false;
  bool reserveNullPointer = false;

  /// What the options say about the nvlink release whose rules the link
  /// follows. The rules are in Inputs; settleRules() settles them.
  ReleaseChoice release;
  // The answers of LinkRules that messages depend on. They are the same for all
  // releases, so they are known before the rules are settled.
  bool showsNamesAsTheyAre = false, saysNothingElse = false;

  // The linker's own record in .note.nv.tkinfo.
  std::string noteFile;    ///< Base name of the output with -g, else empty.
  std::string noteCommand; ///< The given options in the note's order.
  bool isNvJitLinkNote = false; ///< The record is as libnvJitLink makes it.

  /// The number of bytes to which all inputs together may be decompressed. If
  /// nullopt, decompressLimit() says it.
  std::optional<uint64_t> decompressLimit;
  Limits limits;                      ///< --memory-limit, --time-limit
  std::optional<SandboxMode> sandbox; ///< --sandbox
  unsigned threads = 0;               ///< 0 for one for each processor.
  /// How many bytes of input make a link large, if the options say it. With 0
  /// each loop is worth threads that has more than a few items.
  std::optional<uint64_t> minParallel;
  /// If not 0: loops take their items in an order that this number decides.
  unsigned shuffleSeed = 0;
  bool stats = false; ///< --stats
  bool check = false; ///< --check
  WhyPatterns why;
  ProgressMode progress = ProgressMode::Auto;
  std::optional<std::string> timeTraceFile;
  ResourceReportConfig resources;

  bool isLld() const { return flavor == Flavor::LLD; }
  /// Returns whether the output is written to standard output: in the lld
  /// flavour for "-o -". nvlink writes a file named "-".
  bool writesToStandardOutput() const { return isLld() && output == "-"; }
  /// Returns whether options say which kernels are kept [kernels-used].
  bool hasKernelFilter() const { return kernelsUsed || variablesUsed; }
};

} // namespace lld::cuda

#endif
