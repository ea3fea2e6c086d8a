//===- NvccCommand.cpp - Device links on nvcc's command line --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// planNvccCommand() reads a command line of nvcc and says whether ld.cuda can
/// do its device link, and with which words. The program that takes nvcc's
/// place calls it for each command (tools/lld-cuda/Nvcc.cpp, RunReplaced.cpp),
/// and whatever isn't understood is left to the real nvcc, so an unknown option
/// is never an error here.
///
/// An option has its long name after two dashes or its short one after one, and
/// its value after '=', in the next word, or directly after some names of one
/// letter: --output-file=a.o, -o a.o, -lcudart, -t4 [nvcc-command].
///
//===----------------------------------------------------------------------===//

#include "Driver/NvccCommand.h"
#include "Driver/Driver.h"
#include "Driver/LldDriver.h"
#include "Driver/Options.h"
#include "Driver/ResponseFiles.h"
#include "Input/SharedLibraries.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Allocator.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/StringSaver.h"
#include <cstdlib>
#include <optional>

using namespace llvm;
using namespace lld::cuda;

namespace {

enum class Role {
  Ignore,
  HandOver,
  DeviceLink,
  Relocatable,
  Output,
  OptionsFile,
  Arch,
  Code,
  GenerateCode,
  Library,
  LibraryPath,
  DeviceRuntime,
  HostRuntime,
  LinkerOptions,
  Debug,
  LineInfo,
  NoWarnings,
  WarningsAsErrors,
  CompressMode,
  FatbinOptions,
  NoCompress,
  ForwardUnknown
};

struct NvccOption {
  StringLiteral longName, shortName;
  bool hasValue;
  Role role;
};

constexpr NvccOption optionTable[] = {
#define NVCC_OPTION(LONG, SHORT, HAS_VALUE, ROLE)                              \
  {LONG, SHORT, HAS_VALUE, Role::ROLE},
#include "Driver/NvccOptions.def"
};

constexpr StringLiteral hostWords[] = {
#define NVCC_HOST_WORD(WORD) WORD,
#include "Driver/NvccOptions.def"
};

constexpr Opt leftNvlinkOptions[] = {
#define NVLINK_OPTION_LEFT(OPTION) Opt::OPTION,
#include "Driver/NvccOptions.def"
};

constexpr Opt differentOptions[] = {
#define NVLINK_OPTION_DIFFERS(OPTION) Opt::OPTION,
#include "Driver/NvccOptions.def"
};

/// Returns the architecture for which nvcc of a major release links by default,
/// or "" if that isn't known.
StringRef defaultArch(unsigned major) {
#define NVCC_DEFAULT_ARCH(MAJOR, ARCH)                                         \
  if (major == MAJOR)                                                          \
    return ARCH;
#include "Driver/NvccOptions.def"
  return "";
}

bool isHostWord(StringRef word) {
  return any_of(hostWords, [&](StringRef known) {
    return known.ends_with(",") ? word.starts_with(known) : word == known;
  });
}

/// What a word says: an option of the table, and its value if that is in it.
struct FoundOption {
  const NvccOption *option = nullptr;
  std::optional<StringRef> value;
};

FoundOption findOption(StringRef word) {
  const bool isLong = word.consume_front("--");
  if (!isLong)
    word.consume_front("-");
  auto [name, value] = word.split('=');
  const bool hasEqual = name.size() != word.size();
  for (const NvccOption &option : optionTable)
    if (name == (isLong ? option.longName : option.shortName) &&
        (option.hasValue || !hasEqual))
      return {&option, hasEqual ? std::optional(value) : std::nullopt};
  if (isLong || word.size() < 2)
    return {};
  for (const NvccOption &option : optionTable)
    if (option.hasValue && option.shortName == word.take_front() &&
        (StringRef("lLIDU").contains(word[0]) ||
         // -t4, but -tilebc is an option of nvcc 13.3.
         (StringRef("Otm").contains(word[0]) && isDigit(word[1]))))
      return {&option, word.drop_front()};
  return {};
}

class NvccCommand {
public:
  explicit NvccCommand(const NvccProgram &nvcc) : nvcc(nvcc) {}
  bool read(ArrayRef<const char *> words);
  bool finish();
  NvccPlan plan;

private:
  bool readOption(const NvccOption &option, StringRef value);
  bool readOptionsFiles(StringRef paths);
  bool readInput(StringRef word);
  bool addCode(StringRef name);
  bool addCodes(StringRef list);
  bool checkLinkerWords();
  bool addFatbinOption(StringRef word);
  bool chooseTargets();
  void findDeviceRuntime();
  bool isFound(StringRef library) const;
  void addLibrary(StringRef library);
  void addInput(StringRef input);
  void writePlan();
  bool handOver(const Twine &why) {
    plan.reason = why.str();
    return false;
  }

  const NvccProgram &nvcc;
  BumpPtrAllocator allocator;
  StringSaver saver{allocator};
  ResponseFileReader reader;
  unsigned nesting = 0;
  bool isDeviceLink = false, isRelocatable = false, forwardsUnknown = false;
  bool takesDeviceRuntime = true, warningsAreErrors = false;
  bool isUncompressed = false;
  bool isIdentified = false; ///< The image says what it was made of.
  bool isArchSaid = false, isDefaultArch = false;
  StringRef arch, codes, output, hostWord;
  /// `code` of all -gencode, in their order; with -arch that comes first.
  SmallVector<StringRef> targets;
  std::vector<StringRef> inputs, libraries, paths;
  std::vector<std::string> toolkitPaths;
  std::vector<StringRef> linkerWords; ///< After -Xnvlink.
  std::vector<std::string> options;
};

} // namespace

/// Code for a JIT compiler isn't made by a device link: nvcc passes over it.
bool NvccCommand::addCode(StringRef name) {
  if (name.starts_with("compute_"))
    return true;
  if (!name.starts_with("sm_"))
    return handOver("code '" + name + "'");
  if (!is_contained(targets, name))
    targets.push_back(name);
  return true;
}

/// [sm_80,sm_90], or the same without brackets or with quotes.
bool NvccCommand::addCodes(StringRef list) {
  SmallVector<StringRef> names;
  list.trim("[]\"").split(names, ',', -1, /*KeepEmpty=*/false);
  return all_of(names, [&](StringRef name) { return addCode(name.trim()); });
}

/// What stands after -Xnvlink, and in the environment, is nvlink's. Options
/// that ld.cuda alone has make the link one of ld.cuda's, where some words mean
/// something else: all of them have to be its own then.
bool NvccCommand::checkLinkerWords() {
  SmallVector<const char *, 0> words;
  for (StringRef word : linkerWords)
    words.push_back(saver.save(word).data());
  const size_t own = words.size();
  cl::TokenizeGNUCommandLine(readEnvironmentFlags(), saver, words);
  StringRef onlyOfNvlink, onlyOfLld;
  for (size_t i = 0; i != words.size(); ++i) {
    const StringRef word = words[i];
    if (!word.starts_with("-"))
      continue;
    const OptionWord read = readOptionWord(word);
    if (i < own && is_contained(leftNvlinkOptions, read.option))
      return handOver("linker option '" + word + "'");
    const bool isLld = isLldOption(word);
    if (read.option == Opt::Count && !isLld) {
      // nvlink reports an unknown option in its own words.
      if (i < own)
        return handOver("linker option '" + word + "'");
      continue;
    }
    if (read.option == Opt::Count)
      onlyOfLld = word;
    else if (!isLld || is_contained(differentOptions, read.option))
      onlyOfNvlink = word;
    if (!read.takesNext)
      continue;
    // The value would be nvcc's next option for nvlink, which isn't known here.
    if (i + 1 == own || i + 1 == words.size())
      return handOver("linker option '" + word + "' without a value");
    ++i;
  }
  plan.isLld = !onlyOfLld.empty();
  if (plan.isLld && !onlyOfNvlink.empty())
    return handOver("linker options '" + onlyOfNvlink + "' and '" + onlyOfLld +
                    "'");
  return true;
}

/// Reads an option that nvcc passes on to fatbinary (-Xfatbin).
bool NvccCommand::addFatbinOption(StringRef word) {
  StringRef name = word;
  if (name.consume_front("-"))
    name.consume_front("-");
  if (name == "compress-all")
    options.push_back("--compress-all");
  else if (name.consume_front("compress-mode="))
    options.push_back(("--compress-mode=" + name).str());
  else
    return handOver("fatbinary option '" + word + "'");
  return true;
}

bool NvccCommand::readOptionsFiles(StringRef list) {
  SmallVector<StringRef> files;
  list.split(files, ',', -1, /*KeepEmpty=*/false);
  for (StringRef path : files) {
    std::string text;
    if (nesting == 16 || reader.read(path, /*isText=*/true, text))
      return handOver("options file '" + path + "'");
    SmallVector<const char *, 0> words;
    cl::TokenizeGNUCommandLine(text, saver, words);
    if (!reader.addWords(words.size()))
      return handOver("options file '" + path + "'");
    ++nesting;
    if (!read(words))
      return false;
    --nesting;
  }
  return true;
}

/// A compilation is nvcc's own, and so is what has to be compiled first.
bool NvccCommand::readInput(StringRef word) {
  StringRef extension = sys::path::extension(word);
  if (!is_contained({".o", ".obj", ".a", ".lib", ".so", ".cubin", ".fatbin"},
                    extension))
    return handOver("input '" + word + "'");
  // Shared libraries are passed on for messages only: nothing is linked.
  inputs.push_back(word);
  return true;
}

bool NvccCommand::readOption(const NvccOption &option, StringRef value) {
  SmallVector<StringRef> values;
  value.split(values, ',', -1, /*KeepEmpty=*/false);
  switch (option.role) {
  case Role::Ignore:
    return true;
  case Role::HandOver:
    return handOver(Twine("option '--") + option.longName + "'");
  case Role::DeviceLink:
    isDeviceLink = true;
    return true;
  case Role::Relocatable:
    isRelocatable = true;
    return true;
  case Role::Output:
    output = value;
    return true;
  case Role::OptionsFile:
    return readOptionsFiles(value);
  case Role::Arch:
    arch = value;
    return true;
  case Role::Code:
    codes = value;
    return isArchSaid = true;
  case Role::GenerateCode: {
    // arch=compute_80,code=[sm_80,sm_86]: the architecture that PTX was made
    // for is of no use for a link.
    isArchSaid = true;
    auto [before, code] = value.split("code=");
    return code.empty() ? handOver("code '" + value + "'") : addCodes(code);
  }
  case Role::Library:
    libraries.insert(libraries.end(), values.begin(), values.end());
    return true;
  case Role::LibraryPath:
    paths.insert(paths.end(), values.begin(), values.end());
    return true;
  case Role::DeviceRuntime:
    takesDeviceRuntime = value != "none";
    return true;
  case Role::HostRuntime:
    // Without one nvcc refuses device links.
    return value != "none" || handOver("option '--cudart=none'");
  case Role::LinkerOptions:
    linkerWords.insert(linkerWords.end(), values.begin(), values.end());
    return true;
  case Role::Debug:
    options.push_back("-g");
    return isIdentified = true;
  case Role::LineInfo:
    return isIdentified = true;
  case Role::NoWarnings:
    options.push_back("-w");
    return true;
  case Role::WarningsAsErrors:
    // Other kinds are of the compiler's warnings.
    warningsAreErrors |= is_contained(values, "all-warnings");
    return true;
  case Role::CompressMode:
    options.push_back(("--compress-mode=" + value).str());
    return true;
  case Role::FatbinOptions:
    return all_of(values,
                  [&](StringRef word) { return addFatbinOption(word); });
  case Role::NoCompress:
    return isUncompressed = true;
  case Role::ForwardUnknown:
    forwardsUnknown = true;
    return true;
  }
  llvm_unreachable("all roles are covered");
}

bool NvccCommand::read(ArrayRef<const char *> words) {
  for (size_t i = 0; i != words.size(); ++i) {
    StringRef word = words[i];
    if (!word.starts_with("-") || word == "-") {
      if (!readInput(word))
        return false;
      continue;
    }
    FoundOption found = findOption(word);
    if (!found.option && isHostWord(word)) {
      hostWord = word;
      continue;
    }
    if (!found.option)
      return handOver("option '" + word + "'");
    if (found.option->hasValue && !found.value) {
      if (++i == words.size())
        return handOver("option '" + word + "' without a value");
      found.value = words[i];
    }
    if (!readOption(*found.option, found.value.value_or("")))
      return false;
  }
  return true;
}

/// nvcc's profile names the folder of the target's libraries.
void NvccCommand::findDeviceRuntime() {
  SmallString<128> real;
  if (sys::fs::real_path(nvcc.path, real))
    return;
  StringRef root = sys::path::parent_path(sys::path::parent_path(real));
  for (StringRef folder : {"/lib64", "/lib", "/targets/x86_64-linux/lib",
                           "/targets/sbsa-linux/lib", "/../../x86_64-linux-gnu",
                           "/../../aarch64-linux-gnu"}) {
    std::string path = (root + folder).str();
    if (!sys::fs::exists(path + "/libcudadevrt.a"))
      continue;
    toolkitPaths.push_back(std::move(path));
    return;
  }
}

bool NvccCommand::isFound(StringRef library) const {
  auto isIn = [&](StringRef folder) {
    return sys::fs::exists(folder + "/lib" + library + ".a");
  };
  SmallVector<StringRef> others;
  const char *environment = std::getenv("LIBRARY_PATH");
  StringRef(environment ? environment : "").split(others, ':', -1, false);
  return any_of(paths, isIn) || any_of(toolkitPaths, isIn) ||
         any_of(others, isIn);
}

/// nvlink passes over libraries that aren't there, and says so when something
/// is missed. For ld.cuda that is an error: it is given those that are there,
/// and the project's shared ones, which messages name.
void NvccCommand::addLibrary(StringRef library) {
  if (!plan.isLld || isFound(library)) {
    plan.words.push_back(("-l" + library).str());
    return;
  }
  for (StringRef folder : paths)
    if (std::optional<std::string> path = findSharedLibrary(folder, library)) {
      plan.words.push_back(std::move(*path));
      return;
    }
}

/// @file is a file of options for ld.cuda, and a file for nvcc.
void NvccCommand::addInput(StringRef input) {
  plan.words.push_back(((input.starts_with("@") ? "./" : "") + input).str());
}

bool NvccCommand::chooseTargets() {
  if (!arch.empty()) {
    if (!codes.empty() && !arch.starts_with("compute_"))
      return handOver("-code with -arch=" + arch); // An error.
    // What -code lists comes in opposite order, before all -gencode.
    SmallVector<StringRef> generated = std::move(targets), listed;
    targets.clear();
    codes.split(listed, ',', -1, /*KeepEmpty=*/false);
    std::reverse(listed.begin(), listed.end());
    if (codes.empty())
      listed.push_back(arch);
    listed.append(generated);
    if (!all_of(listed, [&](StringRef name) { return addCode(name); }))
      return false;
  }
  if (targets.empty() && arch.empty() && !isArchSaid) {
    isDefaultArch = true;
    if (StringRef name = defaultArch(nvcc.major); !name.empty())
      targets.push_back(name);
  }
  // Which one nvcc takes depends on its release.
  return !targets.empty() || handOver("no architecture to link for");
}

void NvccCommand::writePlan() {
  plan.step = isDeviceLink ? NvccStep::DeviceLink : NvccStep::FinalLink;
  plan.output =
      output.empty() ? isDeviceLink ? "a_dlink.o" : "a.out" : output.str();
  plan.words = std::move(options);
  if (warningsAreErrors)
    plan.words.push_back(plan.isLld ? "--fatal-warnings"
                                    : "--warning-as-error");
  for (StringRef word : linkerWords)
    plan.words.push_back(word.str());
  // This option overrules all others about compression.
  if (isUncompressed)
    plan.words.push_back("--compress-mode=none");
  if (isRelocatable)
    plan.words.push_back("-r");
  for (StringRef target : targets)
    plan.words.push_back(
        ((isDefaultArch ? "--default-arch=" : "-arch=") + target).str());
  // nvcc passes this option to nvlink if there are several architectures.
  if (targets.size() > 1 && !plan.isLld)
    plan.words.push_back("-report-arch");
  if (isIdentified) {
    std::string names;
    for (StringRef input : inputs)
      names += (input + " ").str();
    plan.words.push_back("--fatbin-ident=" + names);
  }
  for (StringRef path : paths)
    plan.words.push_back(("-L" + path).str());
  for (const std::string &path : toolkitPaths)
    plan.words.push_back("-L" + path);
  for (StringRef input : inputs)
    addInput(input);
  for (StringRef library : libraries)
    addLibrary(library);
}

bool NvccCommand::finish() {
  if (!hostWord.empty() && !forwardsUnknown)
    return handOver("option '" + hostWord + "'");
  if (inputs.empty())
    return handOver("no inputs");
  if (isRelocatable && !isDeviceLink)
    return handOver("option '--relocatable-link' without '--device-link'");
  if (!chooseTargets() || !checkLinkerWords())
    return false;
  // Several layers would each bring the device runtime to the last link.
  if (takesDeviceRuntime && !isRelocatable) {
    libraries.push_back("cudadevrt");
    findDeviceRuntime();
  }
  writePlan();
  return true;
}

NvccPlan lld::cuda::planNvccCommand(ArrayRef<const char *> words,
                                    const NvccProgram &nvcc) {
  NvccCommand command(nvcc);
  for (const char *name : {"NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS"})
    if (const char *flags = std::getenv(name); flags && *flags) {
      command.plan.reason = std::string("$") + name;
      return std::move(command.plan);
    }
  if (command.read(words))
    command.finish();
  return std::move(command.plan);
}
