//===- ResponseFiles.cpp - Files that hold words of a command line --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// expandResponseFiles() replaces @FILE and --options-file FILE by the words in
/// the file, for ld.cuda and for device links. The readers of nvlink's, nvcc's
/// and fatbinary's command lines have rules of their own for these files and
/// share ResponseFileReader, which counts what was read.
///
/// Files of ld.cuda may name further ones, at most 100 deep and none itself.
/// All files of a command line together have a limit (64 MiB, 65,536 files,
/// about a million words): without it /dev/zero, or a chain of files that each
/// name the next one twice, would fill the memory.
///
//===----------------------------------------------------------------------===//

#include "Driver/ResponseFiles.h"
#include "Messages/Diagnostics.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/Path.h"
#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace llvm;

namespace lld::cuda {

std::error_code ResponseFileReader::read(StringRef path, bool isText,
                                         std::string &text) {
  tooMuch |= ++files > MaxFiles;
  paths.push_back(path.str());
  int fd = ::open(path.str().c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return {errno, std::generic_category()};
  int error = 0;
  while (!tooMuch) {
    char buffer[16384];
    ssize_t size = ::read(fd, buffer, sizeof(buffer));
    if (size < 0 && errno == EINTR)
      continue;
    if (size < 0)
      error = errno;
    if (size <= 0)
      break;
    StringRef piece(buffer, size);
    size_t end = isText ? piece.find('\0') : StringRef::npos;
    piece = piece.take_front(end);
    tooMuch = (bytes += piece.size()) > MaxBytes;
    text += piece;
    if (end != StringRef::npos)
      break;
  }
  ::close(fd);
  return {error, std::generic_category()};
}

bool ResponseFileReader::addWords(size_t count) {
  tooMuch |= (words += count) > MaxWords;
  return !tooMuch;
}

std::string ResponseFileReader::limits(StringRef path) {
  return ("options file '" + path + "': all options files together hold more " +
          "than " + Twine(MaxBytes >> 20) + " MiB, " + Twine(MaxWords) +
          " words or " + Twine(MaxFiles) + " files")
      .str();
}

std::string FolderNames::add(StringRef path) {
  const StringRef plain = sys::path::filename(path);
  std::string name = plain.str();
  if (path != "-")
    for (unsigned n = 2; !taken.insert(name).second; ++n)
      name = (Twine(n) + "-" + plain).str();
  return name;
}

namespace {
class Expansion {
public:
  Expansion(StringSaver &saver, SmallVectorImpl<const char *> &expanded)
      : saver(saver), expanded(expanded) {}
  bool add(ArrayRef<const char *> words);
  const std::vector<std::string> &files() const { return reader.names(); }
  std::string problem;

private:
  bool addFile(StringRef path);
  bool fail(const Twine &text) {
    problem = text.str();
    return false;
  }

  struct Identity {
    dev_t device;
    ino_t inode;
  };
  static constexpr size_t MaxNesting = 100;

  StringSaver &saver;
  SmallVectorImpl<const char *> &expanded;
  ResponseFileReader reader;
  SmallVector<Identity, 8> open;
};
} // namespace

char findOpenQuote(StringRef text) {
  char quote = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\\')
      ++i;
    else if (quote ? c == quote : c == '"' || c == '\'')
      quote = quote ? 0 : c;
  }
  return quote;
}

bool checkFlags(StringRef flags, Diagnostics &diag) {
  const char quote = findOpenQuote(flags);
  if (quote)
    diag.report(DiagId::OptionsFile,
                {"LLD_CUDA_FLAGS: no closing ", StringRef(&quote, 1)});
  return !quote;
}

bool Expansion::addFile(StringRef path) {
  struct stat status;
  std::string text;
  if (::stat(path.str().c_str(), &status) != 0 ||
      reader.read(path, /*isText=*/false, text))
    return fail("cannot open response file '" + path + "'");
  if (reader.isTooMuch())
    return fail(ResponseFileReader::limits(path));
  for (const Identity &file : open)
    if (file.device == status.st_dev && file.inode == status.st_ino)
      return fail("response file '" + path + "' includes itself");
  if (open.size() == MaxNesting)
    return fail("response file '" + path + "' is nested more than " +
                Twine(MaxNesting) + " deep");

  std::string converted;
  ArrayRef<char> bytes(text.data(), text.size());
  if (hasUTF16ByteOrderMark(bytes) &&
      convertUTF16ToUTF8String(bytes, converted))
    text = std::move(converted);
  StringRef rest = text;
  rest.consume_front("\xef\xbb\xbf");
  if (const char quote = findOpenQuote(rest))
    return fail("response file '" + path + "': no closing " + Twine(quote));
  SmallVector<const char *, 0> words;
  cl::TokenizeGNUCommandLine(rest, saver, words);
  if (!reader.addWords(words.size()))
    return fail(ResponseFileReader::limits(path));
  open.push_back({status.st_dev, status.st_ino});
  bool ok = add(words);
  open.pop_back();
  return ok;
}

bool Expansion::add(ArrayRef<const char *> words) {
  for (size_t i = 0; i != words.size(); ++i) {
    StringRef word = words[i];
    bool isFile =
        word.consume_front("@") || word.consume_front("--options-file=");
    if (!isFile && word == "--options-file" && i + 1 != words.size()) {
      word = words[++i];
      isFile = true;
    }
    if (!isFile)
      expanded.push_back(words[i]);
    else if (!addFile(word))
      return false;
  }
  return true;
}

std::string expandResponseFiles(ArrayRef<const char *> words,
                                StringSaver &saver,
                                SmallVectorImpl<const char *> &expanded,
                                std::vector<std::string> &files) {
  Expansion expansion(saver, expanded);
  expansion.add(words);
  files = expansion.files();
  return expansion.problem;
}

} // namespace lld::cuda
