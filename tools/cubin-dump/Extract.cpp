//===- Extract.cpp - Writes images as files of their own ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Writes the images of fatbins, objects and programs into files of their own.
/// cubin-dump's main() makes an Extraction for --extract, calls add() for each
/// input, and finish() when all could be read, which moves the files from a
/// temporary folder to their destination. The files are named after what they
/// come from: "libx.so.2.sm_90.cubin" is the second image of libx.so. Names of
/// members come from files and may be anything ("../../etc/passwd"), so only a
/// few kinds of characters are allowed in a name and it is cut if it gets too
/// long; a number makes it unique.
///
//===----------------------------------------------------------------------===//

#include "Extract.h"
#include "lld-cuda/Finished/Files.h"
#include "lld-cuda/Finished/Images.h"
#include "lld-cuda/Support/Limits.h"
#include "lld-cuda/Support/OutputFile.h"
#include "lld-cuda/Support/RegularFile.h"
#include "lld-cuda/Support/WriteFile.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"
#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace llvm;

namespace lld::cuda {

static Error lastError(const Twine &path) {
  const std::error_code ec(errno, std::generic_category());
  return createStringError(ec, path + ": " + ec.message());
}

static StringRef extensionOf(ImageForm form) {
  switch (form) {
  case ImageForm::Cubin:
    return "cubin";
  case ImageForm::PTX:
    return "ptx";
  case ImageForm::LTOIR:
    return "ltoir";
  case ImageForm::TileIR:
    return "tileir";
  case ImageForm::Other:
    return "image";
  }
  llvm_unreachable("all forms are covered");
}

/// Letters, digits and what is harmless in every shell; never a path, and
/// never an option or a hidden file.
static std::string makeSafe(StringRef text, size_t room) {
  std::string safe;
  for (char c : text.take_back(room))
    safe += isAlnum(c) || StringRef("._+-").contains(c) ? c : '_';
  if (!safe.empty() && (safe[0] == '.' || safe[0] == '-'))
    safe[0] = '_';
  return safe;
}

std::string Extraction::makeName(StringRef source, StringRef target,
                                 StringRef extension) {
  constexpr size_t NameRoom = 160, TargetRoom = 32; // Of 255 that there are.
  std::string name = makeSafe(source, NameRoom);
  name += "." + utostr(++counts[name]) + ".";
  if (!target.empty())
    name += makeSafe(target, TargetRoom) + ".";
  return name + extension.str();
}

std::string Extraction::placeOf(StringRef name) const {
  SmallString<128> path(folder);
  sys::path::append(path, name);
  return path.str().str();
}

Error Extraction::begin() {
  if (std::error_code ec = temporary.create(folder))
    return createStringError(ec, folder + ": " + ec.message());
  return Error::success();
}

Error Extraction::write(const std::string &name, StringRef contents) {
  if (Error e = writeFile(temporary.file(name), contents))
    return e;
  names.push_back(name);
  return Error::success();
}

class Extractor final : public FileVisitor, public ImageVisitor {
public:
  Extractor(Extraction &extraction, ErrorReport report)
      : extraction(extraction), report(report) {}

  bool canWrite = true;
  bool hasFound = false; ///< An image, or something that can't be read.

  void file(const MemoryBuffer &contents, StringRef label,
            bool isAsked) override {
    path = isAsked ? label : "";
    visitImages(MemoryBufferRef(contents.getBuffer(), label), *this);
  }

  void image(FoundImage image, bool) override {
    hasFound = true;
    if (!canWrite)
      return;
    SmallVector<uint8_t, 0> storage;
    Expected<StringRef> data = unpackImage(
        image, getMemoryLimit().value_or(decompressLimit()), storage);
    if (!data)
      return report(image.member, data.takeError());
    const std::string name = extraction.makeName(
        sourceOf(image.member), image.target, extensionOf(image.form));
    Error e = extraction.write(name, *data);
    canWrite = !e;
    if (e)
      report(extraction.folder, std::move(e));
  }

  void error(StringRef label, Error e) override {
    hasFound = true;
    report(label, std::move(e));
  }

private:
  /// Returns the name that an image's file begins with. Folders of a path that
  /// the user has named are left out.
  std::string sourceOf(StringRef label) const {
    if (path.empty() || !label.consume_front(path))
      return label.str();
    const StringRef name = path == "-" ? "stdin" : sys::path::filename(path);
    return (name + label).str();
  }

  Extraction &extraction;
  ErrorReport report;
  StringRef path; ///< Of the file, if it is the user who has named it.
};

bool Extraction::add(StringRef path, ErrorReport report) {
  ErrorOr<std::unique_ptr<MemoryBuffer>> buffer = readRegularFileOrStdin(path);
  if (!buffer) {
    report(path, errorCodeToError(buffer.getError()));
    return true;
  }
  SmallString<128> room;
  sys::path::system_temp_directory(/*ErasedOnReboot=*/true, room);
  Extractor extractor(*this, report);
  visitContents(**buffer, path, {room.str().str(), getMemoryLimit()},
                extractor);
  if (!extractor.hasFound)
    report(path, createStringError("it has no device code"));
  return extractor.canWrite;
}

//===----------------------------------------------------------------------===//
// To their places
//===----------------------------------------------------------------------===//

Error Extraction::checkPlace(const std::string &name) const {
  const std::string place = placeOf(name);
  struct stat status;
  if (::lstat(place.c_str(), &status) != 0)
    return errno == ENOENT ? Error::success() : lastError(place);
  if (!replaces)
    return createStringError(place +
                             ": it already exists (--overwrite replaces it)");
  if (!S_ISREG(status.st_mode))
    return createStringError(place + ": not a regular file");
  return Error::success();
}

Error Extraction::move(const std::string &name) const {
  const std::string from = temporary.file(name), to = placeOf(name);
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(),
                  RENAME_NOREPLACE) == 0)
    return Error::success();
  // On file systems without RENAME_NOREPLACE, the file has two names for a
  // moment.
  if ((errno == EINVAL || errno == ENOSYS) &&
      ::link(from.c_str(), to.c_str()) == 0)
    return Error::success();
  if (errno != EEXIST || !replaces)
    return lastError(to);
  ErrorOr<std::unique_ptr<MemoryBuffer>> buffer = readRegularFile(from);
  if (!buffer)
    return errorCodeToError(buffer.getError());
  StringRef contents = (*buffer)->getBuffer();
  return writeOutputFile(to, contents.size(),
                         OutputSpan{0, arrayRefFromStringRef(contents)});
}

Expected<std::vector<std::string>> Extraction::finish() {
  std::vector<std::string> places;
  for (const std::string &name : names)
    if (Error e = checkPlace(name))
      return e;
  for (const std::string &name : names) {
    if (Error e = move(name)) {
      if (!replaces) // Then all of them are new.
        for (const std::string &place : places)
          ::unlink(place.c_str());
      return e;
    }
    places.push_back(placeOf(name));
  }
  return places;
}

Error makeFolder(const std::string &path, bool &isNew) {
  isNew = ::mkdir(path.c_str(), 0777) == 0;
  if (isNew)
    return Error::success();
  const int reason = errno;
  struct stat status;
  if (reason == EEXIST && ::stat(path.c_str(), &status) == 0 &&
      S_ISDIR(status.st_mode))
    return Error::success();
  errno = reason == EEXIST ? ENOTDIR : reason;
  return lastError(path);
}

} // namespace lld::cuda
