//===- NvccCommand.cpp - Device links on nvcc's command line --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// An option is understood by its long name after two dashes or its short one
/// after one [nvcc-command]. A value follows after '=' or as the next word, or
/// at once after a name of one letter.
///
//===----------------------------------------------------------------------===//

#include "Driver/NvccCommand.h"
#include "Driver/LldDriver.h"
#include "Driver/ResponseFiles.h"
#include "Input/SharedLibraries.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
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
  LinkerOptions,
  Debug,
  NoWarnings,
  WarningsAsErrors,
  CompressMode,
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
    if (option.hasValue && StringRef("lLIDUOtm").contains(word[0]) &&
        option.shortName == word.take_front())
      return {&option, word.drop_front()};
  return {};
}

class NvccCommand {
public:
  NvccCommand(StringRef nvcc) : nvcc(nvcc) {}
  bool read(ArrayRef<const char *> words);
  bool finish();
  NvccPlan plan;

private:
  bool readOption(const NvccOption &option, StringRef value);
  bool readOptionsFiles(StringRef paths);
  bool readInput(StringRef word);
  bool addCode(StringRef name);
  bool addCodes(StringRef list);
  bool addLinkerOptions(StringRef list);
  void findDeviceRuntime();
  bool isFound(StringRef library) const;
  void addLibrary(StringRef library);
  bool handOver(const Twine &why) {
    plan.reason = why.str();
    return false;
  }

  StringRef nvcc;
  BumpPtrAllocator allocator;
  StringSaver saver{allocator};
  ResponseFileReader reader;
  unsigned nesting = 0;
  bool isDeviceLink = false, isRelocatable = false, forwardsUnknown = false;
  bool takesDeviceRuntime = true;
  StringRef arch, codes, output, unknown;
  /// `code` of all -gencode, in their order; with -arch that comes first.
  SmallVector<StringRef> targets;
  std::vector<StringRef> inputs, libraries, paths;
  std::vector<std::string> toolkitPaths;
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

/// Those that ld.cuda has, too.
bool NvccCommand::addLinkerOptions(StringRef list) {
  SmallVector<StringRef> words;
  list.split(words, ',', -1, /*KeepEmpty=*/false);
  for (StringRef word : words) {
    if (word.starts_with("-") && !isLldOption(word))
      return handOver("linker option '" + word + "'");
    options.push_back(word.str());
  }
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
  // There is nothing to take from a shared library, but for messages.
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
    return true;
  case Role::GenerateCode: {
    // arch=compute_80,code=[sm_80,sm_86]: the architecture that PTX was made
    // for is of no use for a link.
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
  case Role::LinkerOptions:
    return addLinkerOptions(value);
  case Role::Debug:
    options.push_back("-g");
    return true;
  case Role::NoWarnings:
    options.push_back("-w");
    return true;
  case Role::WarningsAsErrors:
    // Other kinds are of the compiler's warnings.
    if (is_contained(values, "all-warnings"))
      options.push_back("--fatal-warnings");
    return true;
  case Role::CompressMode:
    options.push_back(("--compress-mode=" + value).str());
    return true;
  case Role::NoCompress:
    options.push_back("--compress-mode=none");
    return true;
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
    if (!found.option) {
      if (unknown.empty())
        unknown = word;
      continue;
    }
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
  if (sys::fs::real_path(nvcc, real))
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

/// From host libraries that aren't archives there is nothing to take. Those of
/// the project are named all the same, for messages.
void NvccCommand::addLibrary(StringRef library) {
  if (isFound(library)) {
    plan.words.push_back(("-l" + library).str());
    return;
  }
  for (StringRef folder : paths)
    if (std::optional<std::string> path = findSharedLibrary(folder, library)) {
      plan.words.push_back(std::move(*path));
      return;
    }
}

bool NvccCommand::finish() {
  if (!unknown.empty() && !forwardsUnknown)
    return handOver("option '" + unknown + "'");
  if (inputs.empty())
    return handOver("no inputs");
  if (isRelocatable && !isDeviceLink)
    return handOver("option '--relocatable-link' without '--device-link'");
  if (!arch.empty()) {
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
  // Which one nvcc takes depends on its release.
  if (targets.empty())
    return handOver("no architecture to link for");
  // Several layers would each bring the device runtime to the last link.
  if (takesDeviceRuntime && !isRelocatable) {
    libraries.push_back("cudadevrt");
    findDeviceRuntime();
  }

  plan.step = isDeviceLink ? NvccStep::DeviceLink : NvccStep::FinalLink;
  plan.output =
      output.empty() ? isDeviceLink ? "a_dlink.o" : "a.out" : output.str();
  plan.words = std::move(options);
  if (isRelocatable)
    plan.words.push_back("-r");
  for (StringRef target : targets)
    plan.words.push_back(("-arch=" + target).str());
  for (StringRef path : paths)
    plan.words.push_back(("-L" + path).str());
  for (const std::string &path : toolkitPaths)
    plan.words.push_back("-L" + path);
  for (StringRef input : inputs)
    plan.words.push_back(input.str());
  for (StringRef library : libraries)
    addLibrary(library);
  return true;
}

NvccPlan lld::cuda::planNvccCommand(ArrayRef<const char *> words,
                                    StringRef nvcc) {
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
