//===- DeviceLinkOptions.cpp - The command line of a device link ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// readDeviceLinkOptions() reads the command line of ld.cuda for a device link:
/// links for several architectures in one process, whose images become a fatbin
/// or a host object (rule [device-link] of docs/reference). DeviceLink.cpp
/// calls it before it starts the links. Options that a device link doesn't
/// handle itself are passed unchanged to each link. isDeviceLink() says whether
/// a command line asks for a device link; runCommandLine() in Driver.cpp calls
/// it first of all.
///
//===----------------------------------------------------------------------===//

#include "Driver/DeviceLinkOptions.h"
#include "Driver/DeviceLink.h"
#include "Driver/Driver.h"
#include "Driver/ResponseFiles.h"
#include "Driver/WordReader.h"
#include "Messages/Progress.h"
#include "lld-cuda/Resources/Report.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace lld::cuda {

namespace {

Error invalidOptions(const Twine &text) {
  return createStringError(inconvertibleErrorCode(), text);
}

/// Adds a target; a virtual one isn't linked [nvcc-virtual-targets].
void addTarget(DeviceLinkOptions &options, StringRef name) {
  if (!name.starts_with("compute_") && !name.starts_with("lto_")) {
    if (!is_contained(options.targets, name.str()))
      options.targets.push_back(name.str());
  } else if (options.virtualTarget.empty()) {
    options.virtualTarget = name.str();
  }
}

/// Reads the value of -gencode as nvcc does.
Error readGenerateCode(StringRef value, DeviceLinkOptions &options) {
  constexpr StringLiteral Code = "code=";
  const size_t at = value.find(Code);
  if (!value.starts_with("arch=") || at == StringRef::npos)
    return invalidOptions("-gencode " + value + ": expected arch=...,code=...");
  StringRef list = value.drop_front(at + Code.size()).trim("[]\"'");
  SmallVector<StringRef> names;
  list.split(names, ',');
  for (StringRef name : names) {
    if (!name.starts_with("sm_") && !name.starts_with("compute_") &&
        !name.starts_with("lto_"))
      return invalidOptions("-gencode " + value + ": '" + name +
                            "' is not a target that can be linked");
    addTarget(options, name);
  }
  return Error::success();
}

/// Whether what is to be written can be for what is to be linked.
Error checkTargets(const DeviceLinkOptions &options) {
  if (options.targets.empty() && options.virtualTarget.empty())
    return invalidOptions(
        "no architecture to link for: -arch or -gencode is missing");
  if (options.isRelocatable && options.targets.empty())
    return invalidOptions(
        "-r: nothing is linked for the virtual architecture " +
        options.virtualTarget);
  if (!options.cubin.empty() && options.targets.empty())
    return invalidOptions("-o: no image is made for the virtual architecture " +
                          options.virtualTarget);
  if (!options.cubin.empty() && options.targets.size() != 1)
    return invalidOptions("-o is for one architecture; --fatbin and "
                          "--host-object are for several");
  return Error::success();
}

/// Nothing: the next word is another option.
std::optional<Error> readLimit(WordReader &reader, Limits &limits) {
  StringRef value;
  if (reader.takeValue("memory-limit", value))
    return readMemoryLimit(value, limits);
  if (reader.takeValue("time-limit", value))
    return readTimeLimit(value, limits);
  return std::nullopt;
}

} // namespace

Expected<DeviceLinkOptions> readDeviceLinkOptions(ArrayRef<const char *> args) {
  DeviceLinkOptions options;
  options.program = args.front();
  options.flavor = flavorOf(options.program);
  WordReader reader(args.drop_front());
  while (!reader.atEnd()) {
    StringRef value;
    if (reader.takeValue("host-object", value)) {
      options.hostObject = value.str();
    } else if (reader.takeValue("fatbin", value)) {
      options.fatbin = value.str();
    } else if (reader.takeValue("register-link-binaries", value)) {
      options.registerFile = value.str();
    } else if (reader.takeValue("resource-report", value)) {
      if (Error e = report::checkName(value))
        return e;
      options.reports.push_back(value.str());
    } else if (reader.takeValue("reproduce", value)) {
      options.reproducer = value.str();
    } else if (reader.takeValue("host-target", value)) {
      options.host = value.str();
    } else if (reader.takeValue("o", value) ||
               reader.takeValue("output", value)) {
      options.cubin = value.str();
    } else if (reader.takeValue("compress-mode", value)) {
      std::optional<FatbinCompression> mode = parseFatbinCompression(value);
      if (!mode)
        return invalidOptions(
            "--compress-mode=" + value +
            ": expected default, size, speed, balance or none");
      options.compression = *mode;
    } else if (reader.takeValue("fatbin-ident", value)) {
      options.identifier = value.str();
    } else if (reader.takeValue("default-arch", value)) {
      addTarget(options, value);
      options.isDefaultTarget = true;
    } else if (reader.takeValue("threads", value)) {
      options.words.push_back(("--threads=" + value).str());
      if (value.getAsInteger(10, options.threads))
        options.threads = 0; // Each link will tell.
    } else if (std::optional<Error> e = readLimit(reader, options.limits)) {
      if (*e)
        return std::move(*e);
    } else if (reader.takeValue("progress", value)) {
      const std::optional<ProgressMode> mode = parseProgressMode(value);
      if (!mode)
        return invalidOptions("unknown --progress value: " + value);
      options.progress = *mode;
    } else if (reader.takeValue("arch", value) ||
               reader.takeValue("march", value) ||
               reader.takeValue("mcpu", value)) {
      const bool isNumber = !value.empty() && isDigit(value.front());
      SmallVector<StringRef> names;
      value.split(names, ',');
      for (StringRef name : names)
        addTarget(options, isNumber ? ("sm_" + name).str() : name.str());
    } else if (reader.takeValue("gencode", value) ||
               reader.takeValue("generate-code", value)) {
      if (Error e = readGenerateCode(value, options))
        return e;
    } else {
      const StringRef word = reader.take();
      if (word.starts_with("-o") && !word.starts_with("-op")) {
        options.cubin = word.drop_front(2).str();
        continue;
      }
      if (word.ltrim('-') == "compress-all") {
        options.compressesAll = true;
        continue;
      }
      options.words.push_back(word.str());
      options.isDebug |= word == "-g";
      options.isRelocatable |= word == "-r" || word.ltrim('-') == "relocatable";
    }
  }
  if (Error e = checkTargets(options))
    return e;
  return options;
}

Error expandWords(ArrayRef<const char *> args, StringSaver &saver,
                  SmallVectorImpl<const char *> &expanded,
                  std::vector<std::string> &files) {
  const std::string problem = expandResponseFiles(args, saver, expanded, files);
  return problem.empty() ? Error::success() : invalidOptions(problem);
}

bool isDeviceLink(ArrayRef<const char *> args) {
  if (args.empty() || sys::path::filename(args.front()).starts_with("nvlink"))
    return false;
  const ArrayRef<const char *> words = args.drop_front();
  if (hasDeviceLinkOptions(words))
    return true;
  bool hasFile = false;
  for (size_t i = 0; i != words.size(); ++i) {
    StringRef word = words[i];
    if (word == "--options-file" && i + 1 != words.size())
      word = words[++i];
    else if (!word.consume_front("@") && !word.consume_front("--options-file="))
      continue;
    hasFile = true;
    // What is in a pipe can be read only once.
    if (!sys::fs::is_regular_file(word))
      return false;
  }
  if (!hasFile)
    return false;
  BumpPtrAllocator allocator;
  StringSaver saver(allocator);
  SmallVector<const char *, 64> expanded;
  std::vector<std::string> files;
  if (Error e = expandWords(words, saver, expanded, files)) {
    consumeError(std::move(e)); // The link will tell.
    return false;
  }
  return hasDeviceLinkOptions(expanded);
}

bool hasDeviceLinkOptions(ArrayRef<const char *> words) {
  WordReader reader(words);
  while (!reader.atEnd()) {
    StringRef value;
    if (reader.takeValue("host-object", value) ||
        reader.takeValue("fatbin", value) ||
        reader.takeValue("gencode", value) ||
        reader.takeValue("generate-code", value))
      return true;
    if (reader.take() == "-flavor" && !reader.atEnd() &&
        reader.take() == "nvlink")
      return false;
  }
  return false;
}

} // namespace lld::cuda
