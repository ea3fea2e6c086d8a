//===- OutputFile.cpp - Writing files atomically --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A preallocated temporary, written with writev and renamed, is atomic and the
/// fastest way to a new file: replacing a file with unallocated blocks makes
/// the file system flush them, and a mapped output spends its time in page
/// faults (spec: addendum, section 3.4).
///
/// Whatever ends a link, the target is then what it was, or the complete new
/// file. The temporary has a name only for the moment of the replacement, or
/// throughout where the file system can't make unnamed files: the target's (cut
/// if it would be too long) and ".tmp" with a hexadecimal number. That is what
/// kill -9 may leave; other signals wait for that moment to pass.
///
/// Files that must be written in place are written from a complete buffer, into
/// space that was taken beforehand, while signals wait. These are devices,
/// pipes, files that are open (/dev/stdout), files with several names, and
/// those in directories where nothing can be created.
///
/// Freeing the old file's blocks takes longer than a small link where the file
/// system discards freed blocks at once. Writing the new contents over them
/// would be faster, but a link that is killed would lose the old file.
///
//===----------------------------------------------------------------------===//

#include "OutputFile.h"
#include "Ctx.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Errno.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Signals.h"
#include <cerrno>
#include <climits>
#include <csignal>
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
int preallocate(int fd, uint64_t size) {
  if (size == 0 || ::fallocate(fd, 0, 0, size) == 0)
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

Error writeInPlace(const std::string &path, uint64_t size,
                   ArrayRef<OutputSpan> spans) {
  int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  if (fd < 0)
    return errorCodeToError(lastError());
  struct stat status;
  const bool isRegular = ::fstat(fd, &status) == 0 && S_ISREG(status.st_mode);
  // Before anything is overwritten there must be room for all of it.
  int error = isRegular ? preallocate(fd, size) : 0;
  // An input may be the output: its mapped pages change below the spans, and
  // truncating it first would pull them away. Hence one complete copy.
  std::unique_ptr<uint8_t[]> copy(new (std::nothrow) uint8_t[size]());
  if (!copy)
    error = ENOMEM;
  if (!error) {
    for (const OutputSpan &span : spans)
      if (!span.bytes.empty())
        memcpy(copy.get() + span.offset, span.bytes.data(), span.bytes.size());
    OutputSpan whole{0, {copy.get(), size_t(size)}};
    // Nobody may read what is written to a pipe; a file takes it at once.
    std::optional<SignalsWait> wait;
    if (isRegular)
      wait.emplace();
    error = writeSpans(fd, size, whole);
    if (!error && isRegular && ::ftruncate(fd, size) != 0)
      error = errno;
  }
  // Making room may have made the old file longer.
  if (error && isRegular && ::ftruncate(fd, status.st_size) != 0)
    error = errno;
  if (::close(fd) != 0 && !error)
    error = errno;
  return error ? writeFailed(path, error) : Error::success();
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

/// A file that takes a target's place once it is complete. It has no name until
/// then, where the file system allows that: whatever ends the link, nothing is
/// left behind.
class ReplacementFile {
public:
  ReplacementFile(const std::string &target, bool targetExists)
      : target(target), targetExists(targetExists) {}

  /// Returns false with errno set.
  bool create() {
    StringRef directory = sys::path::parent_path(target);
    fd = ::open(directory.empty() ? "." : directory.str().c_str(),
                O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
    return fd >= 0 || createNamed();
  }

  /// Fills the file, gives it the mode and puts it in place. Returns 0 or
  /// errno; then the target is as it was.
  int write(std::optional<mode_t> mode, uint64_t size,
            ArrayRef<OutputSpan> spans) {
    int error = fill(mode, size, spans);
    SignalsWait wait;
    // Without /proc a file can't get a name afterwards.
    if (!error && temporary.empty() && !giveName()) {
      ::close(fd);
      if (!createNamed())
        return errno;
      error = fill(mode, size, spans);
    }
    if (::close(fd) != 0 && !error)
      error = errno;
    if (temporary.empty())
      return error;
    if (!error && ::rename(temporary.c_str(), target.c_str()) != 0)
      error = errno;
    if (error)
      ::unlink(temporary.c_str());
    sys::DontRemoveFileOnSignal(temporary);
    return error;
  }

private:
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

  int fill(std::optional<mode_t> mode, uint64_t size,
           ArrayRef<OutputSpan> spans) {
    if (mode && ::fchmod(fd, *mode) != 0)
      return errno;
    if (int error = preallocate(fd, size))
      return error;
    return writeSpans(fd, size, spans);
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

  const std::string &target;
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

Error lld::cuda::writeOutputFile(StringRef pathRef, uint64_t size,
                                 ArrayRef<OutputSpan> spans) {
  std::string path = pathRef.str();
  struct stat status;
  bool exists = ::stat(path.c_str(), &status) == 0;
  if (exists) {
    if (S_ISDIR(status.st_mode))
      return openFailed(EISDIR);
    if (!S_ISREG(status.st_mode) || status.st_nlink > 1)
      return writeInPlace(path, size, spans);
    // A file that may not be written is not to be replaced, either.
    if (::faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) != 0)
      return openFailed(errno);
  }
  // A symbolic link stays one; the file that it names is replaced or made.
  constexpr unsigned MaxLinks = 40;
  std::string target = path;
  for (unsigned i = 0; followLink(target); ++i) {
    if (i == MaxLinks)
      return openFailed(ELOOP);
    if (isOpenFile(path))
      return writeInPlace(path, size, spans);
    path = target;
  }

  ReplacementFile file(path, exists);
  if (!file.create())
    return writeInPlace(path, size, spans);
  std::optional<mode_t> mode;
  if (exists)
    mode = status.st_mode & 07777;
  if (int error = file.write(mode, size, spans))
    return writeFailed(path, error);
  return Error::success();
}

void lld::cuda::saveFile(Ctx &ctx, StringRef path, uint64_t size,
                         ArrayRef<OutputSpan> spans) {
  if (ctx.disableOutput)
    return;
  handleAllErrors(
      writeOutputFile(path, size, spans),
      [&](const ECError &) {
        ctx.diag.fatal("Could not open output file '" + path + "'");
      },
      [&](const ErrorInfoBase &) {
        ctx.diag.fatal("Internal error: writing file");
      });
}

void lld::cuda::saveFile(Ctx &ctx, StringRef path, StringRef contents) {
  saveFile(ctx, path, contents.size(),
           OutputSpan{0, arrayRefFromStringRef(contents)});
}
