//===- OutputNames.cpp - Outputs that would destroy something -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// These functions report an error if two outputs of a link are one file, or if
/// one is an input, whatever path or link names it: nvlink would write one over
/// the other and exit with 0. readInputs() in Link.cpp calls checkOutputNames()
/// first of all and checkOutputsAgainstInputs() when the inputs are loaded,
/// before anything is written. In nvlink's flavour the image may replace an
/// input, since build systems may do that and the result is right. Devices and
/// pipes may be named any number of times.
///
//===----------------------------------------------------------------------===//

#include "Input/InputFiles.h"
#include "Input/ObjectFile.h"
#include "Inputs.h"
#include "Passes.h"
#include "lld-cuda/Support/FileIdentity.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace lld::cuda;

namespace {

struct NamedOutput {
  StringRef path;
  bool isImage;
  std::optional<FileIdentity> file; ///< Nothing for devices and pipes.
};

} // namespace

static SmallVector<NamedOutput, 4> listOutputs(const Config &config) {
  SmallVector<NamedOutput, 4> outputs;
  auto add = [&](const std::optional<std::string> &path) {
    if (path && *path != "-")
      outputs.push_back({*path, false, std::nullopt});
  };
  if (!config.output.empty() && !config.writesToStandardOutput())
    outputs.push_back({config.output, true, std::nullopt});
  const LldConfig &lld = config.lld;
  for (const std::optional<std::string> *path :
       {&config.registerFile, &config.dotFile, &config.timeFile,
        &config.timeTraceFile, &lld.mapFile, &lld.whyExtract,
        &lld.dependencyFile, &lld.reproduce})
    add(*path);
  for (const std::string &path : config.resources.files)
    if (path != "-")
      outputs.push_back({path, false, std::nullopt});
  return outputs;
}

std::vector<std::string> lld::cuda::listOutputPaths(const Config &config) {
  std::vector<std::string> paths;
  for (const NamedOutput &output : listOutputs(config))
    paths.push_back(output.path.str());
  return paths;
}

static bool refuse(const Inputs &inputs, MessageParts parts) {
  inputs.diag.report(Diagnostic(
      DiagId::OutputOverwrites,
      inputs.config.isLld() ? Severity::Error : Severity::Fatal, parts));
  return false;
}

static bool refuseInput(const Inputs &inputs, const NamedOutput &output,
                        StringRef input) {
  return refuse(inputs, {"Output file ", diag::file(output.path),
                         " is the input ", diag::file(input)});
}

bool lld::cuda::checkOutputNames(const Inputs &inputs) {
  SmallVector<NamedOutput, 4> outputs = listOutputs(inputs.config);
  if (outputs.size() < 2)
    return true;
  // Two outputs that stay in memory, as a device link's do, differ by name.
  if (outputs.size() == 2 && inputs.job.outputs == OutputMode::Memory &&
      outputs[0].path != outputs[1].path)
    return true;
  for (NamedOutput &output : outputs)
    output.file = identifyFile(output.path);
  for (size_t i = 0; i != outputs.size(); ++i)
    for (size_t j = i + 1; j != outputs.size(); ++j)
      if (outputs[i].file && outputs[i].file == outputs[j].file)
        return refuse(inputs,
                      {"Output files ", diag::file(outputs[i].path), " and ",
                       diag::file(outputs[j].path), " are the same file"});
  // The file of -time is written to before inputs are opened, so check it now.
  const std::optional<std::string> &timeFile = inputs.config.timeFile;
  if (!timeFile)
    return true;
  for (const NamedOutput &output : outputs)
    if (output.path.data() == timeFile->data() && output.file)
      for (const LinkInput &input : inputs.config.inputs)
        if (identifyFile(input.path) == output.file)
          return refuseInput(inputs, output, input.path);
  return true;
}

bool lld::cuda::checkOutputsAgainstInputs(const Inputs &inputs) {
  if (inputs.job.outputs != OutputMode::Files)
    return true;
  const Config &config = inputs.config;
  for (NamedOutput &output : listOutputs(config)) {
    if (output.isImage && !config.isLld())
      continue;
    output.file = identifyFile(output.path);
    // A file that doesn't exist yet is no input.
    if (!output.file || !output.file->name.empty())
      continue;
    for (const std::string &path : config.optionsFiles)
      if (identifyFile(path) == output.file)
        return refuseInput(inputs, output, path);
    for (const OptionFile &option : inputs.optionFiles)
      if (option.file.id == output.file->id)
        return refuseInput(inputs, output, option.path);
    for (const InputFile &input : inputs.files) {
      if (input.buffer && input.id == output.file->id)
        return refuseInput(inputs, output, input.path);
      for (const InputUnit &unit : input.units)
        if (unit.buffer && unit.buffer->id() == output.file->id)
          return refuseInput(inputs, output, unit.label);
    }
  }
  return true;
}
