//===- HostLinkerScript.cpp - -ghls: scripts for the host linker ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A script that makes the host linker keep the sections with device code
/// together: three lines to be added to the linker's own script (lcs-aug), or
/// that script with them (lcs-abs). The latter is what `ld --verbose` prints,
/// with those words of the compiler's link that choose between ld's scripts
/// (spec: inputs, section 7.5; test/nvlink-options/host-linker-script.test).
///
//===----------------------------------------------------------------------===//

#include "HostLinkerScript.h"
#include "Ctx.h"
#include "OutputFile.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"

using namespace llvm;
using namespace lld::cuda;

static constexpr StringLiteral Sections =
    "SECTIONS\n"
    "{\n"
    "\t.nvFatBinSegment : { *(.nvFatBinSegment) }\n"
    "\t__nv_relfatbin : { *(__nv_relfatbin) } \n"
    "\t.nv_fatbin : { *(.nv_fatbin) }\n"
    "}\n";

/// What a program on PATH prints on both streams; nothing if it fails.
static std::optional<std::string> capture(StringRef program,
                                          ArrayRef<StringRef> args) {
  ErrorOr<std::string> path = sys::findProgramByName(program);
  SmallString<128> file;
  if (!path || sys::fs::createTemporaryFile("lld-cuda", "txt", file))
    return std::nullopt;
  FileRemover remover(file);
  SmallVector<StringRef, 8> words{*path};
  words.append(args.begin(), args.end());
  std::optional<StringRef> redirects[] = {StringRef(), file.str(), file.str()};
  if (sys::ExecuteAndWait(*path, words, std::nullopt, redirects))
    return std::nullopt;
  auto buffer = MemoryBuffer::getFile(file);
  if (!buffer)
    return std::nullopt;
  return (*buffer)->getBuffer().str();
}

/// The words of the compiler's link line that choose a script. A compiler that
/// can't be asked has none.
static SmallVector<std::string, 4> scriptOptions(StringRef compiler) {
  SmallVector<std::string, 4> options;
  std::string text =
      capture(compiler, {"-###", "/dev/null", "-m64"}).value_or("");
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
static std::optional<std::string> defaultScript(StringRef compiler) {
  SmallVector<std::string, 4> options = scriptOptions(compiler);
  SmallVector<StringRef, 5> words{"--verbose"};
  words.append(options.begin(), options.end());
  std::optional<std::string> text = capture("ld", words);
  if (!text)
    return std::nullopt;
  constexpr StringLiteral Ruler = "\n======";
  auto [head, rest] = StringRef(*text).split(Ruler);
  auto [script, tail] = rest.split(Ruler);
  if (tail.empty())
    return std::nullopt;
  return script.split('\n').second.str() + "\n";
}

void lld::cuda::writeHostLinkerScript(Ctx &ctx, bool isWhole, StringRef ccbin,
                                      StringRef output) {
  std::string text;
  if (isWhole) {
    std::optional<std::string> script =
        defaultScript(ccbin.empty() ? "gcc" : ccbin);
    if (!script)
      return ctx.diag.fatal("Host linker script creation failed.");
    text = std::move(*script);
  }
  text += Sections;
  if (output.empty())
    ctx.out << text;
  else
    saveFile(ctx, output, text);
}
