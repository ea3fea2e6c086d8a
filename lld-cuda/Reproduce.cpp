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
#include "OutputFile.h"
#include "Reports.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Path.h"
#include <deque>

using namespace llvm;

namespace lld::cuda {

namespace {
/// A tar file (POSIX ustar; long names in a pax header) as spans, so that it is
/// written like any output: whole or not at all.
class Tar {
public:
  void append(const std::string &name, StringRef contents) {
    if (!names.insert(name).second)
      return;
    std::string shortName = name;
    if (name.size() > NameSize) {
      std::string record = " path=" + name + "\n";
      // The length at its start counts itself.
      size_t length = record.size();
      while (std::to_string(length).size() + record.size() != length)
        length = std::to_string(length).size() + record.size();
      strings.push_back(std::to_string(length) + record);
      appendBlock("pax", 'x', strings.back());
      shortName.resize(NameSize);
    }
    appendBlock(shortName, '0', contents);
  }

  /// With the two blocks of zeros that end the file.
  uint64_t size() const { return end + 2 * BlockSize; }
  ArrayRef<OutputSpan> contents() const { return spans; }

private:
  static constexpr size_t BlockSize = 512, NameSize = 100;

  void appendBlock(StringRef name, char type, StringRef contents) {
    std::string header(BlockSize, '\0');
    auto put = [&](size_t at, StringRef text) {
      std::copy(text.begin(), text.end(), header.begin() + at);
    };
    std::string size;
    raw_string_ostream(size)
        << format("%011llo", (unsigned long long)contents.size());
    put(0, name);
    put(100, "0000644");
    put(108, "0000000");
    put(116, "0000000");
    put(124, size);
    put(136, "00000000000");
    put(148, "        "); // The sum counts itself as blanks.
    header[156] = type;
    put(257, StringRef("ustar\00000", 8));
    unsigned sum = 0;
    for (char c : header)
      sum += uint8_t(c);
    std::string digits;
    raw_string_ostream(digits) << format("%06o", sum);
    put(148, digits);
    header[154] = '\0';
    strings.push_back(std::move(header));
    add(strings.back());
    add(contents);
    end = alignTo(end, BlockSize);
  }

  void add(StringRef bytes) {
    spans.push_back({end, arrayRefFromStringRef(bytes)});
    end += bytes.size();
  }

  std::deque<std::string> strings;
  std::vector<OutputSpan> spans;
  StringSet<> names;
  uint64_t end = 0;
};
} // namespace

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
  Tar tar;
  const std::string folder = sys::path::stem(path).str() + "/";
  std::string response;
  for (const std::string &option : options)
    response += quote(option) + "\n";
  for (const InputFile &file : ctx.inputs) {
    if (!file.buffer)
      continue;
    std::string name = pathInTar(file.path);
    tar.append(folder + name, file.buffer->getBuffer());
    if (file.takeWhole)
      name = "--whole-archive\n" + quote(name) + "\n--no-whole-archive";
    else if (file.isDeviceLibrary)
      name = quote("--libdevice=" + name);
    else
      name = quote(name);
    response += name + "\n";
  }
  tar.append(folder + "response.txt", response);
  tar.append(folder + "version.txt", "lld-cuda " LLDCUDA_VERSION "\n");
  if (Error e = writeOutputFile(path, tar.size(), tar.contents()))
    ctx.diag.error("cannot write '" + path + "': " + toString(std::move(e)));
}

} // namespace lld::cuda
