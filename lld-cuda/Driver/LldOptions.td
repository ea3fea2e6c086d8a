//===- LldOptions.td - The lld flavour's command line ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Options of ld.cuda. Long names may have one dash or two, as in other ld
// programs. Options without a help text are accepted because compiler drivers
// pass them, and have no effect here.
//
//===----------------------------------------------------------------------===//

include "llvm/Option/OptParser.td"

class Flag1<string name>: Flag<["-"], name>;
class Long<string name>: Flag<["--", "-"], name>;

// --name=value and --name value.
multiclass Value<string name, string metavar, string help> {
  def NAME: Separate<["--", "-"], name>;
  def NAME # _eq: Joined<["--", "-"], name # "=">, Alias<!cast<Separate>(NAME)>,
                  HelpText<help>, MetaVarName<metavar>;
}

// --name and --no-name.
multiclass OnOff<string name, string on, string off> {
  def NAME: Long<name>, HelpText<on>;
  def no_ # NAME: Long<"no-" # name>, HelpText<off>;
}

// Accepted without effect.
multiclass IgnoredValue<string name> {
  def NAME: Separate<["--", "-"], name>;
  def NAME # _eq: Joined<["--", "-"], name # "=">, Alias<!cast<Separate>(NAME)>;
}

// The order of the titles is that of the groups' names.
def grp_inputs: OptionGroup<"inputs">, HelpText<"INPUTS AND OUTPUTS">;
def grp_target: OptionGroup<"target">, HelpText<"TARGET">;
def grp_symbols: OptionGroup<"symbols">, HelpText<"SYMBOLS">;
def grp_contents: OptionGroup<"contents">, HelpText<"CONTENTS OF THE OUTPUT">;
def grp_reports: OptionGroup<"reports">, HelpText<"REPORTS">;
def grp_ignored: OptionGroup<"zz">, HelpText<"ACCEPTED WITHOUT EFFECT">;
def grp_lto: OptionGroup<"lto">, HelpText<"LINK-TIME OPTIMIZATION">;
def grp_messages: OptionGroup<"messages">, HelpText<"MESSAGES">;

//--- Inputs and outputs -----------------------------------------------------

let Group = grp_inputs in {

def o: JoinedOrSeparate<["-"], "o">, MetaVarName<"<file>">,
  HelpText<"Write the output to this file">;
def output: Joined<["--"], "output=">, Alias<o>, MetaVarName<"<file>">;
def L: JoinedOrSeparate<["-"], "L">, MetaVarName<"<dir>">,
  HelpText<"Search this directory for libraries, before $LIBRARY_PATH">;
def library_path: Joined<["--"], "library-path=">, Alias<L>, MetaVarName<"<dir>">;
def l: JoinedOrSeparate<["-"], "l">, MetaVarName<"<name>">,
  HelpText<"Link lib<name>.a; with -l:<file> that file">;
def library: Joined<["--"], "library=">, Alias<l>, MetaVarName<"<name>">;
def r: Flag1<"r">, HelpText<"Write an object that can be linked again">;
def relocatable: Long<"relocatable">, Alias<r>;
def register_link_binaries: Joined<["--", "-"], "register-link-binaries=">,
  MetaVarName<"<file>">,
  HelpText<"Write the list of registration functions for crt/link.stub">;
defm host_object: Value<"host-object", "<file>",
  "Write an object for the host program: the images of all architectures, and what registers them">;
defm host_target: Value<"host-target", "<triple>",
  "What that object is for (default: as the inputs)">;
defm fatbin: Value<"fatbin", "<file>",
  "Write the images of all architectures into a fatbin">;
defm compress_mode: Value<"compress-mode", "<mode>",
  "How its images are compressed: default, size, speed, balance or none">;
def compress_all: Long<"compress-all">,
  HelpText<"Compress all of them, not only those for debugging and the largest">;
defm fatbin_ident: Value<"fatbin-ident", "<text>",
  "What its images are said to be made of, as nvcc has it with -lineinfo and -G">;
def whole_archive: Long<"whole-archive">,
  HelpText<"Take all members of the archives that follow">;
def no_whole_archive: Long<"no-whole-archive">,
  HelpText<"Take members with cubins only when they define something needed (default); host objects are always taken">;
defm options_file: Value<"options-file", "<file>",
  "Read further options from this file; the same as @<file>">;

} // inputs

//--- Target -----------------------------------------------------------------

let Group = grp_target in {

def arch: Separate<["--", "-"], "arch">;
def arch_eq: Joined<["--", "-"], "arch=">, Alias<arch>,
  MetaVarName<"<sm_NN>">, HelpText<"Target architecture, e.g. sm_90">;
defm gencode: Value<"gencode", "arch=compute_NN,code=sm_NN",
  "Target architectures as nvcc takes them; it and -arch may be given several times">;
def default_arch_eq: Joined<["--", "-"], "default-arch=">,
  MetaVarName<"<sm_NN>">,
  HelpText<"The same, if the caller chose it because nobody did; messages say so">;
def march_eq: Joined<["--", "-"], "march=">, Alias<arch>;
def mcpu_eq: Joined<["--", "-"], "mcpu=">, Alias<arch>;
def m: JoinedOrSeparate<["-"], "m">;
def plugin_opt: Joined<["--", "-"], "plugin-opt=">, MetaVarName<"mcpu=<sm_NN>">,
  HelpText<"As compiler drivers give the target architecture">;
defm plugin: IgnoredValue<"plugin">;
def O: Joined<["-"], "O">;
def cuda_path_eq: Joined<["--", "-"], "cuda-path=">, MetaVarName<"<dir>">,
  HelpText<"CUDA toolkit, where ptxas is looked for">;
def ptxas_path_eq: Joined<["--", "-"], "ptxas-path=">, MetaVarName<"<file>">,
  HelpText<"ptxas, which compiles PTX">;
// As clang 19 spells it.
def pxtas_path_eq: Joined<["--", "-"], "pxtas-path=">, Alias<ptxas_path_eq>,
  Flags<[HelpHidden]>;
defm Xptxas: Value<"Xptxas", "<option>", "Option for ptxas">;
defm maxrregcount: Value<"maxrregcount", "<n>",
  "Registers per thread at most, for PTX that is compiled">;

} // target

//--- Link-time optimization -------------------------------------------------

let Group = grp_lto in {

def lto_O: Joined<["--", "-"], "lto-O">, MetaVarName<"<0-3>">,
  HelpText<"How much bitcode is optimized (2; ptxas: 3)">;
defm feature: Value<"feature", "<+ptxNN>",
  "Version of PTX that is made of bitcode">;
defm lto_partitions: Value<"lto-partitions", "<n>",
  "Make code in this many threads; functions of different parts aren't inlined into each other afterwards">;
defm thinlto_jobs: Value<"thinlto-jobs", "<n>", "Threads of ThinLTO">;
defm libdevice: Value<"libdevice", "<file>",
  "Device library (libdevice.10.bc), taken as far as it is needed">;
defm lto_internalize: OnOff<"lto-internalize",
  "Functions that only bitcode refers to are the optimizer's own (default)",
  "Keep functions of default visibility">;
def lto_emit_asm: Long<"lto-emit-asm">,
  HelpText<"Write the PTX that is made of bitcode, and stop">;
def lto_emit_llvm: Long<"lto-emit-llvm">,
  HelpText<"Write the optimized bitcode, and stop">;
def save_temps: Long<"save-temps">,
  HelpText<"Keep what link-time optimization makes, beside the output">;
defm mllvm: Value<"mllvm", "<option>", "Option of LLVM's">;
def lto: Long<"lto">,
  HelpText<"Take NVIDIA's LTO IR from inputs that have it">;
def dlto: Long<"dlto">, Alias<lto>;
defm nvvmpath: Value<"nvvmpath", "<dir>",
  "NVVM's folder in the toolkit, beside which libnvJitLink is looked for">;
defm nvjitlink_path: Value<"nvjitlink-path", "<path>",
  "libnvJitLink, which compiles NVIDIA's LTO IR, or its folder">;
defm lto_nvlink: Value<"lto-nvlink", "<file>",
  "NVIDIA's nvlink, for links in which only a part is LTO IR">;
defm lto_timeout: Value<"lto-timeout", "<seconds>",
  "How long a run of lld-cuda-lto may take; 0 (default): no limit">;

} // lto

//--- Symbols ----------------------------------------------------------------

let Group = grp_symbols in {

def e: JoinedOrSeparate<["-"], "e">, MetaVarName<"<kernel>">,
  HelpText<"Keep only this kernel and those of other -e, and what they use">;
def entry: Separate<["--", "-"], "entry">, Alias<e>;
def entry_eq: Joined<["--", "-"], "entry=">, Alias<e>, MetaVarName<"<kernel>">;
def u: JoinedOrSeparate<["-"], "u">, MetaVarName<"<symbol>">,
  HelpText<"Keep this function although nobody refers to it">;
def undefined: Separate<["--", "-"], "undefined">, Alias<u>;
def undefined_eq: Joined<["--", "-"], "undefined=">, Alias<u>, MetaVarName<"<symbol>">;
defm require_defined: Value<"require-defined", "<symbol>",
  "The same, and an error if it isn't defined">;
defm unresolved_symbols: Value<"unresolved-symbols", "<how>",
  "Undefined symbols are errors (report-all, default) or left to the driver's loader (ignore-all)">;
def warn_unresolved_symbols: Long<"warn-unresolved-symbols">,
  HelpText<"Undefined symbols are warnings">;
def error_unresolved_symbols: Long<"error-unresolved-symbols">,
  HelpText<"Undefined symbols are errors (default)">;
def allow_multiple_definition: Long<"allow-multiple-definition">,
  HelpText<"Of several definitions of a symbol the first one wins">;
def z: JoinedOrSeparate<["-"], "z">, MetaVarName<"muldefs">,
  HelpText<"The same as --allow-multiple-definition">;
defm demangle: OnOff<"demangle", "Show C++ names in messages (default)",
  "Show names as they are in the objects">;

} // symbols

//--- What goes into the output ----------------------------------------------

let Group = grp_contents in {

defm gc_sections: OnOff<"gc-sections",
  "Leave out functions that no kernel reaches (default)",
  "Keep all functions">;
def print_gc_sections: Long<"print-gc-sections">,
  HelpText<"List the functions that are left out">;
def g: Flag1<"g">, HelpText<"Link for debugging">;
def S: Flag1<"S">, HelpText<"Leave out debug information">;
def strip_debug: Long<"strip-debug">, Alias<S>;
def s: Flag1<"s">, Alias<S>;
def strip_all: Long<"strip-all">, Alias<S>;
defm kernels_used: Value<"kernels-used", "<name>,...",
  "Keep only kernels whose names contain one of these">;
def ignore_host_info: Long<"ignore-host-info">,
  HelpText<"Keep kernels that the host code doesn't refer to">;
def keep_system_libraries: Long<"keep-system-libraries">,
  HelpText<"Link the device runtime library even if unused">;
def preserve_relocs: Long<"preserve-relocs">,
  HelpText<"Keep resolved relocations in the output">;
def reschedule: Long<"reschedule">,
  HelpText<"Allocate the scoreboards of kernels without calls anew (sm_100 on)">;
def nvlink_compat: Long<"nvlink-compat">,
  HelpText<"Write what nvlink would, its mistakes included (-r)">;
defm nvlink_release: Value<"nvlink-release", "<release>",
  "Link by the rules of this release of nvlink, e.g. 13.5.37, 13.5 or newest (default: inputs)">;
defm newer_inputs: Value<"newer-inputs", "warn|error",
  "What to do about inputs of a toolkit newer than all known releases">;
defm cuda_major: Value<"cuda-major", "12|13",
  "Write images of this major release of CUDA when the inputs choose the release">;

} // contents

//--- Reports ----------------------------------------------------------------

let Group = grp_reports in {

def Map: Separate<["--", "-"], "Map">;
def Map_eq: Joined<["--", "-"], "Map=">, Alias<Map>, MetaVarName<"<file>">,
  HelpText<"Write a map of the output to this file ('-': standard output)">;
def print_map: Long<"print-map">, HelpText<"Print a map of the output">;
def M: Flag1<"M">, Alias<print_map>;
def cref: Long<"cref">,
  HelpText<"Print which files define and use each symbol">;
def print_memory_usage: Long<"print-memory-usage">,
  HelpText<"Print what memory each kernel uses">;
def print_memory_usage_eq: Joined<["--", "-"], "print-memory-usage=">,
  MetaVarName<"json">, HelpText<"The same as JSON">;
def trace: Long<"trace">, HelpText<"Print the names of the input files">;
def t: Flag1<"t">, Alias<trace>;
defm trace_symbol: Value<"trace-symbol", "<symbol>",
  "Print where this symbol is defined and used">;
def y: JoinedOrSeparate<["-"], "y">, Alias<trace_symbol>, MetaVarName<"<symbol>">;
defm why_extract: Value<"why-extract", "<file>",
  "Write why members of archives were taken ('-': standard output)">;
defm why_live: Value<"why-live", "<symbol>",
  "Print why these functions are in the output, or aren't">;
defm why_stack: Value<"why-stack", "<kernel>",
  "Print which calls make the stack of these kernels">;
defm why_registers: Value<"why-registers", "<kernel>",
  "Print from where these kernels have their registers">;
defm why_shared: Value<"why-shared", "<kernel>",
  "Print what lies in the shared memory of these kernels, and who uses it">;
defm why_barriers: Value<"why-barriers", "<kernel>",
  "Print from where these kernels have their barriers">;
defm resource_report: Value<"resource-report", "<file>",
  "Write what each kernel needs to this file (.json, .html)">;
defm baseline: Value<"baseline", "<file>",
  "An earlier --resource-report (.json) that the report compares with">;
defm budget: Value<"budget", "<file>",
  "Limits for what kernels need (.toml, .json); more is an error">;
def join_reports: Long<"join-reports">,
  HelpText<"Link nothing: the inputs are reports (.json), of which --resource-report makes one">;
defm dependency_file: Value<"dependency-file", "<file>",
  "Write a Makefile rule with all input files">;
defm reproduce: Value<"reproduce", "<tar>",
  "Write a tar file with all inputs and the command line">;
def dump_callgraph: Long<"dump-callgraph">, HelpText<"Print the call graph">;
defm dot_file: Value<"dot-file", "<file>",
  "Write the call graph for Graphviz">;
def time_trace: Long<"time-trace">,
  HelpText<"Write where the time goes, for chrome://tracing">;
def time_trace_eq: Joined<["--", "-"], "time-trace=">, MetaVarName<"<file>">,
  HelpText<"The same, to this file">;
def stats: Long<"stats">,
  HelpText<"Print counts and the time of each stage of the link">;
def verbose: Long<"verbose">,
  HelpText<"Print the input files and the memory that each kernel uses">;

} // reports

//--- Messages ---------------------------------------------------------------

let Group = grp_messages in {

defm error_limit: Value<"error-limit", "<n>",
  "Stop after this many errors (20; 0: never)">;
def color_diagnostics: Long<"color-diagnostics">,
  HelpText<"Messages in colour">;
def color_diagnostics_eq: Joined<["--", "-"], "color-diagnostics=">,
  MetaVarName<"auto|always|never">,
  HelpText<"Messages in colour (auto: on a terminal)">;
def no_color_diagnostics: Long<"no-color-diagnostics">,
  HelpText<"Messages without colour">;
defm error_format: Value<"error-format", "text|json|sarif|vs",
  "Messages as text (default), as JSON objects, as a SARIF log, or for Visual "
  "Studio">;
defm explain: OnOff<"explain",
  "Explain errors in lines that begin with >>> (default)",
  "No explanations">;
defm progress: Value<"progress", "auto|yes|no",
  "Show how far a long link is, in a line that goes at the end (auto: on a "
  "terminal)">;
defm fatal_warnings: OnOff<"fatal-warnings", "Warnings are errors",
  "Warnings are warnings (default)">;
def w: Flag1<"w">, HelpText<"No warnings">;
def no_warnings: Long<"no-warnings">, Alias<w>;
def suppress_stack_size_warning: Long<"suppress-stack-size-warning">,
  HelpText<"No warning when the stack size of a kernel can't be determined">;
def suppress_arch_warning: Long<"suppress-arch-warning">,
  HelpText<"No warning when an input has no code for the target">;
def help: Long<"help">, HelpText<"Print this text">;
def h: Flag1<"h">, Alias<help>;
def version: Long<"version">, HelpText<"Print the version and stop">;
def V: Flag1<"V">, Alias<version>;
def v: Flag1<"v">, HelpText<"Print the version">;
defm threads: Value<"threads", "<n>",
  "Use this many threads (default: all processors for large links)">;

} // messages

//--- Accepted ---------------------------------------------------------------

// Device images export nothing to each other, and archives are searched until
// nothing is found any more.
let Group = grp_ignored in {
def exclude_libs: Separate<["--", "-"], "exclude-libs">;
def exclude_libs_eq: Joined<["--", "-"], "exclude-libs=">, Alias<exclude_libs>,
  MetaVarName<"<lib>,...">,
  HelpText<"Symbols are never visible in other images">;
def start_group: Long<"start-group">,
  HelpText<"Archives are searched as often as it takes">;
def end_group: Long<"end-group">,
  HelpText<"The same">;
}
def start_group_paren: Flag<["-"], "(">;
def end_group_paren: Flag<["-"], ")">;
def as_needed: Long<"as-needed">;
def no_as_needed: Long<"no-as-needed">;
def build_id: Long<"build-id">;
def build_id_eq: Joined<["--", "-"], "build-id=">;
def hash_style: Joined<["--", "-"], "hash-style=">;
def eh_frame_hdr: Long<"eh-frame-hdr">;
def shared: Long<"shared">;
def pie: Long<"pie">;
def no_pie: Long<"no-pie">;
def static: Long<"static">;
def Bstatic: Flag1<"Bstatic">;
def Bdynamic: Flag1<"Bdynamic">;
def no_undefined: Long<"no-undefined">;
def lto_: Joined<["--", "-"], "lto-">;
def thinlto: Joined<["--", "-"], "thinlto">;
defm host_ccbin: IgnoredValue<"host-ccbin">;
defm cpu_arch: IgnoredValue<"cpu-arch">;
