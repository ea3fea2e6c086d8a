//===- HostLinkerScript.cpp - -ghls: scripts for the host linker ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// writeHostLinkerScript() writes a linker script that makes the host linker
/// keep the sections with device code together: three lines to be added to the
/// linker's own script (-ghls=lcs-aug), or that script with these lines
/// (lcs-abs). runLink() in Link.cpp calls it in place of a link. The linker's
/// own script is what `ld --verbose` prints when it gets those words of the
/// host compiler's link command that choose between ld's scripts, such as -pie
/// [host-linker-script].
///
//===----------------------------------------------------------------------===//

#include "Input/Compilers.h"
#include "Inputs.h"
#include "Output/SaveFile.h"
#include "Passes.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace lld::cuda;

static constexpr StringLiteral Sections =
    "SECTIONS\n"
    "{\n"
    "\t.nvFatBinSegment : { *(.nvFatBinSegment) }\n"
    "\t__nv_relfatbin : { *(__nv_relfatbin) } \n"
    "\t.nv_fatbin : { *(.nv_fatbin) }\n"
    "}\n";

/// Returns what a program on PATH prints on both streams, or nothing if it
/// fails.
static std::optional<std::string>
capture(const Config &config, StringRef program, ArrayRef<std::string> args) {
  std::string path = findInPath(config, program);
  TemporaryDirectory directory;
  if (path.empty() || directory.create(config.environment.temporaryDirectory))
    return std::nullopt;
  ToolResult result = runTool(directory, "host", path, args);
  if (result.status != 0)
    return std::nullopt;
  return result.output;
}

/// The words of the compiler's link line that choose a script. A compiler that
/// can't be asked has none.
static SmallVector<std::string, 4> scriptOptions(const Config &config,
                                                 StringRef compiler) {
  SmallVector<std::string, 4> options;
  std::string text =
      capture(config, compiler, {"-###", "/dev/null", "-m64"}).value_or("");
  SmallVector<StringRef> lines;
  StringRef(text).split(lines, '\n');
  for (StringRef line : lines) {
    if (!line.contains("collect2"))
      continue;
    SmallVector<StringRef> words;
    line.split(words, ' ', -1, /*KeepEmpty=*/false);
    for (size_t i = 0; i != words.size(); ++i) {
      if (words[i] == "-m" && i + 1 != words.size())
        options.append({"-m", words[i + 1].str()});
      if (words[i] == "-pie" || words[i] == "-static-pie")
        options.push_back("-pie");
    }
  }
  return options;
}

/// ld prints its script between two lines of '='.
static std::optional<std::string> defaultScript(const Config &config,
                                                StringRef compiler) {
  SmallVector<std::string, 4> options = scriptOptions(config, compiler);
  SmallVector<std::string, 5> words{"--verbose"};
  words.append(options.begin(), options.end());
  std::optional<std::string> text = capture(config, "ld", words);
  if (!text)
    return std::nullopt;
  constexpr StringLiteral Ruler = "\n======";
  auto [head, rest] = StringRef(*text).split(Ruler);
  auto [script, tail] = rest.split(Ruler);
  if (tail.empty())
    return std::nullopt;
  return script.split('\n').second.str() + "\n";
}

void lld::cuda::writeHostLinkerScript(const Inputs &inputs) {
  const HostLinkerScript &wanted = *inputs.config.hostLinkerScript;
  std::string text;
  if (wanted.isWhole) {
    std::optional<std::string> script = defaultScript(
        inputs.config, wanted.compiler.empty() ? "gcc" : wanted.compiler);
    if (!script)
      return inputs.diag.report(DiagId::HostLinkerScriptFailed,
                                {"Host linker script creation failed."});
    text = std::move(*script);
  }
  text += Sections;
  if (inputs.config.output.empty())
    inputs.out << text;
  else
    saveFile(inputs, inputs.config.output, std::move(text));
}
