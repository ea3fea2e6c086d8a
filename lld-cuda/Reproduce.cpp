//===- Reproduce.cpp - --reproduce ----------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A tar file with everything a link reads, so that others can repeat it:
/// unpack it and run `ld.cuda @response.txt` in its folder. Inputs lie under
/// their absolute paths without the leading slash; response.txt holds the
/// command line with these paths, version.txt which linker it was.
/// scripts/reproducer runs such a file again and makes it small.
///
//===----------------------------------------------------------------------===//

#include "Ctx.h"
#include "Reports.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/TarWriter.h"

using namespace llvm;

namespace lld::cuda {

static std::string pathInTar(StringRef path) {
  SmallString<256> absolute = path;
  sys::fs::make_absolute(absolute);
  sys::path::remove_dots(absolute, /*remove_dot_dot=*/false);
  return absolute.str().ltrim('/').str();
}

/// As response files are read: by the rules of a shell, nearly.
static std::string quote(StringRef word) {
  if (!word.empty() && word.find_first_of(" \t\n\"'\\") == StringRef::npos)
    return word.str();
  std::string text = "\"";
  for (char c : word) {
    if (c == '"' || c == '\\')
      text += '\\';
    text += c;
  }
  return text + '"';
}

void writeReproducer(Ctx &ctx, ArrayRef<std::string> options) {
  if (!ctx.config.lld.reproduce || ctx.disableOutput)
    return;
  StringRef path = *ctx.config.lld.reproduce;
  Expected<std::unique_ptr<TarWriter>> tar =
      TarWriter::create(path, sys::path::stem(path));
  if (!tar) {
    ctx.diag.error("cannot write '" + path + "': " + toString(tar.takeError()));
    return;
  }
  std::string response;
  for (const std::string &option : options)
    response += quote(option) + "\n";
  for (const InputFile &file : ctx.inputs) {
    if (!file.buffer)
      continue;
    std::string name = pathInTar(file.path);
    (*tar)->append(name, file.buffer->getBuffer());
    if (file.takeWhole)
      name = "--whole-archive\n" + quote(name) + "\n--no-whole-archive";
    else
      name = quote(name);
    response += name + "\n";
  }
  (*tar)->append("response.txt", response);
  (*tar)->append("version.txt", "lld-cuda " LLDCUDA_VERSION "\n");
}

} // namespace lld::cuda
