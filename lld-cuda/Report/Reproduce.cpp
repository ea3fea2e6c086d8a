//===- Reproduce.cpp - --reproduce: a link packed into a file -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// writeReproducer() writes the file of --reproduce: a tar file with everything
/// a link reads, so that others can repeat it: they unpack it and run `ld.cuda
/// @response.txt` in its folder. reportInputs() in Reports.cpp calls it when
/// the inputs are loaded, so that a link that fails later leaves the file, too.
/// Inputs have their absolute paths there, without the leading slash and
/// without "." and "..", which tar doesn't unpack; response.txt has the command
/// line with these paths, version.txt the linker's version. The program
/// `reproducer` runs such a file again and makes it small.
///
/// Two files may get the same path when ".." is removed (if a symbolic link is
/// followed by ".."); the second one is then stored in a folder with a number.
/// A file that is named by two paths is stored once, and the second path is a
/// hard link of the tar file, so that the repeated link also sees one file.
/// Thin archives, whose members may be anywhere, are stored as common ones.
///
//===----------------------------------------------------------------------===//

#include "Input/InputFiles.h"
#include "Inputs.h"
#include "Report/Reports.h"
#include "lld-cuda/FinalCode/CodeEdit.h"
#include "lld-cuda/Object/Archive.h"
#include "lld-cuda/Support/OutputFile.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Path.h"
#include <deque>
#include <map>

using namespace llvm;

namespace lld::cuda {

namespace {
/// A tar file (POSIX ustar; long names in a pax header) as spans, so that it is
/// written like any output: whole or not at all.
class Tar {
public:
  void append(StringRef name, StringRef contents) {
    appendLongNames(name, "");
    appendBlock(name, '0', contents);
  }
  /// Another name of a file that was appended.
  void appendLink(StringRef name, StringRef target) {
    appendLongNames(name, target);
    appendBlock(name, '1', "", target);
  }
  /// Contents that stay as long as the tar file.
  StringRef keep(std::string contents) {
    strings.push_back(std::move(contents));
    return strings.back();
  }

  /// The size of the file, with the two blocks of zeros at its end.
  uint64_t size() const { return end + 2 * BlockSize; }
  ArrayRef<OutputSpan> contents() const { return spans; }

private:
  static constexpr size_t BlockSize = 512, NameSize = 100;

  void appendLongNames(StringRef name, StringRef target) {
    std::string records;
    auto add = [&](StringRef key, StringRef value) {
      if (value.size() <= NameSize)
        return;
      std::string record = (" " + key + "=" + value + "\n").str();
      // The length at its start counts itself.
      size_t length = record.size();
      while (std::to_string(length).size() + record.size() != length)
        length = std::to_string(length).size() + record.size();
      records += std::to_string(length) + record;
    };
    add("path", name);
    add("linkpath", target);
    if (!records.empty())
      appendBlock("pax", 'x', keep(std::move(records)));
  }

  void appendBlock(StringRef name, char type, StringRef contents,
                   StringRef target = "") {
    std::string header(BlockSize, '\0');
    auto put = [&](size_t at, StringRef text) {
      std::copy(text.begin(), text.end(), header.begin() + at);
    };
    std::string size;
    raw_string_ostream(size)
        << format("%011llo", (unsigned long long)contents.size());
    put(0, name.take_front(NameSize));
    put(100, "0000644");
    put(108, "0000000");
    put(116, "0000000");
    put(124, size);
    put(136, "00000000000");
    put(148, "        "); // The sum counts itself as blanks.
    header[156] = type;
    put(157, target.take_front(NameSize));
    put(257, StringRef("ustar\00000", 8));
    unsigned sum = 0;
    for (char c : header)
      sum += uint8_t(c);
    std::string digits;
    raw_string_ostream(digits) << format("%06o", sum);
    put(148, digits);
    header[154] = '\0';
    add(keep(std::move(header)));
    add(contents);
    end = alignTo(end, BlockSize);
  }

  void add(StringRef bytes) {
    spans.push_back({end, arrayRefFromStringRef(bytes)});
    end += bytes.size();
  }

  std::deque<std::string> strings;
  std::vector<OutputSpan> spans;
  uint64_t end = 0;
};

/// Gives each input a name in the tar file.
class TarNames {
public:
  struct Name {
    std::string text;
    std::string linkTo; ///< Not empty: the same file under another name.
    bool isNew;         ///< To be appended.
  };
  Name add(StringRef path, sys::fs::UniqueID id);

private:
  StringMap<sys::fs::UniqueID> taken;
  std::map<sys::fs::UniqueID, std::string> files; ///< Their first names.
};
} // namespace

TarNames::Name TarNames::add(StringRef given, sys::fs::UniqueID id) {
  SmallString<256> path = given;
  (void)sys::fs::make_absolute(path); // Relative if the folder is gone.
  sys::path::remove_dots(path, /*remove_dot_dot=*/true);
  const std::string plain = path.str().ltrim('/').str();
  std::string name = plain;
  // The number becomes a folder's name, as the suffix tells what a file is.
  for (unsigned n = 2;; ++n) {
    auto [it, isNew] = taken.try_emplace(name, id);
    if (!isNew && it->second == id)
      return {name, "", false};
    if (isNew)
      break;
    name = utostr(n) + "/" + plain;
  }
  auto [first, isNew] = files.try_emplace(id, name);
  return {name, isNew ? "" : first->second, true};
}

/// The header of an archive's member.
static std::string arHeader(StringRef name, size_t size) {
  std::string text;
  raw_string_ostream(text) << left_justify(name, 16)
                           << left_justify("0           0     0     644", 32)
                           << left_justify(utostr(size), 10) << "`\n";
  return text;
}

/// A thin archive with its members' contents. Those that can't be read are
/// missing here, too.
static std::string makeWholeArchive(const InputFile &file) {
  std::string names, members;
  for (const InputUnit &unit : file.units) {
    if (!unit.buffer)
      continue;
    const size_t at = names.size();
    names += StringRef(unit.label).drop_front(file.path.size() + 1).str();
    names += "/\n";
    members += arHeader("/" + utostr(at), unit.data.size());
    members += unit.data;
    members.append(unit.data.size() % 2, '\n');
  }
  names.append(names.size() % 2, '\n');
  return "!<arch>\n" + (names.empty() ? "" : arHeader("//", names.size())) +
         names + members;
}

/// Quotes a word as readers of response files expect it, nearly as in a shell.
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

void writeReproducer(const Inputs &inputs, ArrayRef<std::string> options) {
  if (!inputs.config.lld.reproduce ||
      !(inputs.job.outputs == OutputMode::Files || inputs.job.reproduces))
    return;
  StringRef path = *inputs.config.lld.reproduce;
  Tar tar;
  const std::string folder = sys::path::stem(path).str() + "/";
  std::string response = inputs.config.isLld() ? "" : "-flavor\nnvlink\n";
  for (const std::string &option : options)
    response += quote(option) + "\n";
  TarNames names;
  size_t position = 0;
  for (const InputFile &file : inputs.files) {
    const bool isLibrary = position++ >= inputs.config.inputs.size();
    // The link ignores a file of -l that isn't an archive, but no other input.
    if (!file.buffer || (isLibrary && !file.isDeviceLibrary &&
                         !isArchive(file.buffer->getBuffer())))
      continue;
    auto [name, linkTo, isNew] = names.add(file.path, file.id);
    if (!linkTo.empty())
      tar.appendLink(folder + name, folder + linkTo);
    else if (isNew)
      tar.append(folder + name, isThinArchive(file.buffer->getBuffer())
                                    ? tar.keep(makeWholeArchive(file))
                                    : file.buffer->getBuffer());
    if (file.takeWhole)
      response += "--whole-archive\n" + quote(name) + "\n--no-whole-archive\n";
    else if (file.isDeviceLibrary)
      response += quote("--libdevice=" + name) + "\n";
    else
      response += quote(name) + "\n";
  }
  for (const OptionFile &option : inputs.optionFiles) {
    auto [name, linkTo, isNew] = names.add(option.path, option.file.id);
    if (!linkTo.empty())
      tar.appendLink(folder + name, folder + linkTo);
    else if (isNew)
      tar.append(folder + name, option.file.buffer->getBuffer());
    response += quote(option.option + name) + "\n";
  }
  // A repeated link misses these libraries again.
  for (const std::string &library : inputs.missingLibraries)
    response += quote("-l" + library) + "\n";
  tar.append(folder + "response.txt", response);
  tar.append(folder + "version.txt", "lld-cuda " LLDCUDA_VERSION "\n");
  if (Error e = writeOutputFile(path, tar.size(), tar.contents()))
    inputs.diag.report(
        DiagId::CannotWriteReproducer,
        {"cannot write ", diag::file(path), ": ", toString(std::move(e))});
}

} // namespace lld::cuda
