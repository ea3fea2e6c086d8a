//===- OutputFile.cpp - Writing files atomically --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Puts the output files of all programs in place: the linker's, cubin-prune's
/// and those of the program in fatbinary's place, by OutputSet, which prepares
/// each output and puts all of them in place at the end of a run; and single
/// files by writeOutputFile() (--reproduce, cubin-dump --extract). A temporary,
/// written piece by piece and exchanged for the target, is atomic and the
/// fastest way to a new file; a mapped output spends its time in page faults.
/// Large files are preallocated, so that the file system looks for space once.
/// Small ones get their blocks when the system writes them: what is replaced
/// before that, as in a build that is repeated, costs nothing.
///
/// Whatever ends a program, the target is then what it was, or the complete new
/// file. The temporary has a name only for the moment of the replacement, or
/// throughout where the file system can't make unnamed files: the target's (cut
/// if it would be too long) and ".tmp" with a hexadecimal number. That is what
/// kill -9 may leave; other signals wait for that moment to pass.
///
/// Files that must be written in place are written from a complete buffer, into
/// space that was taken beforehand, while signals wait, and get their old
/// contents back if that fails all the same. These are devices, pipes, files
/// that are open (/dev/stdout), files with several names, those of another
/// owner who couldn't be given the new one, or with attributes that it couldn't
/// have, and those that can't be replaced: in directories where nothing can be
/// created, or mounted by themselves, as containers have them.
///
/// Freeing the old file's blocks takes longer than a small link where the file
/// system discards freed blocks at once. Writing the new contents over them
/// would be faster, but a link that is killed would lose the old file.
///
//===----------------------------------------------------------------------===//

#include "lld-cuda/Support/OutputFile.h"
#include "FileAttributes.h"
#include "InPlaceFile.h"
#include "ReplacementFile.h"
#include "SignalsWait.h"
#include "WriteSpans.h"
#include "lld-cuda/Support/FileIdentity.h"
#include "lld-cuda/Support/Sandbox.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include <cerrno>
#include <fcntl.h>
#include <memory>
#include <optional>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

using namespace llvm;
using namespace lld::cuda;

/// Files of that size, in bytes, get their space before they are written, and
/// several threads write them if they consist of small pieces.
static constexpr uint64_t WorthPreallocating = 1 << 20;

static Error openFailed(int error) {
  return errorCodeToError(explainDenied({error, std::generic_category()}));
}

static Error writeFailed(StringRef path, int error) {
  const std::error_code code = explainDenied({error, std::generic_category()});
  return createStringError(code, "writing '" + path + "': " + code.message());
}

/// Whether a symbolic link stands for a file that is open, as /dev/stdout does
/// in the end: who opened it wants the contents there.
static bool isOpenFile(StringRef path) {
  constexpr auto ProcMagic = 0x9fa0;
  StringRef directory = sys::path::parent_path(path);
  struct statfs status;
  return ::statfs(directory.empty() ? "." : directory.str().c_str(), &status) ==
             0 &&
         status.f_type == ProcMagic;
}

namespace lld::cuda {
/// One output, made but not in place.
class PendingOutput {
public:
  explicit PendingOutput(OutputRequest request) : request(std::move(request)) {
    if (!this->request.text.empty())
      this->request.spans = {{0, arrayRefFromStringRef(this->request.text)}};
  }

  Error prepare();

  /// What is written there can't be taken back.
  bool isStream() const { return inPlace && !inPlace->isRegular(); }
  Error writeStream() { return asError(inPlace->write()); }

  bool isInPlace() const { return inPlace.has_value(); }

  // For callers that let signals wait.
  Error prepareToPlace();
  Error place(bool mustBeUndoable);
  Error dropOld();
  void undo();
  bool canBeUndone() const {
    return !replacement || replacement->canBeUndone();
  }

  OutputRequest request;

private:
  Expected<bool> followLinksToTarget();
  Error prepareInPlace();
  Error prepareReplacement();
  int writeContents(int fd);
  int fill();
  Error checkWritten();
  Error turnInPlace(int error);
  const std::string &backup() const {
    static const std::string none;
    return change ? change->backup : none;
  }
  bool replacesOnlyCopy() const { return change && change->replacesOnlyCopy; }
  Error asError(int error) const {
    return error ? writeFailed(request.path, error) : Error::success();
  }

  FileChange *const change = request.change;
  bool exists = false;
  struct stat status = {}; ///< Of the target that exists.
  /// What a new file can't have of the target.
  std::vector<std::string> losses;
  std::optional<ReplacementFile> replacement;
  std::optional<InPlaceFile> inPlace;
};
} // namespace lld::cuda

/// `path` becomes that of the file to write. False: it stands for a file that
/// is open.
Expected<bool> PendingOutput::followLinksToTarget() {
  std::string &path = request.path;
  for (unsigned i = 0;; ++i) {
    if (::lstat(path.c_str(), &status) != 0) {
      // A path that can't be looked at may name anything.
      if (errno != ENOENT)
        return openFailed(errno);
      return true;
    }
    if (!S_ISLNK(status.st_mode)) {
      exists = true;
      return true;
    }
    if (i == MaxLinks)
      return openFailed(ELOOP);
    if (isOpenFile(path))
      return false;
    if (!followLink(path))
      return openFailed(errno);
  }
}

Error PendingOutput::prepare() {
  if (request.toStandardOutput)
    return prepareInPlace();
  Expected<bool> isTarget = followLinksToTarget();
  if (!isTarget)
    return isTarget.takeError();
  if (!*isTarget)
    return prepareInPlace();
  if (!exists)
    return prepareReplacement();
  if (S_ISDIR(status.st_mode))
    return openFailed(EISDIR);
  if (!replacesOnlyCopy() && (!S_ISREG(status.st_mode) || status.st_nlink > 1))
    return prepareInPlace();
  // A file that may not be written is not to be replaced, either.
  if (::faccessat(AT_FDCWD, request.path.c_str(), W_OK, AT_EACCESS) != 0)
    return openFailed(errno);
  struct stat other;
  if (!backup().empty() && ::lstat(backup().c_str(), &other) == 0)
    return createStringError(backup() + " exists");
  return prepareReplacement();
}

Error PendingOutput::prepareInPlace() {
  if (replacesOnlyCopy())
    return createStringError("not a regular file");
  InPlaceFile &file = inPlace.emplace();
  const int error =
      request.toStandardOutput
          ? file.prepareStandardOutput(request.size, request.spans)
          : file.prepare(request.path, request.size, request.spans);
  if (error)
    return error == ENOMEM ? asError(error) : openFailed(error);
  return change && change->check ? change->check(inPlace->contents())
                                 : Error::success();
}

Error PendingOutput::prepareReplacement() {
  const bool isRead = change && change->check;
  const mode_t mode = exists ? S_IRUSR | S_IWUSR : change ? change->mode : 0666;
  replacement.emplace(request.path, exists);
  if (!replacement->create(mode, isRead)) {
    const int error = errno;
    replacement.reset();
    return replacesOnlyCopy() ? openFailed(error) : prepareInPlace();
  }
  const int error = fill();
  if (!losses.empty() && !replacesOnlyCopy()) {
    replacement.reset();
    return prepareInPlace();
  }
  if (error)
    return asError(error);
  if (!change)
    return Error::success();
  if (exists && status.st_nlink > 1)
    losses.push_back("other names (" + utostr(status.st_nlink - 1) + ")");
  change->losses = losses;
  return isRead ? checkWritten() : Error::success();
}

/// Writes the spans to a new file. Returns 0 or errno.
int PendingOutput::writeContents(int fd) {
  const uint64_t size = request.size;
  ArrayRef<OutputSpan> spans = request.spans;
  if (size < WorthPreallocating || size / LargeSpan > spans.size())
    return writeSpans(fd, size, spans);
  if (request.loop)
    return writeSmallSpans(fd, size, spans, request.loop);
  auto loop = [](size_t n, function_ref<void(size_t)> fn) {
    for (size_t i = 0; i != n; ++i)
      fn(i);
  };
  return writeSmallSpans(fd, size, spans, loop);
}

/// Returns 0 or errno.
int PendingOutput::fill() {
  const int fd = replacement->descriptor();
  const uint64_t size = request.size;
  int error = 0;
  if (change && change->leavesHoles) {
    error = writeSpansAndHoles(fd, size, request.spans);
  } else {
    if (size >= WorthPreallocating)
      error = preallocate(fd, size);
    if (!error)
      error = writeContents(fd);
  }
  losses.clear();
  if (!error && exists)
    error = copyFileAttributes(fd, request.path.c_str(), status,
                               replacesOnlyCopy(), losses);
  if (error || !change)
    return error;
  if (change->replacesOnlyCopy && ::fsync(fd) != 0)
    return errno;
  constexpr uint64_t BlockSize = 512;
  struct stat written;
  if (::fstat(fd, &written) != 0)
    return errno;
  change->bytesOnDisk = written.st_blocks * BlockSize;
  return 0;
}

Error PendingOutput::checkWritten() {
  ErrorOr<std::unique_ptr<MemoryBuffer>> written = MemoryBuffer::getOpenFile(
      replacement->descriptor(), request.path, request.size,
      /*RequiresNullTerminator=*/false);
  if (!written)
    return errorCodeToError(written.getError());
  return change->check((*written)->getBuffer());
}

Error PendingOutput::prepareToPlace() {
  if (!replacement)
    return Error::success();
  const int error = replacement->prepare([&] { return fill(); });
  return error ? turnInPlace(error) : Error::success();
}

Error PendingOutput::place(bool mustBeUndoable) {
  if (change && change->checkOld)
    if (Error e = change->checkOld())
      return e;
  if (replacement) {
    const int error =
        replacement->place([&] { return fill(); }, backup(), mustBeUndoable);
    if (!error)
      return Error::success();
    if (Error e = turnInPlace(error))
      return e;
  }
  return asError(inPlace->write());
}

/// The target couldn't be replaced: what is mounted by itself can't, and a
/// file of somebody else in a directory such as /tmp.
Error PendingOutput::turnInPlace(int error) {
  if (!exists || replacesOnlyCopy())
    return asError(error);
  replacement->undo();
  replacement.reset();
  const bool isReady =
      inPlace.emplace().prepare(request.path, request.size, request.spans) == 0;
  return isReady ? Error::success() : asError(error);
}

void PendingOutput::undo() {
  if (replacement)
    replacement->undo();
  if (inPlace)
    inPlace->undo();
}

Error PendingOutput::dropOld() {
  return replacement ? asError(replacement->dropOld(backup()))
                     : Error::success();
}

OutputSet::OutputSet() = default;
OutputSet::~OutputSet() = default;

Error OutputSet::add(OutputRequest request) {
  auto file = std::make_unique<PendingOutput>(std::move(request));
  if (Error e = file->prepare())
    return e;
  files.push_back(std::move(file));
  return Error::success();
}

void OutputSet::discard() { files.clear(); }

void OutputSet::discardAfterErrors() {
  llvm::erase_if(files, [](const std::unique_ptr<PendingOutput> &file) {
    return !file->request.afterErrors;
  });
}

static Error commitAll(ArrayRef<std::unique_ptr<PendingOutput>> files) {
  // Those that can't be taken back come first, and while they wait for a reader
  // signals needn't.
  for (const std::unique_ptr<PendingOutput> &file : files)
    if (file->isStream())
      if (Error e = file->writeStream())
        return e;
  SignalsWait wait;
  auto undoAfter = [&](Error e) {
    for (const std::unique_ptr<PendingOutput> &file : reverse(files))
      file->undo();
    return e;
  };
  for (const std::unique_ptr<PendingOutput> &file : files)
    if (Error e = file->prepareToPlace())
      return e;
  // Files that are replaced come last, since giving a new file its name is the
  // step that is least likely to fail.
  size_t left = files.size();
  for (const bool isInPlace : {true, false})
    for (const std::unique_ptr<PendingOutput> &file : files)
      if (!file->isStream() && file->isInPlace() == isInPlace)
        if (Error e = file->place(/*mustBeUndoable=*/--left != 0))
          return undoAfter(std::move(e));
  for (const std::unique_ptr<PendingOutput> &file : files)
    if (Error e = file->dropOld()) {
      if (all_of(files, [](const auto &f) { return f->canBeUndone(); }))
        return undoAfter(std::move(e));
      // All outputs are in their places; discard() tries again.
      consumeError(std::move(e));
    }
  return Error::success();
}

Error OutputSet::commit() {
  Error failure = commitAll(files);
  discard();
  return failure;
}

Error lld::cuda::writeOutputFile(StringRef path, uint64_t size,
                                 ArrayRef<OutputSpan> spans) {
  OutputSet outputs;
  if (Error e = outputs.add({path, size, spans.vec()}))
    return e;
  return outputs.commit();
}
