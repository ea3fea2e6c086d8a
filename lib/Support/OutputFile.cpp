//===- OutputFile.cpp - Writing files atomically --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A temporary, written with writev and exchanged for the target, is atomic and
/// the fastest way to a new file. To rename it would make ext4 allocate its
/// blocks and write them out at once; a mapped output spends its time in page
/// faults. Large files are preallocated, so that the file system looks for
/// space once. Small ones get their blocks when the system writes them: what is
/// replaced before that, as in a build that is repeated, costs nothing.
///
/// Whatever ends a link, the target is then what it was, or the complete new
/// file. The temporary has a name only for the moment of the replacement, or
/// throughout where the file system can't make unnamed files: the target's (cut
/// if it would be too long) and ".tmp" with a hexadecimal number. That is what
/// kill -9 may leave; other signals wait for that moment to pass.
///
/// Files that must be written in place are written from a complete buffer, into
/// space that was taken beforehand, while signals wait, and get their old
/// contents back if that fails all the same. These are devices, pipes, files
/// that are open (/dev/stdout), files with several names, and those in
/// directories where nothing can be created.
///
/// Freeing the old file's blocks takes longer than a small link where the file
/// system discards freed blocks at once. Writing the new contents over them
/// would be faster, but a link that is killed would lose the old file.
///
//===----------------------------------------------------------------------===//

#include "lld-cuda/Support/OutputFile.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Errno.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Signals.h"
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <memory>
#include <new>
#include <optional>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/uio.h>
#include <unistd.h>

using namespace llvm;
using namespace lld::cuda;

namespace {

std::error_code lastError() { return {errno, std::generic_category()}; }

Error openFailed(int error) {
  return errorCodeToError({error, std::generic_category()});
}

Error writeFailed(StringRef path, int error) {
  return createStringError(std::error_code(error, std::generic_category()),
                           "writing '" + path + "': " + sys::StrError(error));
}

/// Hands out the contents as pieces of memory, gaps filled with zeros.
class SpanReader {
public:
  SpanReader(uint64_t size, ArrayRef<OutputSpan> spans)
      : size(size), spans(spans) {}

  /// Fills `out` with what comes next; 0 at the end.
  size_t next(MutableArrayRef<iovec> out) {
    size_t n = 0;
    while (n != out.size() && position != size) {
      ArrayRef<uint8_t> bytes = nextPiece();
      out[n++] = {const_cast<uint8_t *>(bytes.data()), bytes.size()};
      position += bytes.size();
    }
    return n;
  }

private:
  ArrayRef<uint8_t> nextPiece() {
    static constexpr uint8_t zeros[4096] = {};
    while (!spans.empty() && spans.front().bytes.empty())
      spans = spans.drop_front();
    uint64_t end = spans.empty() ? size : spans.front().offset;
    if (position != end)
      return ArrayRef(zeros).take_front(
          std::min<uint64_t>(sizeof(zeros), end - position));
    ArrayRef<uint8_t> bytes = spans.front().bytes;
    spans = spans.drop_front();
    return bytes;
  }

  uint64_t size, position = 0;
  ArrayRef<OutputSpan> spans;
};

/// Writes all at the descriptor's position. Returns 0 or errno.
int writeSpans(int fd, uint64_t size, ArrayRef<OutputSpan> spans) {
  SpanReader reader(size, spans);
  std::array<iovec, 256> pieces;
  static_assert(std::tuple_size_v<decltype(pieces)> <= IOV_MAX);
  while (size_t n = reader.next(pieces)) {
    MutableArrayRef<iovec> left(pieces.data(), n);
    while (!left.empty()) {
      ssize_t written = ::writev(fd, left.data(), left.size());
      if (written < 0 && errno == EINTR)
        continue;
      if (written <= 0)
        return written < 0 ? errno : EIO;
      while (!left.empty() && size_t(written) >= left.front().iov_len) {
        written -= left.front().iov_len;
        left = left.drop_front();
      }
      if (written) {
        left.front().iov_base =
            static_cast<char *>(left.front().iov_base) + written;
        left.front().iov_len -= written;
      }
    }
  }
  return 0;
}

/// Takes the space for a file of that size. Some file systems can't; only what
/// would fail later, too, is an error: a full disk, a quota, a limit. Returns 0
/// or errno.
int preallocate(int fd, uint64_t size, int mode = 0) {
  if (size == 0 || ::fallocate(fd, mode, 0, size) == 0)
    return 0;
  return errno == ENOSPC || errno == EDQUOT || errno == EFBIG ? errno : 0;
}

/// Lets signals wait while a file is in a state that nobody should find.
class SignalsWait {
public:
  SignalsWait() {
    sigset_t all;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_BLOCK, &all, &old);
  }
  ~SignalsWait() { ::pthread_sigmask(SIG_SETMASK, &old, nullptr); }
  SignalsWait(const SignalsWait &) = delete;
  SignalsWait &operator=(const SignalsWait &) = delete;

private:
  sigset_t old;
};

/// A file that is written over, from a complete copy of the contents: an input
/// may be the output.
class InPlaceFile {
public:
  InPlaceFile() = default;
  InPlaceFile(const InPlaceFile &) = delete;
  InPlaceFile &operator=(const InPlaceFile &) = delete;
  ~InPlaceFile() { discard(); }

  Error prepare(const std::string &path, uint64_t size,
                ArrayRef<OutputSpan> spans);
  /// Returns 0 or errno; then a regular file is what it was.
  int commit();
  void discard();

private:
  int overwrite();
  int writeContents(ArrayRef<uint8_t> bytes);
  void restore(ArrayRef<uint8_t> old);

  std::string path;
  int fd = -1;
  bool isNew = false;
  struct stat status = {};
  std::unique_ptr<uint8_t[]> copy;
  uint64_t size = 0;
};

Error InPlaceFile::prepare(const std::string &target, uint64_t length,
                           ArrayRef<OutputSpan> spans) {
  path = target;
  size = length;
  isNew = ::stat(path.c_str(), &status) != 0;
  // What is there is read, to be put back if writing fails. (To open a pipe for
  // both would not wait for its reader.)
  const int flags = O_CREAT | O_CLOEXEC;
  if (isNew || S_ISREG(status.st_mode))
    fd = ::open(path.c_str(), flags | O_RDWR, 0666);
  if (fd < 0)
    fd = ::open(path.c_str(), flags | O_WRONLY, 0666);
  if (fd < 0 || ::fstat(fd, &status) != 0)
    return errorCodeToError(lastError());
  copy.reset(new (std::nothrow) uint8_t[size]());
  if (!copy)
    return writeFailed(path, ENOMEM);
  for (const OutputSpan &span : spans)
    if (!span.bytes.empty())
      memcpy(copy.get() + span.offset, span.bytes.data(), span.bytes.size());
  return Error::success();
}

void InPlaceFile::discard() {
  if (fd < 0)
    return;
  ::close(fd);
  fd = -1;
  if (isNew)
    ::unlink(path.c_str());
}

int InPlaceFile::writeContents(ArrayRef<uint8_t> bytes) {
  return writeSpans(fd, bytes.size(), OutputSpan{0, bytes});
}

int InPlaceFile::commit() {
  // Nobody may read what is written to a pipe; a file takes it at once.
  int error = S_ISREG(status.st_mode)
                  ? overwrite()
                  : writeContents(ArrayRef(copy.get(), size));
  if (::close(fd) != 0 && !error)
    error = errno;
  fd = -1;
  if (error && isNew)
    ::unlink(path.c_str());
  return error;
}

int InPlaceFile::overwrite() {
  const uint64_t oldSize = std::min<uint64_t>(status.st_size, size);
  std::unique_ptr<uint8_t[]> old(new (std::nothrow) uint8_t[oldSize]);
  if (!old)
    return ENOMEM;
  // Of a file that may not be read nothing is kept.
  uint64_t kept = 0;
  while (kept != oldSize) {
    ssize_t n = ::pread(fd, old.get() + kept, oldSize - kept, kept);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      break;
    kept += n;
  }
  SignalsWait wait;
  // Before anything is overwritten there must be room for all of it. The file
  // grows when that is written, not before.
  int error = preallocate(fd, size, FALLOC_FL_KEEP_SIZE);
  if (!error)
    error = writeContents(ArrayRef(copy.get(), size));
  if (!error && ::ftruncate(fd, size) != 0)
    error = errno;
  if (error)
    restore(ArrayRef(old.get(), kept));
  return error;
}

void InPlaceFile::restore(ArrayRef<uint8_t> old) {
  if (::lseek(fd, 0, SEEK_SET) == 0)
    writeContents(old);
  const timespec times[] = {status.st_atim, status.st_mtim};
  // Also gives back the room that was taken.
  if (::ftruncate(fd, status.st_size) == 0)
    ::futimens(fd, times);
}

/// Calls use() with names beside `path` until one isn't taken. `use` returns
/// false with errno set; so does this.
bool tryNames(StringRef path, function_ref<bool(const char *)> use) {
  for (int attempt = 0; attempt != 64; ++attempt) {
    uint32_t random;
    if (::getrandom(&random, sizeof(random), GRND_NONBLOCK) != sizeof(random))
      random = uint32_t(::getpid()) * 64 + attempt;
    // Room for the suffix in a name's 255 bytes.
    constexpr size_t MaxBase = 240;
    size_t base = path.size() - sys::path::filename(path).size();
    std::string name =
        (path.take_front(base + MaxBase) + ".tmp" + Twine::utohexstr(random))
            .str();
    if (use(name.c_str()))
      return true;
    if (errno != EEXIST)
      return false;
  }
  return false;
}

constexpr uint64_t WorthPreallocating = 1 << 20;

/// A file that takes a target's place once it is complete. It has no name until
/// then, where the file system allows that: whatever ends the link, nothing is
/// left behind.
class ReplacementFile {
public:
  ReplacementFile(std::string target, bool targetExists)
      : target(std::move(target)), targetExists(targetExists) {}
  ReplacementFile(const ReplacementFile &) = delete;
  ReplacementFile &operator=(const ReplacementFile &) = delete;
  ~ReplacementFile() { discard(); }

  /// Returns false with errno set.
  bool create() {
    StringRef directory = sys::path::parent_path(target);
    fd = ::open(directory.empty() ? "." : directory.str().c_str(),
                O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
    return fd >= 0 || createNamed();
  }

  /// Fills the file and gives it the mode. Returns 0 or errno.
  int fill(std::optional<mode_t> mode, uint64_t size,
           ArrayRef<OutputSpan> spans) {
    if (mode && ::fchmod(fd, *mode) != 0)
      return errno;
    if (size >= WorthPreallocating)
      if (int error = preallocate(fd, size))
        return error;
    return writeSpans(fd, size, spans);
  }

  /// Puts the file in place; what it was filled with may be needed again.
  /// Returns 0 or errno; then the target is as it was.
  int commit(std::optional<mode_t> mode, uint64_t size,
             ArrayRef<OutputSpan> spans) {
    int error = 0;
    SignalsWait wait;
    // Without /proc a file can't get a name afterwards.
    if (temporary.empty() && !giveName()) {
      ::close(fd);
      fd = -1;
      if (!createNamed())
        return errno;
      error = fill(mode, size, spans);
    }
    if (::close(fd) != 0 && !error)
      error = errno;
    fd = -1;
    if (!error && !temporary.empty())
      error = replaceTarget();
    if (!error)
      forgetName();
    return error;
  }

  void discard() {
    if (fd >= 0)
      ::close(fd);
    fd = -1;
    if (temporary.empty())
      return;
    ::unlink(temporary.c_str());
    forgetName();
  }

private:
  void forgetName() {
    if (!temporary.empty())
      sys::DontRemoveFileOnSignal(temporary);
    temporary.clear();
  }

  /// Gives the temporary the target's name. Returns 0 or errno.
  int replaceTarget() {
    const char *from = temporary.c_str(), *to = target.c_str();
    auto exchange = [&] {
      return ::renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_EXCHANGE) == 0;
    };
    // Not all file systems can, and the target may be gone.
    if (!targetExists || !exchange())
      return ::rename(from, to) == 0 ? 0 : errno;
    if (::unlink(from) == 0)
      return 0;
    const int error = errno;
    exchange();
    return error;
  }

  bool createNamed() {
    return tryNames(target, [&](const char *name) {
      fd = ::open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
      if (fd < 0)
        return false;
      temporary = name;
      sys::RemoveFileOnSignal(temporary);
      return true;
    });
  }

  /// The target's name if it is free, else a temporary one.
  bool giveName() {
    std::string self = "/proc/self/fd/" + itostr(fd);
    auto link = [&](const char *name) {
      return ::linkat(AT_FDCWD, self.c_str(), AT_FDCWD, name,
                      AT_SYMLINK_FOLLOW) == 0;
    };
    if (!targetExists && link(target.c_str()))
      return true;
    return tryNames(target, [&](const char *name) {
      if (!link(name))
        return false;
      temporary = name;
      return true;
    });
  }

  std::string target;
  bool targetExists;
  int fd = -1;
  std::string temporary; ///< Its name, if it has one that must go.
};

} // namespace

/// Replaces the path of a symbolic link by that which the link has.
static bool followLink(std::string &path) {
  char target[PATH_MAX];
  ssize_t length = ::readlink(path.c_str(), target, sizeof(target));
  if (length <= 0 || size_t(length) == sizeof(target))
    return false;
  StringRef text(target, length);
  size_t directory = path.rfind('/');
  if (text.starts_with("/") || directory == std::string::npos)
    path = text.str();
  else
    path.replace(directory + 1, std::string::npos, text.str());
  return true;
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

std::string lld::cuda::followLinks(StringRef path) {
  constexpr unsigned MaxLinks = 40;
  std::string target = path.str();
  for (unsigned i = 0; followLink(target); ++i)
    if (i == MaxLinks)
      return {};
  return target;
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
  bool isInPlace() const { return inPlace.has_value(); }
  Error commit();

  OutputRequest request;

private:
  Error prepareInPlace() {
    return inPlace.emplace().prepare(request.path, request.size, request.spans);
  }

  std::optional<mode_t> mode;
  std::optional<ReplacementFile> replacement;
  std::optional<InPlaceFile> inPlace;
};
} // namespace lld::cuda

Error PendingOutput::prepare() {
  std::string &path = request.path;
  struct stat status;
  bool exists = ::stat(path.c_str(), &status) == 0;
  if (exists) {
    if (S_ISDIR(status.st_mode))
      return openFailed(EISDIR);
    if (!S_ISREG(status.st_mode) || status.st_nlink > 1)
      return prepareInPlace();
    // A file that may not be written is not to be replaced, either.
    if (::faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) != 0)
      return openFailed(errno);
    mode = status.st_mode & 07777;
  }
  // A symbolic link stays one; the file that it names is replaced or made.
  constexpr unsigned MaxLinks = 40;
  std::string target = path;
  for (unsigned i = 0; followLink(target); ++i) {
    if (i == MaxLinks)
      return openFailed(ELOOP);
    if (isOpenFile(path))
      return prepareInPlace();
    path = target;
  }

  replacement.emplace(path, exists);
  if (!replacement->create()) {
    replacement.reset();
    return prepareInPlace();
  }
  if (int error = replacement->fill(mode, request.size, request.spans))
    return writeFailed(path, error);
  return Error::success();
}

Error PendingOutput::commit() {
  const int error =
      inPlace ? inPlace->commit()
              : replacement->commit(mode, request.size, request.spans);
  return error ? writeFailed(request.path, error) : Error::success();
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

Error OutputSet::commit() {
  // To give a file its name goes wrong least.
  for (const bool inPlace : {true, false})
    for (std::unique_ptr<PendingOutput> &file : files)
      if (file->isInPlace() == inPlace)
        if (Error e = file->commit()) {
          discard();
          return e;
        }
  discard();
  return Error::success();
}

Error lld::cuda::writeOutputFile(StringRef path, uint64_t size,
                                 ArrayRef<OutputSpan> spans) {
  OutputSet outputs;
  if (Error e = outputs.add({path, size, spans.vec()}))
    return e;
  return outputs.commit();
}

std::optional<FileIdentity> lld::cuda::identifyFile(StringRef path) {
  struct stat status;
  if (::stat(path.str().c_str(), &status) == 0) {
    if (!S_ISREG(status.st_mode))
      return std::nullopt;
    return FileIdentity{sys::fs::UniqueID(status.st_dev, status.st_ino), ""};
  }
  std::string target = followLinks(path);
  StringRef directory = sys::path::parent_path(target);
  if (::stat(directory.empty() ? "." : directory.str().c_str(), &status) != 0)
    return std::nullopt;
  return FileIdentity{sys::fs::UniqueID(status.st_dev, status.st_ino),
                      sys::path::filename(target).str()};
}
