//===- NvJitLink.cpp - A job for libnvJitLink, in its words ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// These functions fill in a job of lld-cuda-lto that uses libnvJitLink,
/// NVIDIA's library for link-time optimization: the paths at which the library
/// may be, the library's options that mean the same as nvlink's, and what host
/// code refers to. They also check the results: whether PTX is a whole program,
/// and whether a cubin is of the right release. LtoNvidia.cpp calls them in a
/// link with -lto, when the inputs are loaded. The library itself is only
/// loaded by lld-cuda-lto.
///
//===----------------------------------------------------------------------===//

#include "Lto/NvJitLink.h"
#include "Input/InputFiles.h"
#include "Inputs.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace lld::cuda {

/// A name without a slash would be looked for by the loader, a relative path
/// has no folders above it.
static std::string absolute(StringRef path) {
  SmallString<256> text = path;
  (void)sys::fs::make_absolute(text); // Relative if the folder is gone.
  return text.str().str();
}

/// 12.0 to 12.9 write 57 to 64, 13.0 to 13.5 65 to 67.
static unsigned toCudaMajor(unsigned version) {
  constexpr unsigned FirstOf13 = 65;
  return !version ? 0 : version < FirstOf13 ? 12 : 13;
}

std::optional<unsigned> readLtoMajor(const Inputs &inputs,
                                     ArrayRef<InputUnit *> units) {
  unsigned major = 0;
  StringRef first;
  auto refuse = [&](StringRef label, unsigned of, const Twine &other) {
    inputs.diag.report(DiagId::LtoMajor,
                       {"Input file ", diag::file(label),
                        " has LTO IR of CUDA ", of, ", which can't be linked ",
                        other.str()});
    return std::nullopt;
  };
  for (const InputUnit *unit : units)
    for (const LtoSource &source : unit->holds.ltoIR) {
      const unsigned own = toCudaMajor(source.version);
      if (own && major && own != major)
        return refuse(unit->label, own,
                      "with that of CUDA " + Twine(major) + " in '" + first +
                          "'");
      if (own && !major) {
        major = own;
        first = unit->label;
      }
    }
  const ReleaseChoice &choice = inputs.reading.choice;
  const unsigned wanted =
      choice.isFixed ? choice.request.release->toolkit / 10 : choice.cudaMajor;
  if (major && wanted && major != wanted)
    return refuse(first, major,
                  "into an image of CUDA " + Twine(wanted) +
                      "; compile it again, or choose another release");
  return major;
}

void addNvJitLinkCandidates(const Config &config, unsigned major, LtoJob &job) {
  SmallVector<StringRef, 3> names;
  if (major != 12)
    names.push_back("libnvJitLink.so.13");
  if (major != 13)
    names.push_back("libnvJitLink.so.12");
  names.push_back("libnvJitLink.so");
  auto addFrom = [&](const Twine &folder) {
    for (StringRef name : names) {
      std::string path = (folder + "/" + name).str();
      if (sys::fs::exists(path))
        job.addLibrary(path);
    }
  };
  if (!config.nvJitLinkPath.empty()) {
    if (sys::fs::is_directory(config.nvJitLinkPath))
      addFrom(config.nvJitLinkPath);
    else
      job.addLibrary(absolute(config.nvJitLinkPath));
    return;
  }
  if (!config.isCommandLine)
    return;
  StringSet<> seen;
  auto addToolkit = [&](const Twine &root) {
    std::string path = root.str();
    if (path.empty() || !seen.insert(path).second)
      return;
    for (StringRef folder :
         {"lib64", "lib", "targets/x86_64-linux/lib", "targets/sbsa-linux/lib"})
      addFrom(path + "/" + folder);
  };
  if (!config.nvvmPath.empty())
    addToolkit(config.nvvmPath + "/..");
  addToolkit(config.cudaPath);
  auto addToolkitOf = [&](StringRef program) {
    SmallString<256> real;
    addToolkit(
        sys::path::parent_path(sys::path::parent_path(absolute(program))));
    if (!sys::fs::real_path(program, real))
      addToolkit(sys::path::parent_path(sys::path::parent_path(real)));
  };
  // Those of a toolkit go together: the library may write PTX that another
  // one's ptxas doesn't know, and takes no newer LTO IR.
  if (std::string ptxas = findPtxas(config); !ptxas.empty())
    addToolkitOf(ptxas);
  for (const std::string &root : config.environment.toolkits)
    addToolkit(root);
  for (StringRef tool : {"nvcc", "nvlink"})
    if (std::string path = findInPath(config, tool); !path.empty())
      addToolkitOf(path);
  // Last, the names alone, which the loader searches for: LD_LIBRARY_PATH,
  // ld.so.conf.
  for (StringRef name : names)
    job.addLibrary(name);
}

std::string nativeArch(const Config &config) {
  return ("sm_" + StringRef(config.archName).split('_').second).str();
}

int extendedThreads(const Config &config) {
  return config.splitCompileExtended.value_or(1);
}

namespace {
/// What a module's options text may ask the library for, with 0 or 1.
struct ModuleOption {
  StringLiteral name, libraryName;
};
constexpr ModuleOption ModuleOptions[] = {{"-ftz", "-ftz"},
                                          {"-prec_div", "-prec-div"},
                                          {"-prec_sqrt", "-prec-sqrt"},
                                          {"-fmad", "-fma"}};
} // namespace

/// -Xnvvm. nvlink hands the modules' own options for floating point on only if
/// there are such options, which stand in their place, but for -prec-sqrt.
static bool addNvvmOptions(const Inputs &inputs,
                           ArrayRef<StringRef> moduleOptions,
                           bool hasFastCompile, LtoJob &job) {
  const Config &config = inputs.config;
  SmallVector<StringRef, 4> words;
  for (StringRef option : config.nvvmOptions)
    SplitString(option, words);
  if (words.empty())
    return true;
  for (StringRef word : words) {
    if (word == "-prec-sqrt=0" || word == "-prec-sqrt=1") {
      inputs.diag.report(DiagId::CompilerLog,
                         {"libnvvm : error: -prec-sqrt defined more than "
                          "onceNVVM_ERROR_INVALID_OPTION"});
      inputs.diag.report(DiagId::JitFailed, {"elfLink JIT compile failed"});
      return false;
    }
    // -g and -Ofc of the command line have been passed on already.
    if ((word == "-g" && config.debug) ||
        (word.starts_with("-Ofast-compile=") && hasFastCompile))
      continue;
    job.add({"option", ("-Xnvvm=" + word).str()});
  }
  for (StringRef word : moduleOptions) {
    const StringRef name = word.split('=').first;
    const StringRef value = word.split('=').second;
    auto known = find_if(ModuleOptions,
                         [&](const ModuleOption &o) { return o.name == name; });
    if (known == std::end(ModuleOptions) || !is_contained({"0", "1"}, value))
      continue;
    bool isReplaced = any_of(words, [&](StringRef given) {
      return given.split('=').first == known->libraryName;
    });
    if (!isReplaced)
      job.add({"option", (known->libraryName + "=" + value).str()});
  }
  return true;
}

/// The library's options that stand for ours. -Ofc and -Xnvvm aren't among
/// those that are documented; it treats them as nvlink does, messages included
/// [lto-nvvm-latest].
bool addLibraryOptions(const Inputs &inputs, ArrayRef<StringRef> moduleOptions,
                       LtoJob &job) {
  const Config &config = inputs.config;
  auto add = [&](const Twine &option) { job.add({"option", option.str()}); };
  add("-arch=" + nativeArch(config));
  add("-lto");
  add("-ptx");
  if (config.debug && !config.suppressDebugInfo)
    add("-g");
  if (config.maxRegisters > 0)
    add("-maxrregcount=" + Twine(config.maxRegisters));
  // Numbers below zero are for ptxas to refuse.
  if (int threads = extendedThreads(config); threads != 1 && threads >= 0)
    add("-split-compile-extended=" + Twine(threads));
  else if (threads = config.splitCompile.value_or(1);
           threads != 1 && threads >= 0)
    add("-split-compile=" + Twine(threads));
  bool hasFastCompile = config.fastCompile && *config.fastCompile != "0";
  if (hasFastCompile)
    add("-Ofc=" + *config.fastCompile);
  if (config.nvvmLatest)
    add("-nvvm-latest");
  return addNvvmOptions(inputs, moduleOptions, hasFastCompile, job);
}

/// What host code refers to. If it refers to any kernel, then kernels and
/// variables that it doesn't name are the optimizer's own [lto-options].
/// -kernels-used and -variables-used say the same by hand.
void addReferences(const Inputs &inputs, LtoJob &job) {
  const Config &config = inputs.config;
  auto add = [&](StringRef option, StringRef name) {
    job.add({"option", (option + name).str()});
  };
  if (config.hasKernelFilter()) {
    for (auto &[option, names] :
         {std::pair("-kernels-used=", &config.kernelsUsed),
          std::pair("-variables-used=", &config.variablesUsed)})
      if (*names)
        for (const std::string &name : **names)
          add(option, name);
    job.add({"option", "-optimize-unused-variables"});
    return;
  }
  if (config.ignoreHostInfo)
    return;
  StringSet<> kernels;
  std::vector<StringRef> kernelList, variableList;
  for (const InputFile &file : inputs.files)
    for (const InputUnit &unit : file.units) {
      if (unit.holds.ltoIR.empty())
        continue;
      for (StringRef list :
           {unit.host.kernelsExternal, unit.host.kernelsInternal})
        for (StringRef name : splitNames(list))
          // nvcc's names end before the parameters, with '*'.
          if (kernels.insert(name.split('*').first).second)
            kernelList.push_back(name.split('*').first);
      for (StringRef list :
           {unit.host.variablesExternal, unit.host.variablesInternal,
            unit.host.constantsExternal, unit.host.constantsInternal})
        for (StringRef name : splitNames(list))
          if (kernels.insert(name).second)
            variableList.push_back(name);
    }
  if (kernelList.empty())
    return;
  for (StringRef name : kernelList)
    add("-kernels-used=", name);
  for (StringRef name : variableList)
    add("-variables-used=", name);
  job.add({"option", "-optimize-unused-variables"});
}

bool checkFinalCubin(const Inputs &inputs, StringRef cubin) {
  if (!inputs.reading.choice.isFixed ||
      !inputs.reading.rules.writesOldFiles() || cubin.size() <= ELF::EI_OSABI ||
      uint8_t(cubin[ELF::EI_OSABI]) != elf::ELFOSABI_CUDA_13)
    return true;
  inputs.diag.report(DiagId::LtoMajor,
                     {"ptxas is of CUDA 13, but the image must be of CUDA ",
                      inputs.reading.rules.release().name.str(),
                      "; put a ptxas of "
                      "CUDA 12 first in PATH"});
  return false;
}

bool keepsTargetSuffix(const Inputs &inputs) {
  return StringRef(inputs.config.archName).ends_with("f")
             ? inputs.reading.rules.compilesForFamilies()
             : inputs.reading.rules.namesFullTarget();
}

std::string withPlainTarget(std::string ptx) {
  constexpr StringLiteral directive = "\n.target sm_";
  size_t at = ptx.find(directive);
  if (at == std::string::npos)
    return ptx;
  at += directive.size();
  while (at < ptx.size() && isDigit(ptx[at]))
    ++at;
  if (at < ptx.size() && isAlpha(ptx[at]))
    ptx.erase(at, 1);
  return ptx;
}

/// Functions that ptxas itself knows.
static bool isBuiltin(StringRef name) {
  return name == "vprintf" || name == "malloc" || name == "free" ||
         name == "__assertfail";
}

bool isPtxComplete(StringRef ptx, bool hadKernel) {
  bool hasKernel = hadKernel;
  for (StringRef rest = ptx, line; !rest.empty();) {
    std::tie(line, rest) = rest.split('\n');
    hasKernel |= line.starts_with(".") && line.contains(".entry ");
    if (!line.consume_front(".extern .func"))
      continue;
    line = line.ltrim();
    if (line.starts_with("("))
      line = line.split(')').second.ltrim();
    if (!isBuiltin(line.take_until([](char c) {
                         return c == ' ' || c == '(' || c == ';';
                       })
                       .rtrim()))
      return false;
  }
  return hasKernel;
}

bool isPtxLarge(StringRef ptx) {
  constexpr size_t MaxFunctions = 10;
  return ptx.count("\n{\n") > MaxFunctions;
}

} // namespace lld::cuda
